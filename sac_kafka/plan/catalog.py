"""Declare definitions of tables and databases, and the events of the session catalog.

The events (`org.apache.spark.sql.catalyst.catalog.ExternalCatalogEvent`) contain names only. The listener looks the definition
up in the catalog when it projects the event: it is None if the table or database no longer exists by then, or if lookups are
disabled (a remote metastore). Events that drop or rename have `is_looked_up` instead, so that a recorded batch shows whether
lookups were enabled.
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.options import SOURCE_OPTIONS

_C = "org.apache.spark.sql.catalyst"

USER_PROPERTIES = (
    "*",
    "-spark.sql.",
    "-view.",
    "-metric_view.",
    "-option.",
    "-transient_lastDdlTime",
    "-numFiles",
    "-numRows",
    "-rawDataSize",
    "-totalSize",
    "-COLUMN_STATS_ACCURATE",
    "-EXTERNAL",
    "-TRANSLATED_TO_EXTERNAL",
    "-bucketing_version",
    "-current-snapshot-id",
    "-delta.feature.",
    "-delta.lastCommitTimestamp",
    "-delta.lastUpdateVersion",
    "-delta.minReaderVersion",
    "-delta.minWriterVersion",
    "-delta.columnMapping.maxColumnId",
)
"""Properties of tables and databases, without those that Spark, the metastore or Delta set or that every write changes."""


@spark_class(f"{_C}.TableIdentifier")
class TableIdentifier:
    """The name of a table; `catalog` and `database` are None if the statement does not state them."""

    table: str
    database: str | None
    catalog: str | None


@spark_class(f"{_C}.catalog.CatalogStorageFormat")
class CatalogStorageFormat:
    """Location and file format of a table. `location` is in the form of Hadoop's `Path.toString`.

    `properties` are limited to the options that name a dataset of another system.
    """

    location: str | None = accessor("locationUri")
    input_format: str | None
    output_format: str | None
    serde: str | None
    compressed: bool
    properties: Mapping[str, str] | None = accessor("properties", keys=SOURCE_OPTIONS, default=None)


@spark_class("org.apache.spark.sql.types.StructField")
class StructField:
    """A column of a schema; `type` is `DataType.catalogString`."""

    name: str
    type: str = accessor("dataType")
    nullable: bool
    comment: str | None = accessor("getComment", default=None)


@spark_class(f"{_C}.catalog.CatalogTable")
class CatalogTable:
    """A table or view of the session catalog. `create_time` is in epoch milliseconds.

    `view_text` is the SQL text of a view, masked like the text of a statement; the YAML of a metric view is not projected.
    """

    identifier: TableIdentifier
    table_type: str = accessor("tableType.name")
    provider: str | None
    owner: str
    create_time: int
    comment: str | None
    storage: CatalogStorageFormat
    fields: tuple[StructField, ...] = accessor("schema.fields")
    partition_column_names: tuple[str, ...]
    properties: Mapping[str, str] | None = accessor("properties", keys=USER_PROPERTIES, default=None)
    view_text: str | None = accessor("@viewText", default=None)


@spark_class(f"{_C}.catalog.CatalogDatabase")
class CatalogDatabase:
    """A database of the session catalog. `location` in the form of Hadoop's `Path.toString`."""

    name: str
    description: str | None
    location: str | None = accessor("locationUri")
    properties: Mapping[str, str] | None = accessor("properties", keys=USER_PROPERTIES)


@spark_class(f"{_C}.catalog.CreateTableEvent")
class CreateTableEvent:
    """A table or view was created."""

    database: str
    name: str
    definition: CatalogTable | None = accessor("@definition")


@spark_class(f"{_C}.catalog.AlterTableEvent")
class AlterTableEvent:
    """A table or view was altered; `kind` is the altered part: table, dataSchema, schema (Spark 4.3), stats."""

    database: str
    name: str
    kind: str
    definition: CatalogTable | None = accessor("@definition")


@spark_class(f"{_C}.catalog.RenameTableEvent")
class RenameTableEvent:
    """A table or view was renamed within its database; `definition` is that of the new name."""

    database: str
    name: str
    new_name: str
    definition: CatalogTable | None = accessor("@definition")
    is_looked_up: bool = accessor("@isLookedUp")


@spark_class(f"{_C}.catalog.DropTableEvent")
class DropTableEvent:
    """A table or view was dropped."""

    database: str
    name: str
    is_looked_up: bool = accessor("@isLookedUp")


@spark_class(f"{_C}.catalog.CreateDatabaseEvent", f"{_C}.catalog.AlterDatabaseEvent")
class DatabaseEvent:
    """A database was created or altered."""

    database: str
    definition: CatalogDatabase | None = accessor("@definition")


@spark_class(f"{_C}.catalog.DropDatabaseEvent")
class DropDatabaseEvent:
    """A database was dropped with everything in it, for which there are no events."""

    database: str
    is_looked_up: bool = accessor("@isLookedUp")


CatalogEvent = (
    CreateTableEvent | AlterTableEvent | RenameTableEvent | DropTableEvent | DatabaseEvent | DropDatabaseEvent
)
