"""Identify the datasets of tables of V2 sources and catalogs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import singledispatch

from sac_kafka.lineage.datasets.leaves import reading, relation_reading
from sac_kafka.lineage.datasets.reading import Reading, own_name_of, reading_of
from sac_kafka.lineage.datasets.sources import external_dataset, path_is_a_name, reading_by_options
from sac_kafka.lineage.datasets.systems.source import python_source_dataset
from sac_kafka.lineage.datasets.tables import columns, described_column
from sac_kafka.model import SESSION_CATALOG, Column, Dataset, TableDataset
from sac_kafka.model.gaps import NAMED_BY_OPTIONS
from sac_kafka.names.files import Patterns, paths
from sac_kafka.names.openlineage_names import dataset_of
from sac_kafka.plan.streaming import StreamingDataSourceV2ScanRelation, StreamingRelationV2, WriteToMicroBatchDataSource
from sac_kafka.plan.v2_definitions import TruncateTable
from sac_kafka.plan.v2_tables import (
    AsOfTimestamp,
    AsOfVersion,
    DataSourceV2Relation,
    FileTable,
    Identifier,
    NoopTable,
    RowLevelOperationTable,
    Transform,
    V2Table,
)
from sac_kafka.plan.v2_writes import RowLevelWrite, V2Write

_RESERVED = frozenset(
    {"provider", "location", "owner", "comment", "external", "is_managed_location", "table_type", "collation"}
)
"""Properties that Spark reserves for attributes of a table: they are not user properties."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


@reading.register
def _(leaf: DataSourceV2Relation, patterns: Patterns) -> Reading:
    read = v2_reading(leaf, columns(leaf.output), patterns)
    if read is None:
        return Reading(counts=(f"relation not understood: {class_of(leaf.table)}",))
    return read if read.version is not None else replace(read, version=_state(leaf.time_travel))


V2Node = (
    DataSourceV2Relation
    | V2Write
    | RowLevelWrite
    | WriteToMicroBatchDataSource
    | StreamingDataSourceV2ScanRelation
    | StreamingRelationV2
    | TruncateTable
)
"""Nodes with a table of a V2 source and its identifier in a catalog."""


def _state(time_travel: object) -> str | None:
    """Describe the state of a table requested by VERSION AS OF or TIMESTAMP AS OF."""
    if isinstance(time_travel, AsOfVersion):
        return f"version {time_travel.version}"
    if isinstance(time_travel, AsOfTimestamp):
        at = datetime.fromtimestamp(time_travel.timestamp / 1_000_000, timezone.utc)
        return f"timestamp {at:%Y-%m-%d %H:%M:%S} UTC"
    return None


