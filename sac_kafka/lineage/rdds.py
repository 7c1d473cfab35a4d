"""Find the origin of the rows of RDDs, in jobs that write them and in queries that start from one.

It is known at the level of datasets: the code of an RDD is no query, so there are no columns to follow. The query behind
`DataFrame.rdd` is recorded when the RDD is created, and names tables as any query does. For other RDDs, the files and databases
read by their parents are used. What a checkpoint cuts off is recorded when the checkpoint is requested.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import Columns, OutputColumn
from sac_kafka.lineage.columns.placeholders import unknown
from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems.jdbc import jdbc_reading
from sac_kafka.lineage.datasets.systems.stores import hbase_table
from sac_kafka.lineage.extract import process_of
from sac_kafka.lineage.flow import FlowInputs
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.model import Application, Dataset, Process, Run, TableDataset
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.columns import NO_SOURCES
from sac_kafka.model.gaps import (
    CHECKPOINT_FORGOTTEN,
    COLUMNS_OF_RDD,
    RDD_NOT_INSPECTED,
    TOO_MANY_RDDS,
    gaps_beyond_columns,
    worst_first,
)
from sac_kafka.names.files import Patterns, paths
from sac_kafka.plan.errors import failure_text
from sac_kafka.plan.rdds import HadoopInput, HadoopOutput, RddJobStart, RddRows, ScannedFiles, SparkListenerJobEnd
from sac_kafka.plan.relations import ExternalRDD, LogicalRDD, RowsWithoutDataset
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
        braces = _ALTERNATIVES.search(at) if steps < _MAX_STEPS else None
        steps += 1
        alternatives = _COMMA.split(braces[1]) if braces is not None else []
        if braces is None or len(waiting) + len(done) + len(alternatives) > MAX_ALTERNATIVES:
            done.append(at)
        else:
            waiting += [f"{at[: braces.start()]}{one}{at[braces.end() :]}" for one in reversed(alternatives)]
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


MAX_QUERIES = 1_000
"""RDDs whose query, or origin before a checkpoint, is remembered; the oldest is evicted first."""


class RddOrigins:
    """Origins of an application's RDDs; `follows` is False if the listener does not project RDDs."""

    def __init__(self, patterns: Patterns, counts: Counter[str], *, follows: bool = True) -> None:
        self._patterns = patterns
        self._counts = counts
        self._follows = follows
        self._by_rdd: Bounded[int, Origin] = Bounded(MAX_QUERIES)

    def add_query(self, rdd_id: int, query: Origin) -> None:
        """Remember the query that an RDD was created from, by the id of the query's own RDD."""
        self._by_rdd[rdd_id] = query

    def add_checkpoint(self, rows: RddRows) -> None:
        """Remember the origin of an RDD that a checkpoint will cut off; do nothing if a checkpoint has done so before."""
        if rows.rdd_id not in rows.query_ids:
            self.add_query(rows.rdd_id, self.origin_of_rdd(rows))

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return the origin of a leaf's RDD, with columns of unknown sources; None if no RDD was projected."""
        if not isinstance(leaf, (LogicalRDD, ExternalRDD)):
            return None
        if leaf.rows is None and (self._follows or leaf.is_streaming):
            return None
        origin = self.origin_of_rdd(leaf.rows) if leaf.rows is not None else self._unknown_origin(leaf)
        sources = unknown(COLUMNS_OF_RDD) if origin.gaps else NO_SOURCES  # rows of the driver have no source columns
        columns = Columns(OutputColumn(a.expr_id, a.name, sources, type=a.type) for a in leaf.output)
        return dataclasses.replace(origin, columns=columns, gaps=gaps_beyond_columns(origin.gaps))

    def _unknown_origin(self, leaf: RowsWithoutDataset) -> Origin:
        self._counts[RDD_NOT_INSPECTED] += 1
        return Origin(inputs=(), columns=Columns(()), other_sources=(leaf.source_text,), gaps=(RDD_NOT_INSPECTED,))

    def origin_of_rdd(self, rows: RddRows) -> Origin:
        """Return the origin of an RDD, without columns."""
        inputs = FlowInputs(self._counts)
        by_id = {query.rdd_id: query for query in rows.queries}
        seen: set[int] = set()
        waiting = [rows]
        while waiting:
            at = waiting.pop()
            for reading in rdd_readings(at.reads, self._patterns):
                inputs.add_reading(id(at), reading, is_own=False)
            for query in at.query_ids:
                if query in seen:
                    continue
                seen.add(query)
                if (known := self._by_rdd.get(query)) is not None:
                    inputs.add_origin(known)
                elif query in by_id:
                    waiting.append(by_id[query])
        if rows.is_cut:
            inputs.note(TOO_MANY_RDDS)
            inputs.other_sources.add("further RDDs, over the limit")
        origin = inputs.origin()
        gaps = (*gaps_beyond_columns(origin.gaps), *((COLUMNS_OF_RDD,) if origin.inputs else ()))
        return dataclasses.replace(origin, gaps=worst_first(gaps))


