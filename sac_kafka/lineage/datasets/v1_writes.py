"""Derive the writes of V1 commands: tables and views made from queries, Hive's commands, LOAD DATA, saves to V1 sources."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence

from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.sources import external_dataset, path_is_a_name, reading_by_options, source_of
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.lineage.datasets.tables import columns, table, table_by_name
from sac_kafka.lineage.datasets.writes import Write, directory, directory_write, part_of, write_of, writes_of
from sac_kafka.names.files import Patterns, paths
from sac_kafka.names.openlineage_names import dataset_of
from sac_kafka.plan.catalog import CatalogStorageFormat, TableIdentifier
from sac_kafka.plan.commands import (
    AlterViewAsCommand,
    CreateDataSourceTableAsSelectCommand,
    CreateViewCommand,
    SaveAsV1TableCommand,
    SaveIntoDataSourceCommand,
)
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.hive_commands import (
    CreateHiveTableAsSelectCommand,
    InsertIntoHiveDirCommand,
    InsertIntoHiveTable,
    LoadDataCommand,
)
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.options import DELTA_WRITTEN
from sac_kafka.plan.streaming import WriteToMicroBatchDataSource, WriteToMicroBatchDataSourceV1


@write_of.register(CreateDataSourceTableAsSelectCommand)
@write_of.register(CreateHiveTableAsSelectCommand)
def _(node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand, _patterns: Patterns) -> Write:
    return _write_new_table(node, rename(node.query_output, node.output_column_names))


@write_of.register
def _(node: SaveAsV1TableCommand, _patterns: Patterns) -> Write:
    return _write_new_table(node, node.query_output)


def _write_new_table(
    node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand | SaveAsV1TableCommand,
    output: tuple[Attribute, ...],
) -> Write:
    options = node.table.storage.properties or {}
    dataset = external_dataset(node.table.provider, options, columns(output))
    if dataset is None:
        # The command's definition precedes the creation, so its owner and creation time are not those of the catalog.
        dataset = dataclasses.replace(table(node.table, columns(output)), owner=None, created_ms=None)
    # Appending to an existing table is the same command.
    return Write(dataset=dataset, query=node.query, output=output, is_replacement=node.mode != "Append")


def rename(output: Sequence[Attribute], names: Sequence[str]) -> tuple[Attribute, ...]:
    """Return the columns of a query under other names."""
    return tuple(dataclasses.replace(a, name=name) for a, name in zip(output, names, strict=False))


@write_of.register
def _(node: CreateViewCommand, _patterns: Patterns) -> Write | None:
    if node.view_type != "PersistedView" or node.name is None or node.query is None:
        return None
    names = [c.name for c in node.columns] or [a.name for a in node.query_output]
    return _view(node.name, node.query, rename(node.query_output, names))


@write_of.register
def _(node: AlterViewAsCommand, _patterns: Patterns) -> Write | None:
    # ALTER VIEW also changes temporary views, whose names have no database.
    if node.name is None or node.name.database is None or node.query is None:
        return None
    return _view(node.name, node.query, node.query_output)


def _view(name: TableIdentifier, query: LogicalPlan, output: tuple[Attribute, ...]) -> Write:
    dataset = dataclasses.replace(table_by_name(name), table_type="VIEW", columns=columns(output))
    return Write(dataset=dataset, query=query, output=output, is_view=True)


_FORMATS = {"lazysimple": "text", "lazybinary": "binary", "opencsv": "csv", "parquethive": "parquet"}
"""Formats of serdes whose class is not named after the format."""


@write_of.register
def _(node: InsertIntoHiveTable, _patterns: Patterns) -> Write:
    # For a partitioned table, Hive replaces only the written partitions.
    partitions = node.table.partition_column_names
    statics = {name.lower() for name in node.static_partitions}
    is_static = len(statics) == len(partitions) and (not partitions or node.static_partition is not None)
    return Write(
        dataset=table(node.table),
        query=node.query,
        output=node.output_columns,
        part=part_of(node.static_partition, is_whole=not statics),
        is_replacement=node.overwrite and is_static,
        constants=tuple(name for name in partitions if name.lower() in statics),
    )


@write_of.register
def _(node: InsertIntoHiveDirCommand, patterns: Patterns) -> Write | None:
    if node.path is None:
        return None
    written = columns(node.output_columns)
    path = directory(node.path, serde_format(node.storage), written, patterns, is_whole=node.overwrite)
    return directory_write(path, node.query, node.output_columns, node.path, is_replacement=node.overwrite)


def serde_format(storage: CatalogStorageFormat) -> str:
    """Return the format of a serde: `org.apache.hadoop.hive.ql.io.orc.OrcSerde` → `orc`; `text` without one, as in Hive."""
    if storage.serde is None:
        return "text"
    name = re.sub(r"serde\d?$", "", storage.serde.rpartition(".")[2].lower())
    return _FORMATS.get(name, name)


@write_of.register
def _(node: LoadDataCommand, _patterns: Patterns) -> Write:
    # LOAD DATA moves files unchanged, so the mapping of their columns is unknown.
    is_replaced = node.is_overwrite and (not node.has_partition or node.partition is not None)
    part = part_of(node.partition, is_whole=not node.has_partition)
    return Write(dataset=table_by_name(node.table), query=node, output=(), part=part, is_replacement=is_replaced)


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


@writes_of.register
def _(node: SaveIntoDataSourceCommand, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """Identify an unknown sink by the directory in its option `path`, else by other options."""
    if node.query is None:
        return ()
    source = source_of(node.data_source)
    if source is not None and source.dataset is not None:
        return save_by_options(node, node.data_source, source, counts)
    if node.own_name is not None:
        own = dataset_of(node.own_name, columns(node.query_output), patterns)
        if own is not None:
            is_whole = node.mode == "Overwrite"
            return (Write(dataset=own, query=node.query, output=node.query_output, is_replacement=is_whole),)
    if node.path is not None and not path_is_a_name(node.data_source):
        options = node.options or {}
        kept = tuple(a for a in node.query_output if source is None or source.keeps(a.name))
        # Other sinks may replace all rows, some partitions, or the rows of a condition: only they know.
        is_whole = node.mode == "Overwrite" and _format(node) == "delta" and not node.is_partial
        is_new = is_whole and options.get(DELTA_WRITTEN[0], "").lower() == "true"
        path = directory(node.path, _format(node), columns(kept), patterns, is_whole=is_new)
        is_deletion = source is not None and source.deletes(options)
        return (Write(dataset=path, query=node.query, output=() if is_deletion else kept, is_replacement=is_whole),)
    target = reading_by_options(node.data_source, node.options or {}, columns(node.query_output))
    return write_target(node, node.data_source, target, counts)


def write_target(
    node: SaveIntoDataSourceCommand | WriteToMicroBatchDataSource | WriteToMicroBatchDataSourceV1,
    sink: str,
    target: Reading | None,
    counts: Counter[str],
) -> tuple[Write, ...]:
    """Return the writes of all columns to the datasets of a sink; count what is not understood."""
    counts.update(target.counts if target is not None else (f"sink not understood: {sink}",))
    if target is None or node.query is None:
        return ()
    is_whole = (
        node.mode == "Overwrite" if isinstance(node, SaveIntoDataSourceCommand) else node.output_mode == "Complete"
    )
    query, output = node.query, node.query_output
    return tuple(Write(dataset=d, query=query, output=output, is_replacement=is_whole) for d in target.datasets)


def save_by_options(
    node: SaveIntoDataSourceCommand | WriteToMicroBatchDataSource, sink: str, source: Source, counts: Counter[str]
) -> tuple[Write, ...]:
    """Return the datasets that the options of a sink name; the rows of a Kafka sink may name their topics themselves."""
    if node.query is None:
        return ()
    query, options = node.query, node.options or {}
    output = tuple(a for a in node.query_output if source.keeps(a.name))
    topics = () if "topic" in options else sorted(node.topics)
    options_by_topic = [{**options, "topic": topic} for topic in topics] or [dict(options)]
    datasets = [
        d for named_options in options_by_topic if (d := source.identify(named_options, columns(output))) is not None
    ]
    if not datasets:
        counts[source.unnamed or f"sink not understood: {sink}"] += 1
    is_whole = isinstance(node, SaveIntoDataSourceCommand) and node.mode == "Overwrite"
    return tuple(Write(dataset=d, query=query, output=output, is_replacement=is_whole) for d in datasets)


def _format(node: SaveIntoDataSourceCommand) -> str:
    """Return the provider's short name, else one derived from its class: `com.x.spark.xml.DefaultSource` → `xml`."""
    return (node.short_name or node.data_source).removesuffix(".DefaultSource")
