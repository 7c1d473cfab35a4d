"""Which nodes write, and what: one registered function a command."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import singledispatch

from sac_kafka.lineage.datasets import Patterns, columns, named, paths, relation_reading, table
from sac_kafka.lineage.hbase import hbase_table
from sac_kafka.lineage.jdbc import name_parts, rdbms_table
from sac_kafka.lineage.kafka import RECORD, topics
from sac_kafka.lineage.model import Column, Dataset
from sac_kafka.plan.catalog import TableIdentifier
from sac_kafka.plan.commands import (
    AlterViewAsCommand,
    CreateDataSourceTableAsSelectCommand,
    CreateHiveTableAsSelectCommand,
    CreateViewCommand,
    InsertIntoDataSourceCommand,
    InsertIntoDataSourceDirCommand,
    InsertIntoHadoopFsRelationCommand,
    InsertIntoHiveTable,
    SaveAsV1TableCommand,
    SaveIntoDataSourceCommand,
)
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Union, WithCTE


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Write:
    """A dataset that a command writes, from `query`; `output` are its columns under the ids that the query gives them.

    `columns_cut` is True where its columns did not travel. `position` is that of the command among those of its
    execution. `is_replacement` is True where all rows that the dataset had are replaced.
    """

    dataset: Dataset
    query: LogicalPlan
    output: tuple[Attribute, ...]
    columns_cut: bool = False
    position: int = 0
    is_replacement: bool = False

    def rows(self, counted: Sequence[int]) -> int | None:
        """The rows of this write among those that the writing commands of an execution counted."""
        known = self.position < len(counted) and counted[self.position] >= 0
        return counted[self.position] if known else None


def writes(root: LogicalPlan, patterns: Patterns, counts: Counter[str]) -> Iterator[Write]:
    """The writes of an execution: of its root command, or of the commands under a multi-insert's Union or a WITH.

    What is not understood about a command that writes is added to `counts`.
    """
    commands = list(_commands(root))
    for i, command in enumerate(commands):
        for write in writes_of(command, patterns, counts):
            yield dataclasses.replace(write, columns_cut=command.columns_cut, position=i)


def _commands(root: LogicalPlan) -> Iterator[LogicalPlan]:
    if isinstance(root, (Union, WithCTE)) and not root.is_command:
        for child in root.children:
            if child.is_command or isinstance(child, (Union, WithCTE)):
                yield from _commands(child)
    elif root.is_command:
        yield root


def writes_of(node: LogicalPlan, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """What a command writes: nothing, one dataset, or several (a Kafka sink whose rows name their topics)."""
    if isinstance(node, SaveIntoDataSourceCommand):
        return _saved(node, counts)
    write = write_of(node, patterns)
    return () if write is None else (write,)


@singledispatch
def write_of(node: LogicalPlan, patterns: Patterns) -> Write | None:
    """What this node writes; None if it writes nothing."""
    del node, patterns
    return None


@write_of.register
def _(node: InsertIntoHadoopFsRelationCommand, patterns: Patterns) -> Write:
    written = columns(node.output_columns)
    dataset: Dataset
    is_whole = node.mode == "Overwrite" and not node.has_static_partitions and not node.is_dynamic_overwrite
    if node.catalog_table is not None:
        # The table may have more columns than are written (static partitions); those of the catalog are all.
        dataset = table(node.catalog_table)
    else:
        dataset = _path(node.output_path, node.file_format, written, patterns, is_whole=is_whole)
    return Write(dataset=dataset, query=node.query, output=node.output_columns, is_replacement=is_whole)


@write_of.register(CreateDataSourceTableAsSelectCommand)
@write_of.register(CreateHiveTableAsSelectCommand)
def _(node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand, patterns: Patterns) -> Write:
    del patterns
    output = tuple(
        dataclasses.replace(a, name=name) for a, name in zip(node.query_output, node.output_column_names, strict=False)
    )
    return _created(node, output)


@write_of.register
def _(node: SaveAsV1TableCommand, patterns: Patterns) -> Write:
    del patterns
    return _created(node, node.query_output)


def _created(
    node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand | SaveAsV1TableCommand,
    output: tuple[Attribute, ...],
) -> Write:
    # The definition in the command precedes the creation: its owner and time are not yet those of the catalog.
    dataset = dataclasses.replace(table(node.table, columns(output)), owner=None, created_ms=None)
    return Write(dataset=dataset, query=node.query, output=output)


@write_of.register
def _(node: InsertIntoHiveTable, patterns: Patterns) -> Write:
    del patterns
    return Write(dataset=table(node.table), query=node.query, output=node.output_columns)


@write_of.register
def _(node: InsertIntoDataSourceDirCommand, patterns: Patterns) -> Write | None:
    if node.storage.location is None:
        return None
    written = columns(node.query_output)
    dataset = _path(node.storage.location, node.provider, written, patterns, is_whole=node.overwrite)
    return Write(dataset=dataset, query=node.query, output=node.query_output, is_replacement=node.overwrite)


def _path(
    location: str, file_format: str, written: tuple[Column, ...], patterns: Patterns, *, is_whole: bool
) -> Dataset:
    """A directory; what was replaced is all of the data set only where its root is the directory itself."""
    (dataset,) = paths((location,), file_format, written, patterns)
    return dataclasses.replace(dataset, is_replaced=is_whole and dataset.path == location.rstrip("/"))


@write_of.register
def _(node: InsertIntoDataSourceCommand, patterns: Patterns) -> Write | None:
    if node.query is None:
        return None
    written = columns(node.query_output)
    found = relation_reading(node.relation, written, patterns)
    dataset: Dataset
    if found is not None and len(found.datasets) == 1:
        (dataset,) = found.datasets
    elif node.catalog_table is not None:
        dataset = table(node.catalog_table)
    else:
        return None
    return Write(dataset=dataset, query=node.query, output=node.query_output)


@write_of.register
def _(node: CreateViewCommand, patterns: Patterns) -> Write | None:
    del patterns
    if node.view_type != "PersistedView" or node.name is None or node.query is None:
        return None
    names = [c.name for c in node.columns] or [a.name for a in node.query_output]
    output = tuple(dataclasses.replace(a, name=name) for a, name in zip(node.query_output, names, strict=False))
    return _view(node.name, node.query, output)


@write_of.register
def _(node: AlterViewAsCommand, patterns: Patterns) -> Write | None:
    del patterns
    # ALTER VIEW reaches temporary views too: their names have no database.
    if node.name is None or node.name.database is None or node.query is None:
        return None
    return _view(node.name, node.query, node.query_output)


def _view(name: TableIdentifier, query: LogicalPlan, output: tuple[Attribute, ...]) -> Write:
    dataset = dataclasses.replace(named(name), table_type="VIEW", columns=columns(output))
    return Write(dataset=dataset, query=query, output=output)


def _saved(node: SaveIntoDataSourceCommand, counts: Counter[str]) -> tuple[Write, ...]:
    """One registered provider a name; what is not there is counted."""
    provider = next((p for prefix, p in _PROVIDERS.items() if node.data_source.startswith(prefix)), None)
    if provider is None or node.query is None:
        counts[f"sink not understood: {node.data_source}"] += 1
        return ()
    found = provider(node, counts)
    return tuple(Write(dataset=d, query=node.query, output=output) for d, output in found)


Saved = list[tuple[Dataset, tuple[Attribute, ...]]]


def _jdbc(node: SaveIntoDataSourceCommand, counts: Counter[str]) -> Saved:
    url, name = (node.options or {}).get("url", ""), (node.options or {}).get("dbtable")
    dataset = rdbms_table(url, name_parts(name), columns(node.query_output)) if name else None
    if dataset is None:
        counts["sink not understood: JDBC without a URL and a table"] += 1
        return []
    return [(dataset, node.query_output)]


def _kafka(node: SaveIntoDataSourceCommand, counts: Counter[str]) -> Saved:
    options = node.options or {}
    names = (options["topic"],) if "topic" in options else node.topics
    if not names:
        counts["topics not known: each row names its own"] += 1
    output = tuple(a for a in node.query_output if a.name in RECORD)
    return [(topic, output) for topic in topics(sorted(names), options, columns(output))]


def _hbase(node: SaveIntoDataSourceCommand, counts: Counter[str]) -> Saved:
    dataset = hbase_table(node.options or {}, columns(node.query_output))
    if dataset is None:
        counts["sink not understood: HBase without a table"] += 1
        return []
    return [(dataset, node.query_output)]


_PROVIDERS: Mapping[str, Callable[[SaveIntoDataSourceCommand, Counter[str]], Saved]] = {
    "org.apache.spark.sql.execution.datasources.jdbc.": _jdbc,
    "com.microsoft.sqlserver.jdbc.spark.": _jdbc,
    "org.apache.spark.sql.kafka010.": _kafka,
    "org.apache.spark.sql.execution.datasources.hbase.": _hbase,
    "org.apache.hadoop.hbase.spark.": _hbase,
}
"""What a sink writes, by the beginning of its provider's class."""