MAX_OPEN = 1_000
"""Jobs remembered until they end."""

_OTHERS = "RDD jobs without a known output"
_MISSED = "RDD jobs that ended before they were inspected"


class RddJobs:
    """The running RDD jobs of an application, from their start to their end events.

    Args:
        failed_too: Also yield the processes of failed jobs.
        unreported: Called for each job whose output is not understood, with the reason.
    """

    def __init__(
        self,
        attribution: Attribution,
        origins: RddOrigins,
        patterns: Patterns,
        counts: Counter[str],
        *,
        failed_too: bool = False,
        unreported: Callable[[Application, str], None] = lambda _application, _reason: None,
    ) -> None:
        self._attribution = attribution
        self._origins = origins
        self._patterns = patterns
        self._counts = counts
        self._failed_too = failed_too
        self._unreported = unreported
        self._open: Bounded[int, tuple[RddJobStart, Dataset, Origin]] = Bounded(MAX_OPEN)
        self._not_understood: Bounded[int, tuple[RddJobStart, str]] = Bounded(MAX_OPEN)

    def start(self, event: RddJobStart) -> None:
        """Add a job that has started; its input and output are known from then on."""
        passed_by = {_OTHERS: event.others, _MISSED: event.missed}
        self._counts.update({what: times for what, times in passed_by.items() if times})
        if event.is_of_model:
            self._counts["RDD jobs that write a part of a model"] += 1
            return
        outputs = () if event.written is None else written_datasets(event.written, self._patterns)
        if not outputs:
            what = event.written.format.rpartition(".")[2] if event.written is not None else ""
            reason = f"output of an RDD not understood: {what or 'unknown'}"
            self._not_understood[event.job_id] = (event, reason)
            self._counts[reason] += 1
        elif event.rows is not None:
            self._open[event.job_id] = (event, outputs[0], self._origins.origin_of_rdd(event.rows))

    def end(self, event: SparkListenerJobEnd) -> Iterator[tuple[Process, tuple[Process, ...]]]:
        """Yield the process of a job that has ended, with the definitions of the views that it read."""
        not_understood = self._not_understood.pop(event.job_id, None)
        if not_understood is not None and event.failure is None:
            start, reason = not_understood
            self._unreported(self._attribution.application_of(properties=start.properties), reason)
        started = self._open.pop(event.job_id, None)
        if started is None:
            return
        self._counts["RDD jobs"] += 1
        if event.failure is not None:
            self._counts["RDD jobs failed"] += 1
            if not self._failed_too:
                return
        start, output, origin = started
        run = Run(
            execution_id=None,
            jobs=(event.job_id,),
            started_ms=start.time,
            ended_ms=event.time,
            failure=None if event.failure is None else failure_text(event.failure),
        )
        application = self._attribution.application_of(properties=start.properties)
        yield process_of(origin, (output,), run, application), origin.definitions
