"""From what Spark reads and writes to datasets: one registered function a kind of leaf or relation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import singledispatch

from sac_kafka.lineage.model import Column, Dataset, PathDataset, TableDataset
from sac_kafka.lineage.paths import root
from sac_kafka.plan.catalog import CatalogTable
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import HadoopFsRelation, HiveTableRelation, LogicalRelation, RowsWithoutDataset

SESSION_CATALOG = "spark_catalog"

Patterns = tuple[re.Pattern[str], ...]


@singledispatch
def datasets_of(leaf: LogicalPlan, patterns: Patterns) -> tuple[Dataset, ...] | None:
    """The datasets that a leaf reads; () where there is none to name, None where the leaf is not understood."""
    del leaf, patterns
    return None


@datasets_of.register
def _(leaf: LogicalRelation, patterns: Patterns) -> tuple[Dataset, ...] | None:
    if leaf.catalog_table is not None:
        return (table(leaf.catalog_table, columns(leaf.output)),)
    return relation_datasets(leaf.relation, columns(leaf.output), patterns)


@datasets_of.register
def _(leaf: HiveTableRelation, patterns: Patterns) -> tuple[Dataset, ...]:
    del patterns
    return (table(leaf.catalog_table, columns(leaf.output)),)


@datasets_of.register
def _(leaf: RowsWithoutDataset, patterns: Patterns) -> tuple[Dataset, ...]:
    del leaf, patterns
    return ()


@singledispatch
def relation_datasets(relation: object, of: tuple[Column, ...], patterns: Patterns) -> tuple[Dataset, ...] | None:
    """The datasets of a `BaseRelation` that was not read by a table's name."""
    del relation, of, patterns
    return None


@relation_datasets.register
def _(relation: HadoopFsRelation, of: tuple[Column, ...], patterns: Patterns) -> tuple[Dataset, ...]:
    return paths(relation.root_paths, relation.file_format, of, patterns)


def paths(
    locations: Sequence[str], file_format: str, of: tuple[Column, ...], patterns: Patterns
) -> tuple[Dataset, ...]:
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


def table(of: CatalogTable, with_columns: tuple[Column, ...] = ()) -> TableDataset:
    """A table of the session catalog (or of the catalog that its identifier names)."""
    catalog = of.identifier.catalog
    return TableDataset(
        catalog=None if catalog in (None, SESSION_CATALOG) else catalog,
        database=of.identifier.database or "default",
        name=of.identifier.table,
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
        columns=with_columns or tuple(Column(name=f.name, type=f.type, nullable=f.nullable) for f in of.fields),
    )


def columns(of: Sequence[Attribute]) -> tuple[Column, ...]:
    """The columns that a leaf or command shows."""
    return tuple(Column(name=a.name, type=a.type, nullable=a.nullable) for a in of)
