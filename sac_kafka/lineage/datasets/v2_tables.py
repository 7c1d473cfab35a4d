"""From tables of V2 sources and catalogs to datasets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import singledispatch

from sac_kafka.lineage.datasets.files import Patterns, paths
from sac_kafka.lineage.datasets.leaves import reading, relation_reading
from sac_kafka.lineage.datasets.own_names import own_dataset, own_name_of
from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.sources import NAMED_BY_OPTIONS, dataset_elsewhere, path_is_a_name, reading_by_options
from sac_kafka.lineage.datasets.systems.others import of_python
from sac_kafka.lineage.datasets.tables import SESSION_CATALOG, columns
from sac_kafka.lineage.model import Column, Dataset, TableDataset
from sac_kafka.plan.streaming import WriteToMicroBatchDataSource
from sac_kafka.plan.streaming_sources import StreamingDataSourceV2ScanRelation, StreamingRelationV2
from sac_kafka.plan.v2_tables import (
    AsOfTimestamp,
    AsOfVersion,
    DataSourceV2Relation,
    FileTable,
    Identifier,
    NoopTable,
    RowLevelOperationTable,
    Transform,
    V2Column,
    V2Table,
)
from sac_kafka.plan.v2_writes import RowLevelWrite, V2Write

_DESCRIBED = ("provider", "location", "owner", "comment")
"""Properties that Spark reserves for what a table is; they are no properties of the user's."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_RESERVED = frozenset({*_DESCRIBED, "external", "is_managed_location", "table_type", "collation"})


@reading.register
def _(leaf: DataSourceV2Relation, patterns: Patterns) -> Reading:
    found = v2_reading(leaf, columns(leaf.output), patterns)
    if found is None:
        return Reading(counts=(f"relation not understood: {class_of(leaf.table)}",))
    return found if found.version is not None else replace(found, version=_state(leaf.time_travel))


V2Node = (
    DataSourceV2Relation
    | V2Write
    | RowLevelWrite
    | WriteToMicroBatchDataSource
    | StreamingDataSourceV2ScanRelation
    | StreamingRelationV2
)
"""What has a table of a V2 source, and what its catalog calls it."""


def _state(asked: object) -> str | None:
    """In words, which state of a table VERSION or TIMESTAMP AS OF ask for."""
    if isinstance(asked, AsOfVersion):
        return f"version {asked.version}"
    if isinstance(asked, AsOfTimestamp):
        at = datetime.fromtimestamp(asked.timestamp / 1_000_000, timezone.utc)
        return f"timestamp {at:%Y-%m-%d %H:%M:%S} UTC"
    return None


def v2_reading(
    of: V2Node,
    shown: tuple[Column, ...],
    patterns: Patterns,
) -> Reading | None:
    """What the table of a V2 source is that is read or written; None where nothing says so.

    Its system says most; then what its catalog calls it; then where its options lead.
    """
    found = relation_reading(of.table, shown, patterns)
    if found is None:
        found = system_reading(_table(of.table), of, shown)
    if found is not None:
        return found
    table = _table(of.table)
    given: Mapping[str, str] = getattr(of, "options", None) or {}
    options = {**((table and table.own_options) or {}), **given}
    own = own_name_of(table.properties) if table is not None else None
    dataset = dataset_elsewhere(class_of(of.table), options, shown)
    if dataset is None and own is not None:
        dataset = own_dataset(own, shown, patterns)
    dataset = dataset or named_dataset(of.catalog, of.identifier, of.table, shown, patterns)
    if dataset is not None:
        return reading_of(dataset)
    path = given.get("path")
    if (
        path
        and (named := of_python(class_of(of.table), table.name if table is not None else "", path, shown)) is not None
    ):
        return Reading(datasets=(named,), counts=(f"{NAMED_BY_OPTIONS}{class_of(of.table)}",))
    if path and not path_is_a_name(class_of(of.table)):
        return Reading(datasets=paths((path,), _provider(of.table) or "", shown, patterns))
    return reading_by_options(class_of(of.table), options, shown, table.name if table is not None else "")