def v2_reading(node: V2Node, schema: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """Identify the table of a V2 source that is read or written; None if it cannot be identified.

    In order of precedence, the table is identified by its system, by its name in a catalog, and by its options.
    """
    table, table_class = _table(node.table), class_of(node.table)
    known = relation_reading(node.table, schema, patterns) or system_reading(table, node, schema)
    if known is not None:
        return known
    given: Mapping[str, str] = getattr(node, "options", None) or {}
    options = {**((table and table.own_options) or {}), **given}
    own = own_name_of(table.properties) if table is not None else None
    dataset = external_dataset(table_class, options, schema)
    if dataset is None and own is not None:
        dataset = dataset_of(own, schema, patterns)
    dataset = dataset or named_dataset(node.catalog, node.identifier, node.table, schema, patterns)
    if dataset is not None:
        return reading_of(dataset)
    path, name = given.get("path"), table.name if table is not None else ""
    named = python_source_dataset(table_class, name, path, schema) if path else None
    if named is not None:
        return Reading(datasets=(named,), counts=(f"{NAMED_BY_OPTIONS}{table_class}",))
    if path and not path_is_a_name(table_class):
        return Reading(datasets=paths((path,), _provider(node.table) or "", schema, patterns))
    return reading_by_options(table_class, options, schema, name)


@singledispatch
def system_reading(table: object, node: V2Node, schema: tuple[Column, ...]) -> Reading | None:
    """Identify a table of a system with special table names (such as Iceberg's branches); None if the name is an ordinary one."""
    del table, node, schema
    return None


def named_dataset(
    catalog: str | None,
    identifier: Identifier | None,
    table: object,
    schema: tuple[Column, ...] = (),
    patterns: Patterns = (),
) -> Dataset | None:
    """Return the table that an identifier names in a catalog, or the path that it contains; None without an identifier."""
    if identifier is None:
        return None
    path = path_of(identifier)
    if path is not None:
        return paths((_location(table) or path,), _provider(table) or "", schema, patterns)[0]
    bare = named_table(catalog, identifier)
    described = described_table(bare, _table(table)) if _table(table) is not None else bare
    return described if described.columns else replace(described, columns=schema)


def _location(known: object) -> str | None:
    """Return the location that a table states; None if it has no scheme."""
    table = _table(known)
    location = None if table is None else table.all_properties.get("location")
    return location if location and _SCHEME.match(location) else None


def path_of(identifier: Identifier) -> str | None:
    """Return the qualified path in an identifier such as ``delta.`/data/t` ``; None if it is a name."""
    return identifier.path or (identifier.name.rstrip("/") if "/" in identifier.name else None)


def named_table(catalog: str | None, identifier: Identifier) -> TableDataset:
    """Return a table of which only the name is known; the levels of its namespace are joined by dots."""
    return TableDataset(
        catalog=None if catalog in (None, SESSION_CATALOG) else catalog,
        database=namespace_name(identifier.namespace),
        name=identifier.name,
    )


def namespace_name(namespace: Sequence[str]) -> str:
    """Return a namespace as the name of a database: its levels joined by dots, `default` if it has none."""
    return ".".join(namespace) or "default"


def described_table(bare: TableDataset, known: V2Table | None) -> TableDataset:
    """Return the table with the attributes that its connector reports."""
    if known is None:
        return bare
    properties = known.all_properties
    return replace(
        bare,
        provider=properties.get("provider"),
        location=properties.get("location"),
        owner=properties.get("owner"),
        comment=properties.get("comment"),
        partition_columns=partition_columns(known.partitioning),
        columns=tuple(map(described_column, known.columns)),
        properties=user_properties(properties),
    )


def user_properties(properties: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the user properties, sorted, without those that Spark reserves."""
    return tuple(sorted((key, value) for key, value in properties.items() if key not in _RESERVED))


def partition_columns(partitioning: Sequence[Transform]) -> tuple[str, ...]:
    """Return the columns that a table is partitioned by directly, without those within a partition transform."""
    return tuple(
        ".".join(reference.field_names)
        for transform in partitioning
        if transform.name == "identity"
        for reference in transform.references
    )


@relation_reading.register
def _(operation: RowLevelOperationTable, schema: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    return relation_reading(operation.table, schema, patterns)


@relation_reading.register
def _(files: FileTable, schema: tuple[Column, ...], patterns: Patterns) -> Reading:
    return Reading(datasets=paths(files.root_paths, files.format_name.lower(), schema, patterns))


@relation_reading.register
def _(_found: NoopTable, _schema: tuple[Column, ...], _patterns: Patterns) -> Reading:
    return Reading()


def class_of(known: object) -> str:
    """Return the fully qualified class name of a table."""
    table = _table(known)
    return table.table_class if table is not None else type(known).__name__


def _table(known: object) -> V2Table | None:
    if isinstance(known, RowLevelOperationTable):
        return known.table
    return known if isinstance(known, V2Table) else None


def _provider(known: object) -> str | None:
    """Return a table's provider, else its name (for a Python data source), else the simple name of its class."""
    table = _table(known)
    if table is None:
        return None
    return table.all_properties.get("provider") or table.name or table.table_class.rpartition(".")[2]
