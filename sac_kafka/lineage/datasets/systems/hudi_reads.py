"""Identify reads of Hudi tables: the latest state, a past one, or incremental changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.model import Column, Dataset, Dependency
from sac_kafka.names.files import Patterns, paths
from sac_kafka.plan.relations import HadoopFsRelation

FILE_GROUPS = "HudiFileGroup"
_METADATA_COLUMNS = frozenset(
    {
        "_hoodie_commit_time",
        "_hoodie_commit_seqno",
        "_hoodie_record_key",
        "_hoodie_partition_path",
        "_hoodie_file_name",
        "_hoodie_operation",
    }
)
_ROWS = ("before", "after")
_EARLIEST = frozenset({"000", "00000000000000", "earliest"})


def is_metadata(column: str) -> bool:
    """Return True for the metadata columns that Hudi adds to each row."""
    return column.lower() in _METADATA_COLUMNS


def hudi_reading(files: HadoopFsRelation, columns: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """Return the reading of a Hudi table by its path; None for other files."""
    if files.file_format != FILE_GROUPS:
        return None
    options = files.options or {}
    version = _version(options)
    if _is_incremental(options) and options.get("hoodie.datasource.query.incremental.format") == "cdc":
        # A CDC read has its own columns (operation, and rows as JSON); the columns of the table are unknown here.
        (dataset,) = paths(files.root_paths[:1], "hudi", (), patterns)
        return Reading(datasets=(dataset,), base=dataset.key, columns={}, version=version)
    return Reading(datasets=paths(files.root_paths, "hudi", columns, patterns), version=version)


def by_name(read: Reading, dataset: Dataset) -> Reading:
    """Return a reading with the dataset of the table by whose name it was read."""
    if read.columns is None:
        return replace(read, datasets=(dataset,))
    row = tuple((c.name, Dependency.TRANSFORMATION) for c in dataset.columns if not is_metadata(c.name))
    return replace(read, datasets=(dataset,), base=dataset.key, columns=dict.fromkeys(_ROWS, row))


def _is_incremental(options: Mapping[str, str]) -> bool:
    return options.get("hoodie.datasource.query.type") == "incremental"


def _version(options: Mapping[str, str]) -> str | None:
    if _is_incremental(options):
        begin = options.get("hoodie.datasource.read.begin.instanttime", "")
        end = options.get("hoodie.datasource.read.end.instanttime")
        since = "the beginning" if begin in _EARLIEST else f"instant {begin}"
        return f"changes from {since}{f' to {end}' if end else ''}"
    if "as.of.instant" in options:
        return f"timestamp {options['as.of.instant']}"
    return "read optimized" if options.get("hoodie.datasource.query.type") == "read_optimized" else None


SOURCES = (
    Source(
        names=frozenset({"hudi", "org.apache.hudi"}),
        classes=("org.apache.hudi.",),
        own_columns=_METADATA_COLUMNS,
        deletes=lambda options: options.get("hoodie.datasource.write.operation", "").startswith("delete"),
    ),
)
