"""Derive the writes of Hive's commands and of LOAD DATA."""

from __future__ import annotations

import re

from sac_kafka.lineage.datasets.files import Patterns, paths
from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.tables import columns, named, table
from sac_kafka.lineage.datasets.writes import Write, directory, write_of
from sac_kafka.plan.catalog import CatalogStorageFormat
from sac_kafka.plan.hive_commands import InsertIntoHiveDirCommand, InsertIntoHiveTable, LoadDataCommand

_FORMATS = {"lazysimple": "text", "lazybinary": "binary", "opencsv": "csv", "parquethive": "parquet"}
"""Formats of serdes whose class is not named after the format."""


@write_of.register
def _(node: InsertIntoHiveTable, patterns: Patterns) -> Write:
    del patterns
    # For a partitioned table, Hive replaces only the written partitions.
    is_whole = node.overwrite and not node.table.partition_column_names
    statics = {name.lower() for name in node.static_partitions}
    return Write(
        dataset=table(node.table),
        query=node.query,
        output=node.output_columns,
        is_replacement=is_whole,
        constants=tuple(name for name in node.table.partition_column_names if name.lower() in statics),
    )


@write_of.register
def _(node: InsertIntoHiveDirCommand, patterns: Patterns) -> Write | None:
    if node.path is None:
        return None
    written = columns(node.output_columns)
    path = directory(node.path, serde_format(node.storage), written, patterns, is_whole=node.overwrite)
    return Write(dataset=path, query=node.query, output=node.output_columns, is_replacement=path.is_replaced)


def serde_format(storage: CatalogStorageFormat) -> str:
    """Return the format of a serde: `org.apache.hadoop.hive.ql.io.orc.OrcSerde` → `orc`; `text` without one, as in Hive."""
    if storage.serde is None:
        return "text"
    name = re.sub(r"serde\d?$", "", storage.serde.rpartition(".")[2].lower())
    return _FORMATS.get(name, name)


@write_of.register
def _(node: LoadDataCommand, patterns: Patterns) -> Write:
    del patterns
    # LOAD DATA moves files unchanged, so the mapping of their columns is unknown.
    is_whole = node.is_overwrite and not node.has_partition
    return Write(dataset=named(node.table), query=node, output=(), is_replacement=is_whole)


@reading.register
def _(node: LoadDataCommand, patterns: Patterns) -> Reading | None:
    if node.path is None:
        return None
    return Reading(datasets=paths((_without_glob(node.path),), "", (), patterns))


def _without_glob(path: str) -> str:
    """Return the directory above the first segment with a glob pattern."""
    segments = path.split("/")
    first = next((i for i, s in enumerate(segments) if re.search(r"[*?\[{]", s)), len(segments))
    return "/".join(segments[:first]) or "/"
