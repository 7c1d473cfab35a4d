"""Declare commands that define tables and namespaces of V2 catalogs, which post no events.

Fields have defaults because earlier recorded batches contain these commands without fields.
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import USER_PROPERTIES
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.declaration import accessor, base, spark_class
from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.v2_tables import Identifier, Transform
from sac_kafka.plan.v2_writes import TableSpec

_L = "org.apache.spark.sql.catalyst.plans.logical"

NAMESPACE_PROPERTIES = (*USER_PROPERTIES, "-owner")
"""Properties of a namespace, except those that Spark sets itself."""


@spark_class("org.apache.spark.sql.catalyst.analysis.FieldName")
class FieldName(Expression):
    """A column, or a field within one, by the parts of its name."""

    name: tuple[str, ...]


@spark_class(f"{_L}.QualifiedColType")
class QualifiedColType:
    """A column, or a field within one, that is added. On Spark 4 only, it is an expression."""

    class_name: str = base("")
    children: tuple[Expression, ...] = base(())
    name: tuple[str, ...]
    type: str = accessor("dataType")
    nullable: bool
    comment: str | None


@spark_class(f"{_L}.ColumnDefinition")
class ColumnDefinition(Expression):
    """A column of CREATE TABLE on Spark 4; earlier versions use `StructField`."""

    name: str
    type: str = accessor("dataType")
    nullable: bool
    comment: str | None


@spark_class()
class TableDefinition(CommandWithoutWrite):
    """A command that creates or replaces a table of a catalog."""

    catalog: str | None = accessor("name.catalog.name", default=None)
    catalog_class: str | None = accessor("name.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("name.identifier", default=None)
    columns: tuple[object, ...] = accessor("columns|tableSchema.fields", default=())
    partitioning: tuple[Transform, ...] = accessor("partitioning", default=())
    spec: TableSpec | None = accessor("tableSpec", default=None)


@spark_class(f"{_L}.CreateTable")
class CreateTable(TableDefinition):
    """CREATE TABLE; with `ignore_if_exists` it may have had no effect."""

    ignore_if_exists: bool = accessor("ignoreIfExists", default=False)


@spark_class(f"{_L}.ReplaceTable")
class ReplaceTable(TableDefinition):
    """REPLACE TABLE, CREATE OR REPLACE TABLE."""


@spark_class(f"{_L}.CreateTableLike")
class CreateTableLike(CommandWithoutWrite):
    """CREATE TABLE … LIKE in a V2 catalog (Spark 4.3); the columns are those of another table, or of a view."""

    catalog: str | None = accessor("name.catalog.name", default=None)
    catalog_class: str | None = accessor("name.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("name.identifier", default=None)
    source: object = accessor("source.table|source.info", default=None)
    provider: str | None
    location: str | None
    properties: Mapping[str, str] | None = accessor("properties", keys=USER_PROPERTIES)
    if_not_exists: bool


@spark_class(f"{_L}.DropTable", f"{_L}.DropView")
class DropTable(CommandWithoutWrite):
    """DROP TABLE, DROP VIEW; with `if_exists` it may have had no effect."""

    if_exists: bool = accessor("ifExists", default=False)
    catalog: str | None = accessor("child.catalog.name", default=None)
    catalog_class: str | None = accessor("child.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("child.identifier", default=None)


@spark_class(f"{_L}.RenameTable")
class RenameTable(CommandWithoutWrite):
    """ALTER TABLE, ALTER VIEW … RENAME TO; a new name of one part keeps the namespace.

    For a view (`is_view`), `table` is not set, and the new name may start with the catalog.
    """

    catalog: str | None = accessor("child.catalog.name", default=None)
    catalog_class: str | None = accessor("child.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("child.identifier", default=None)
    table: object = accessor("child.table|@none", default=None)
    new_name: tuple[str, ...]
    is_view: bool = accessor("isView", default=False)


@spark_class()
class TableChange(CommandWithoutWrite):
    """A command that changes a table; `table` may show it before or after the change, depending on the connector."""

    catalog: str | None = accessor("table.catalog.name", default=None)
    catalog_class: str | None = accessor("table.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("table.identifier", default=None)
    table: object = accessor("table.table", default=None)


@spark_class(f"{_L}.TruncateTable")
class TruncateTable(CommandWithoutWrite):
    """TRUNCATE TABLE."""

    catalog: str | None = accessor("table.catalog.name", default=None)
    identifier: Identifier | None = accessor("table.identifier", default=None)
    table: object = accessor("table.table", default=None)


@spark_class(f"{_L}.AddPartitions")
class AddPartitions(CommandWithoutWrite):
    """ADD PARTITION; `locations` are those that the statement gives, each qualified or relative to the table's."""

    catalog: str | None = accessor("table.catalog.name", default=None)
    identifier: Identifier | None = accessor("table.identifier", default=None)
    locations: tuple[str, ...] = accessor("parts.@partitionLocations", default=())


