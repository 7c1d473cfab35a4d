"""Create datasets for tables, views and databases of the session catalog, and for the columns that a plan contains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sac_kafka.lineage.datasets.sources import external_dataset
from sac_kafka.model import SESSION_CATALOG, Column, Database, Dataset, TableDataset
from sac_kafka.plan.catalog import CatalogDatabase, CatalogTable, StructField, TableIdentifier
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.v2_definitions import ColumnDefinition
from sac_kafka.plan.v2_tables import V2Column


def table_by_name(identifier: TableIdentifier) -> TableDataset:
    """Return a table of which only the name is known."""
    catalog = identifier.catalog
    return TableDataset(
        catalog=None if catalog in (None, SESSION_CATALOG) else catalog,
        database=identifier.database or "default",
        name=identifier.table,
    )


def table(of: CatalogTable, with_columns: tuple[Column, ...] = ()) -> TableDataset:
    """Return a table of the session catalog, or of the catalog in its identifier."""
    return replace(
        table_by_name(of.identifier),
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
        columns=_with_comments(with_columns, of) or tuple(map(described_column, of.fields)),
        properties=tuple(sorted((of.properties or {}).items())),
        view_text=of.view_text,
    )


def catalog_dataset(of: CatalogTable, with_columns: tuple[Column, ...] = ()) -> Dataset:
    """Return the dataset of a catalog table: the table itself, or the external dataset of which it is an alias."""
    options = of.storage.properties or {}
    external = external_dataset(of.provider, options, with_columns or tuple(map(described_column, of.fields)))
    return table(of, with_columns) if external is None else external


def described_column(field: StructField | ColumnDefinition | V2Column) -> Column:
    """Return a column as a catalog, a statement or a connector describes it."""
    return Column(name=field.name, type=field.type, nullable=field.nullable, comment=field.comment)


def _with_comments(schema: tuple[Column, ...], of: CatalogTable) -> tuple[Column, ...]:
    """Return the plan's columns with the comments of the catalog, which plans lack."""
    comments = {f.name: f.comment for f in of.fields if f.comment is not None}
    return tuple(replace(c, comment=comments.get(c.name)) for c in schema) if comments else schema


def database(of: CatalogDatabase) -> Database:
    """Return a database of the session catalog, which stores the owner among the properties."""
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
    """Return True for `_metadata`, the file metadata that Spark's file sources add: it is not a column of the data."""
    return of.name == "_metadata" and of.type.startswith("struct<file_path:string,")


def columns(of: Sequence[Attribute]) -> tuple[Column, ...]:
    """Return the columns of a leaf or command."""
    return tuple(Column(name=a.name, type=a.type, nullable=a.nullable) for a in of)
