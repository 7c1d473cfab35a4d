"""From what Spark reads and writes to datasets: one registered function a kind of leaf or relation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

from sac_kafka.lineage.elsewhere import dataset_elsewhere
from sac_kafka.lineage.hbase import hbase_table
from sac_kafka.lineage.jdbc import name_parts, rdbms_table
from sac_kafka.lineage.kafka import topics, topics_read
from sac_kafka.lineage.model import Column, Database, Dataset, Dependency, PathDataset, TableDataset
from sac_kafka.lineage.paths import root
from sac_kafka.plan.catalog import CatalogDatabase, CatalogTable, StructField, TableIdentifier
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import (
    ForeignQuery,
    HadoopFsRelation,
    HBaseRelation,
    HiveTableRelation,
    JDBCRelation,
    KafkaRelation,
    LogicalRelation,
    RowsWithoutDataset,
)

SESSION_CATALOG = "spark_catalog"

Patterns = tuple[re.Pattern[str], ...]

SourceColumns = Mapping[str, tuple[tuple[str, Dependency], ...]]
"""Columns of a dataset by the name of the column that is made of them, lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a leaf reads.

    Its columns are those of the same name in each of `datasets`, unless `columns` says which columns of the only dataset
    `base` (its key) they are made of; a column that is not there has unknown sources. `counts` are reasons why something
    is missing.
    """

    datasets: tuple[Dataset, ...] = ()
    base: str | None = None
    columns: SourceColumns | None = None
    counts: tuple[str, ...] = ()


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
def relation_reading(relation: object, of: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """What a `BaseRelation` reads; None where it is not understood."""
    del relation, of, patterns
    return None


@relation_reading.register
def _(relation: HadoopFsRelation, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    return Reading(datasets=paths(relation.root_paths, relation.file_format, of, patterns))


@relation_reading.register
def _(relation: KafkaRelation, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    del patterns
    options = relation.options or {}
    names = topics_read(options)
    reasons = () if names else ("topics not known: they are read by a pattern",)
    return Reading(datasets=topics(names, options, of), counts=reasons)


@relation_reading.register
def _(relation: HBaseRelation, of: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    del patterns
    found = hbase_table(relation.options or {}, of)
    return None if found is None else Reading(datasets=(found,))


@relation_reading.register
def _(relation: JDBCRelation, of: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    del patterns
    if relation.table is not None:
        found = rdbms_table(relation.url, name_parts(relation.table), of)
        return None if found is None else Reading(datasets=(found,))
    if relation.query is None:
        return Reading(counts=("query of a JDBC source not understood by Spark's parser",))
    return _foreign(relation.url, relation.query, of)


def _foreign(url: str, query: ForeignQuery, of: tuple[Column, ...]) -> Reading:
    """The tables of a query that the database runs; columns only where its SELECT list says which column is which."""
    made = {c.name.lower(): _made_of(c.name, query.select) for c in of}
    known = {name: sources for name, sources in made.items() if sources is not None} if query.base else {}
    types = {sources[0][0].lower(): c for c in of if (sources := known.get(c.name.lower())) and _is_copy(sources)}
    datasets = []
    base = None
    for name in query.tables:
        shown = (
            tuple(replace(types[k], name=known[types[k].name.lower()][0][0]) for k in types)
            if name == query.base
            else ()
        )
        found = rdbms_table(url, name, shown)
        if found is not None:
            datasets.append(found)
            base = found.key if name == query.base else base
    unknown = [c.name for c in of if c.name.lower() not in known]
    reasons = ("columns not known: they come out of a query that the database runs",) if unknown else ()
    return Reading(datasets=tuple(datasets), base=base, columns=known, counts=reasons)


def _is_copy(sources: Sequence[tuple[str, Dependency]]) -> bool:
    return len(sources) == 1 and sources[0][1] is Dependency.IDENTITY


def _made_of(name: str, select: Sequence[Sequence[str]]) -> tuple[tuple[str, Dependency], ...] | None:
    """The columns of the base table behind a column of a query; None where that is not known."""
    for item in select:
        if item[0].lower() == name.lower() and len(item) > 1:
            use = Dependency.IDENTITY if item[1] == "=" else Dependency.TRANSFORMATION
            return tuple((column, use) for column in item[2:])
    return ((name, Dependency.IDENTITY),) if any(item[0] == "*" for item in select) else None


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
