"""Find the datasets that an RDD reads itself, and those that a job writes, without columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems.hbase import hbase_table
from sac_kafka.lineage.datasets.systems.jdbc import jdbc_reading
from sac_kafka.model import Dataset, TableDataset
from sac_kafka.model.gaps import CHECKPOINT_FORGOTTEN
from sac_kafka.names.files import Patterns, paths
from sac_kafka.plan.rdds import HadoopInput, HadoopOutput, ScannedFiles
from sac_kafka.plan.systems.jdbc import JDBCRelation

_DRIVER = Reading(other_source="rows of the driver")
_CHECKPOINT = Reading(counts=(CHECKPOINT_FORGOTTEN,), other_source="rows of a checkpoint")
_OTHER_SOURCES: Mapping[str, Reading] = {
    "ParallelCollectionRDD": _DRIVER,
    "EmptyRDD": _DRIVER,
    "ReliableCheckpointRDD": _CHECKPOINT,
    "LocalCheckpointRDD": _CHECKPOINT,
}
"""Readings of RDDs that read no dataset, by class."""

_FORMATS: Mapping[str, str] = {
    "WholeTextFileInputFormat": "text",
    "CombineTextInputFormat": "text",
    "NLineInputFormat": "text",
    "KeyValueTextInputFormat": "text",
    "StreamInputFormat": "binaryfile",
    "SequenceFileAsBinaryInputFormat": "sequencefile",
    "MapFileOutputFormat": "sequencefile",
}
"""Names of Hadoop file formats that differ from the name of their class."""

_PLAIN = re.compile(r"(?:\\.|[^\\*?\[\]{}])*")
"""The start of a path up to the first glob; a backslash escapes the next character."""
_ESCAPED = re.compile(r"\\(.)")
_ROOT = re.compile(r"(?:[^/]*:)?(?://[^/]*)?")
_ALTERNATIVES = re.compile(r"(?<!\\)\{((?:\\.|[^\\{}])*)\}")
_COMMA = re.compile(r"(?<!\\),")
MAX_ALTERNATIVES = 100
"""Paths into which the alternatives `{a,b}` of one path are expanded."""
_MAX_STEPS = 5 * MAX_ALTERNATIVES
"""Expansions of braces in one path."""


def rdd_readings(reads: Iterable[object], patterns: Patterns) -> Iterator[Reading]:
    """Yield what the RDDs at the ends of dependencies read; a reading without datasets has a reason if it was not understood.

    Files are folded together: a thousand files of a directory are one dataset, whether one RDD reads them or each its own.
    """
    files: dict[str, list[str]] = {}
    for read in reads:
        if isinstance(read, HadoopInput) and read.paths:
            files.setdefault(read.format, []).extend(
                read.found or chain.from_iterable(map(directories_of_glob, read.paths))
            )
        else:
            yield _reading(read, patterns)
    for format_class, there in files.items():
        yield Reading(datasets=paths(tuple(dict.fromkeys(there)), format_of_hadoop(format_class), (), patterns))


def written_datasets(output: HadoopOutput, patterns: Patterns) -> Sequence[Dataset]:
    """Return the dataset that a job writes; none if its output format writes to something else."""
    if output.table:
        table = hbase_table({"hbase.table": output.table}, ())
        return () if table is None else (table,)
    return () if output.path is None else paths((output.path,), format_of_hadoop(output.format), (), patterns)


def format_of_hadoop(format_class: str) -> str:
    """Return the name of the format that a Hadoop input or output format reads or writes, by its class name.

    >>> format_of_hadoop("org.apache.hadoop.mapred.TextInputFormat")
    'text'
    >>> format_of_hadoop("org.apache.spark.input.StreamInputFormat")
    'binaryfile'
    """
    name = format_class.rpartition(".")[2]
    return _FORMATS.get(name) or name.removesuffix("InputFormat").removesuffix("OutputFormat").lower()


def directories_of_glob(path: str) -> tuple[str, ...]:
    r"""Return the directories that a glob is in, where its matches are unknown; any other path unchanged.

    >>> directories_of_glob("hdfs://nn/{logs,old}/2026-*/part-?.gz")
    ('hdfs://nn/logs', 'hdfs://nn/old')
    >>> directories_of_glob(r"file:/in/\{a\}")
    ('file:/in/{a}',)
    """
    return tuple(dict.fromkeys(map(_directory_of, _expand(path))))


def _expand(path: str) -> list[str]:
    """Return the paths that the alternatives `{a,b}` stand for, up to a limit; those that remain are treated as globs.

    Braces around a single word add no paths, but each expansion copies the whole path, so the number of steps is limited too.
    """
    waiting, done, steps = [path], list[str](), 0
    while waiting:
        at = waiting.pop()
        found = _ALTERNATIVES.search(at) if steps < _MAX_STEPS else None
        steps += 1
        each = _COMMA.split(found[1]) if found is not None else []
        if found is None or len(waiting) + len(done) + len(each) > MAX_ALTERNATIVES:
            done.append(at)
        else:
            waiting += [f"{at[: found.start()]}{one}{at[found.end() :]}" for one in reversed(each)]
    return done


def _directory_of(path: str) -> str:
    plain = _PLAIN.match(path)
    begins = plain[0] if plain is not None else ""
    if begins == path:
        return _ESCAPED.sub(r"\1", path)
    directory = _ESCAPED.sub(r"\1", begins.rpartition("/")[0])
    return f"{directory}/" if _ROOT.fullmatch(directory) else directory


def _reading(read: object, patterns: Patterns) -> Reading:
    match read:
        case HadoopInput():  # an input format that does not read files
            table = reading_of(hbase_table({"hbase.table": read.table}, ())) if read.table else None
            return table or _not_understood(read.format.rpartition(".")[2])
        case ScannedFiles(table=None):
            return Reading(datasets=paths(read.paths, read.format, (), patterns))
        case ScannedFiles(table=str(table)):
            database, _, name = table.partition(".")
            return Reading(datasets=(TableDataset(database=database, name=name),))
        case JDBCRelation():
            return jdbc_reading(read, ()) or _not_understood("JDBCRDD")
    name = getattr(read, "class_name", type(read).__name__).rpartition(".")[2]
    return _OTHER_SOURCES.get(name) or _not_understood(name)


def _not_understood(what: str) -> Reading:
    return Reading(counts=(f"RDD not understood: {what}",), other_source="an RDD that is not understood")
