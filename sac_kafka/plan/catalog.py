"""The session catalog's words: `org.apache.spark.sql.catalyst.catalog` and `TableIdentifier`."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class

_C = "org.apache.spark.sql.catalyst"


@spark_class(f"{_C}.TableIdentifier")
class TableIdentifier:
    """The name of a table; `catalog` and `database` are None where the statement left them to the session."""

    table: str
    database: str | None
    catalog: str | None


@spark_class(f"{_C}.catalog.CatalogStorageFormat")
class CatalogStorageFormat:
    """Where and how the data of a table lies. `location` in the form of Hadoop's `Path.toString`."""

    location: str | None = accessor("locationUri")
    input_format: str | None
    output_format: str | None
    serde: str | None
    compressed: bool


@spark_class("org.apache.spark.sql.types.StructField")
class StructField:
    """A column of a schema; `type` is `DataType.catalogString`."""

    name: str
    type: str = accessor("dataType")
    nullable: bool


@spark_class(f"{_C}.catalog.CatalogTable")
class CatalogTable:
    """A table of the session catalog. `create_time` is epoch milliseconds."""

    identifier: TableIdentifier
    table_type: str = accessor("tableType.name")
    provider: str | None
    owner: str
    create_time: int
    comment: str | None
    storage: CatalogStorageFormat
    fields: tuple[StructField, ...] = accessor("schema.fields")
    partition_column_names: tuple[str, ...]
