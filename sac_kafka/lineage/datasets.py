"""From what Spark reads and writes to datasets: one registered function a kind of leaf or relation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch

from sac_kafka.lineage.model import Column, Database, Dataset, PathDataset, TableDataset
from sac_kafka.lineage.paths import root
from sac_kafka.lineage.reading import Reading
from sac_kafka.lineage.sources import dataset_elsewhere, source_reading
from sac_kafka.plan.catalog import CatalogDatabase, CatalogTable, StructField, TableIdentifier
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import (
    HadoopFsRelation,
    HiveTableRelation,
    LogicalRelation,
    RowsWithoutDataset,
)

SESSION_CATALOG = "spark_catalog"

Patterns = tuple[re.Pattern[str], ...]


@singledispatch
def reading(leaf: LogicalPlan, patterns: Patterns) -> Reading | None:
    """What a leaf reads; without datasets where there is none to name, None where the leaf is not understood."""
    del leaf, patterns
    return None


@reading.register
def _(leaf: LogicalRelation, patterns: Patterns) -> Reading | None:
    of = columns([a for a in leaf.output if not is_hidden(a)])
    found = relation_reading(leaf.relation, of, patterns)
    # Files that were read by a table's name are that table; rows that are elsewhere are there, whatever the catalog calls them.
    if leaf.catalog_table is not None and (found is None or isinstance(leaf.relation, HadoopFsRelation)):
        return Reading(datasets=(catalog_dataset(leaf.catalog_table, of),))
    return found


@reading.register
def _(leaf: HiveTableRelation, patterns: Patterns) -> Reading:
    del patterns
    return Reading(datasets=(table(leaf.catalog_table, columns(leaf.output)),))


@reading.register
def _(leaf: RowsWithoutDataset, patterns: Patterns) -> Reading:
    del leaf, patterns
    return Reading()


@singledispatch
def relation_reading(found: object, of: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """What a relation or a table of a source is; None where it is not understood, or known by its catalog's name only."""
    del patterns
    return source_reading(found, of)


@relation_reading.register
def _(found: HadoopFsRelation, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    return Reading(datasets=paths(found.root_paths, found.file_format, of, patterns))


def paths(
    locations: Sequence[str], file_format: str, of: tuple[Column, ...], patterns: Patterns
) -> tuple[PathDataset, ...]:
    """One dataset a root: a glob or a list of dated directories is usually one."""
    by_root: dict[str, list[str]] = {}
    for location in locations:
        by_root.setdefault(root(location, patterns), []).append(location)
    return tuple(
        PathDataset(path=path, format=format_name(file_format), columns=of, locations=tuple(there))
        for path, there in by_root.items()
    )


def format_name(file_format: str) -> str:
    """`parquet`; of the class of a format without a short name its simple name, `org.x.FooFileFormat` → `foo`."""
    return file_format.rpartition(".")[2].removesuffix("FileFormat").lower() or file_format


def named(identifier: TableIdentifier) -> TableDataset:
    """A table of which only the name is known."""
    catalog = identifier.catalog
    return TableDataset(
        catalog=None if catalog in (None, SESSION_CATALOG) else catalog,
        database=identifier.database or "default",
        name=identifier.table,
    )


def table(of: CatalogTable, with_columns: tuple[Column, ...] = ()) -> TableDataset:
    """A table of the session catalog (or of the catalog that its identifier names)."""
    return replace(
        named(of.identifier),
        provider=of.provider,
        table_type=of.table_type,
        owner=of.owner or None,
        created_ms=of.create_time if of.create_time > 0 else None,
        comment=of.comment,
        location=of.storage.location,
        input_format=of.storage.input_format,
        output_format=of.storage.output_format,
        serde=of.storage.serde,
        compressed=of.storage.compressed,
        partition_columns=of.partition_column_names,
        columns=_with_comments(with_columns, of) or tuple(map(_column, of.fields)),
        properties=tuple(sorted((of.properties or {}).items())),
        view_text=of.view_text,
    )


def catalog_dataset(of: CatalogTable, with_columns: tuple[Column, ...] = ()) -> Dataset:
    """What a table of the catalog is: itself, or what it is only a name for."""
    options = of.storage.properties or {}
    elsewhere = dataset_elsewhere(of.provider, options, with_columns or tuple(map(_column, of.fields)))
    return table(of, with_columns) if elsewhere is None else elsewhere


def _column(field: StructField) -> Column:
    return Column(name=field.name, type=field.type, nullable=field.nullable, comment=field.comment)


def _with_comments(shown: tuple[Column, ...], of: CatalogTable) -> tuple[Column, ...]:
    """The columns as a plan shows them, which carry no comments."""
    comments = {f.name: f.comment for f in of.fields if f.comment is not None}
    return tuple(replace(c, comment=comments.get(c.name)) for c in shown) if comments else shown


def database(of: CatalogDatabase) -> Database:
    """A database of the session catalog; the session catalog keeps its owner among the properties."""
    properties = dict(of.properties or {})
    owner = properties.pop("owner", None)
    return Database(
        name=of.name,
        location=of.location,
        comment=of.description or None,
        owner=owner or None,
        properties=tuple(sorted(properties.items())),
    )


def is_hidden(of: Attribute) -> bool:
    """True for what Spark's file sources tell of the file that a row is in (`_metadata`): no column of the data."""
    return of.name == "_metadata" and of.type.startswith("struct<file_path:string,")


def columns(of: Sequence[Attribute]) -> tuple[Column, ...]:
    """The columns that a leaf or command shows."""
    return tuple(Column(name=a.name, type=a.type, nullable=a.nullable) for a in of)