@singledispatch
def system_reading(
    found: object,
    of: V2Node,
    shown: tuple[Column, ...],
) -> Reading | None:
    """What a table is to a system whose catalogs have more than its tables under names; None where the catalog's name is all."""
    del found, of, shown
    return None


def named_dataset(
    catalog: str | None,
    identifier: Identifier | None,
    found: object,
    shown: tuple[Column, ...] = (),
    patterns: Patterns = (),
) -> Dataset | None:
    """The table that a catalog has under a name, or the path that the name is; None where there is no name."""
    if identifier is None:
        return None
    path = path_of(identifier)
    if path is not None:
        return paths((_location(found) or path,), _provider(found) or "", shown, patterns)[0]
    bare = named_table(catalog, identifier)
    described = described_table(bare, _table(found)) if _table(found) is not None else bare
    return described if described.columns else replace(described, columns=shown)


def _location(found: object) -> str | None:
    """Return the location that a table states; None if it has no scheme."""
    table = _table(found)
    location = None if table is None else table.described.get("location")
    return location if location and _SCHEME.match(location) else None


def path_of(identifier: Identifier) -> str | None:
    """Return the qualified path that an identifier is, as in ``delta.`/data/t` ``; None where it is a name."""
    return identifier.path or (identifier.name.rstrip("/") if "/" in identifier.name else None)


def named_table(catalog: str | None, identifier: Identifier) -> TableDataset:
    """A table of which only the name is known; the levels of its namespace are joined by dots."""
    return TableDataset(
        catalog=None if catalog in (None, SESSION_CATALOG) else catalog,
        database=namespace_name(identifier.namespace),
        name=identifier.name,
    )


def namespace_name(namespace: Sequence[str]) -> str:
    """The name of a namespace as a database: its levels joined by dots, `default` where there is none."""
    return ".".join(namespace) or "default"


def described_table(bare: TableDataset, found: V2Table | None) -> TableDataset:
    """The table with what its connector says of it."""
    if found is None:
        return bare
    properties = found.described
    return replace(
        bare,
        provider=properties.get("provider"),
        location=properties.get("location"),
        owner=properties.get("owner"),
        comment=properties.get("comment"),
        partition_columns=partition_columns(found.partitioning),
        columns=tuple(map(table_column, found.columns)),
        properties=user_properties(properties),
    )


def user_properties(properties: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The properties that are the user's own, sorted."""
    return tuple(sorted((key, value) for key, value in properties.items() if key not in _RESERVED))


def partition_columns(partitioning: Sequence[Transform]) -> tuple[str, ...]:
    """The columns that a table is partitioned by as they are; not those that a function divides."""
    return tuple(
        ".".join(reference.field_names)
        for transform in partitioning
        if transform.name == "identity"
        for reference in transform.references
    )


def table_column(column: V2Column) -> Column:
    """A column as the connector shows it."""
    return Column(name=column.name, type=column.type, nullable=column.nullable, comment=column.comment)


@relation_reading.register
def _(found: RowLevelOperationTable, of: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    return relation_reading(found.table, of, patterns)


@relation_reading.register
def _(found: FileTable, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    return Reading(datasets=paths(found.root_paths, found.format_name.lower(), of, patterns))


@relation_reading.register
def _(found: NoopTable, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    del found, of, patterns
    return Reading()


def class_of(found: object) -> str:
    """The full name of the class of a table."""
    table = _table(found)
    return table.table_class if table is not None else type(found).__name__


def _table(found: object) -> V2Table | None:
    if isinstance(found, RowLevelOperationTable):
        return found.table
    return found if isinstance(found, V2Table) else None


def _provider(found: object) -> str | None:
    """What a table says it is of; without that, the name of a data source (Python's) or of the class of its tables."""
    table = _table(found)
    if table is None:
        return None
    return table.described.get("provider") or table.name or table.table_class.rpartition(".")[2]