@spark_class(f"{_L}.DropPartitions")
class DropPartitions(CommandWithoutWrite):
    """DROP PARTITION."""

    catalog: str | None = accessor("table.catalog.name", default=None)
    identifier: Identifier | None = accessor("table.identifier", default=None)


@spark_class(f"{_L}.AddColumns")
class AddColumns(TableChange):
    """ADD COLUMNS."""

    columns: tuple[QualifiedColType, ...] = accessor("columnsToAdd")


@spark_class(f"{_L}.ReplaceColumns")
class ReplaceColumns(TableChange):
    """REPLACE COLUMNS."""

    columns: tuple[QualifiedColType, ...] = accessor("columnsToAdd")


@spark_class(f"{_L}.DropColumns")
class DropColumns(TableChange):
    """DROP COLUMNS."""

    columns: tuple[Expression, ...] = accessor("columnsToDrop")


@spark_class(f"{_L}.RenameColumn")
class RenameColumn(TableChange):
    """RENAME COLUMN."""

    column: Expression
    new_name: str


@spark_class(f"{_L}.AlterColumnSpec")
class AlterColumnSpec(Expression):
    """The change of a column; None for what does not change."""

    column: Expression
    type: str | None = accessor("newDataType")
    comment: str | None = accessor("newComment")


@spark_class(f"{_L}.AlterColumns")
class AlterColumns(TableChange):
    """ALTER COLUMN on Spark 4."""

    specs: tuple[Expression, ...]


@spark_class(f"{_L}.AlterColumn")
class AlterColumn(TableChange):
    """ALTER COLUMN up to Spark 3.5; None for what does not change."""

    column: Expression
    type: str | None = accessor("dataType")
    comment: str | None


@spark_class(f"{_L}.SetTableProperties")
class SetTableProperties(TableChange):
    """SET TBLPROPERTIES."""

    properties: Mapping[str, str] | None = accessor("properties", keys=USER_PROPERTIES, default=None)


@spark_class(f"{_L}.UnsetTableProperties")
class UnsetTableProperties(TableChange):
    """UNSET TBLPROPERTIES."""

    keys: tuple[str, ...] = accessor("propertyKeys", default=())


@spark_class(f"{_L}.SetTableLocation")
class SetTableLocation(TableChange):
    """SET LOCATION of a table, or, if `partition_parts` is set, of a partition, whose location is not projected."""

    location: str = accessor("location", default="")
    partition_parts: int | None = accessor("partitionSpec.size", default=None)


@spark_class(f"{_L}.CommentOnTable")
class CommentOnTable(TableChange):
    """COMMENT ON TABLE."""

    comment: str = accessor("comment", default="")


@spark_class(f"{_L}.CreateNamespace")
class CreateNamespace(CommandWithoutWrite):
    """CREATE NAMESPACE; with `if_not_exists` it may have had no effect."""

    catalog: str | None = accessor("name.catalog.name", default=None)
    catalog_class: str | None = accessor("name.catalog.getClass", default=None)
    namespace: tuple[str, ...] = accessor("name.namespace|name.nameParts", default=())
    if_not_exists: bool = accessor("ifNotExists", default=False)
    properties: Mapping[str, str] | None = accessor("properties", keys=NAMESPACE_PROPERTIES, default=None)


@spark_class(f"{_L}.DropNamespace")
class DropNamespace(CommandWithoutWrite):
    """DROP NAMESPACE with everything in it; with `if_exists` it may have had no effect."""

    if_exists: bool = accessor("ifExists", default=False)
    catalog: str | None = accessor("namespace.catalog.name", default=None)
    catalog_class: str | None = accessor("namespace.catalog.getClass", default=None)
    namespace: tuple[str, ...] = accessor("namespace.namespace", default=())
