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


def table(catalog_table: CatalogTable, with_columns: tuple[Column, ...] = ()) -> TableDataset:
    """Return a table of the session catalog, or of the catalog in its identifier.

    The columns of a plan get the comments of the catalog, which plans lack.
    """
    comments = {f.name: f.comment for f in catalog_table.fields if f.comment is not None} if with_columns else {}
    if comments:
        with_columns = tuple(replace(c, comment=comments.get(c.name)) for c in with_columns)
    return replace(
        table_by_name(catalog_table.identifier),
        provider=catalog_table.provider,
        table_type=catalog_table.table_type,
        owner=catalog_table.owner or None,
        created_ms=catalog_table.create_time if catalog_table.create_time > 0 else None,
        comment=catalog_table.comment,
        location=catalog_table.storage.location,
        input_format=catalog_table.storage.input_format,
        output_format=catalog_table.storage.output_format,
        serde=catalog_table.storage.serde,
        compressed=catalog_table.storage.compressed,
        partition_columns=catalog_table.partition_column_names,
        columns=with_columns or tuple(map(described_column, catalog_table.fields)),
        properties=tuple(sorted((catalog_table.properties or {}).items())),
        view_text=catalog_table.view_text,
    )


def catalog_dataset(catalog_table: CatalogTable, with_columns: tuple[Column, ...] = ()) -> Dataset:
    """Return the dataset of a catalog table: the table itself, or the external dataset of which it is an alias."""
    options = catalog_table.storage.properties or {}
    external = external_dataset(
        catalog_table.provider, options, with_columns or tuple(map(described_column, catalog_table.fields))
    )
    return table(catalog_table, with_columns) if external is None else external


def described_column(field: StructField | ColumnDefinition | V2Column) -> Column:
    """Return a column as a catalog, a statement or a connector describes it."""
    return Column(name=field.name, type=field.type, nullable=field.nullable, comment=field.comment)


def database(catalog_database: CatalogDatabase) -> Database:
    """Return a database of the session catalog, which stores the owner among the properties."""
    properties = dict(catalog_database.properties or {})
    owner = properties.pop("owner", None)
    return Database(
        name=catalog_database.name,
        location=catalog_database.location,
        comment=catalog_database.description or None,
        owner=owner or None,
        properties=tuple(sorted(properties.items())),
    )


def is_hidden(attribute: Attribute) -> bool:
    """Return True for `_metadata`, the file metadata that Spark's file sources add: it is not a column of the data."""
    return attribute.name == "_metadata" and attribute.type.startswith("struct<file_path:string,")


def columns(attributes: Sequence[Attribute]) -> tuple[Column, ...]:
    """Return the columns of a leaf or command."""
    return tuple(Column(name=a.name, type=a.type, nullable=a.nullable) for a in attributes)
