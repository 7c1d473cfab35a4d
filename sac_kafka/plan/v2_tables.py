"""Declare tables of V2 connectors and catalogs, the leaves that read them, and commands that define views (Spark 4.3).

The interfaces are those of `org.apache.spark.sql.connector.catalog`. Views of a `ViewCatalog` are defined by other commands than
those of the session catalog; a query over one contains it as any other view (`operators.View`).
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import USER_PROPERTIES
from sac_kafka.plan.commands import ViewColumn
from sac_kafka.plan.declaration import accessor, base, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.options import TABLE_OPTIONS

_CONNECTOR = "org.apache.spark.sql.connector"
_V2 = "org.apache.spark.sql.execution.datasources.v2"


@spark_class(f"{_CONNECTOR}.catalog.Identifier")
class Identifier:
    """The name of a table within its catalog; `path` is the name if it is a path, qualified."""

    namespace: tuple[str, ...]
    name: str
    path: str | None = accessor("name.@asPath", default=None)


@spark_class(f"{_CONNECTOR}.catalog.Column")
class V2Column:
    """A column of a table; `type` is `DataType.catalogString`."""

    name: str
    type: str = accessor("dataType")
    nullable: bool
    comment: str | None


@spark_class(f"{_CONNECTOR}.expressions.NamedReference")
class NamedReference:
    """A column in a transform, by the parts of its name."""

    field_names: tuple[str, ...]


@spark_class(f"{_CONNECTOR}.expressions.Transform")
class Transform:
    """A partitioning of a table; `name` is `identity` for a plain column, else the function (bucket, days)."""

    name: str
    references: tuple[NamedReference, ...]


@spark_class(f"{_CONNECTOR}.catalog.Table")
class V2Table:
    """A table as its connector describes it; `properties` are the user's, with provider, location, owner and comment.

    `own_options` are those of its options that name datasets.
    """

    table_class: str = accessor("getClass")
    name: str
    columns: tuple[V2Column, ...]
    partitioning: tuple[Transform, ...]
    properties: Mapping[str, str] | None = accessor("properties", keys=USER_PROPERTIES)
    own_options: Mapping[str, str] | None = accessor("@ownOptions", keys=TABLE_OPTIONS, default=None)

    @property
    def all_properties(self) -> Mapping[str, str]:
        """The properties, including those reserved by Spark: provider, location, owner, comment."""
        return self.properties or {}


@spark_class(f"{_CONNECTOR}.write.RowLevelOperationTable")
class RowLevelOperationTable:
    """The table that a DELETE, UPDATE or MERGE (`command`) changes, also where it is read for that."""

    table: V2Table
    command: str = accessor("operation.command")


@spark_class(f"{_V2}.FileTable")
class FileTable:
    """Files below some root paths, read by a V2 source; `format_name` is PARQUET, CSV …."""

    root_paths: tuple[str, ...] = accessor("fileIndex.rootPaths")
    format_name: str


@spark_class("org.apache.spark.sql.execution.datasources.noop.NoopTable$")
class NoopTable:
    """The sink that discards rows (`noop`)."""


@spark_class("org.apache.spark.sql.catalyst.analysis.AsOfVersion")
class AsOfVersion:
    """VERSION AS OF; also the name of a tag or branch, if the source has these."""

    version: str


@spark_class("org.apache.spark.sql.catalyst.analysis.AsOfTimestamp")
class AsOfTimestamp:
    """TIMESTAMP AS OF, in epoch microseconds."""

    timestamp: int


@spark_class(f"{_V2}.DataSourceV2Relation")
class DataSourceV2Relation(LogicalPlan):
    """A V2 source; `catalog` and `identifier` are set if the table was found in a catalog.

    `time_travel` is the requested version (Spark 4).
    """

    table: object
    catalog: str | None = accessor("catalog.name")
    identifier: Identifier | None
    options: Mapping[str, str] | None = accessor("options", keys=TABLE_OPTIONS)
    output: tuple[Attribute, ...]
    time_travel: AsOfVersion | AsOfTimestamp | None = accessor("timeTravelSpec|@none", default=None)

    @property
    def is_own_target(self) -> bool:
        """Whether a row-level command reads the table that it changes."""
        return isinstance(self.table, RowLevelOperationTable)


@spark_class(f"{_V2}.DataSourceV2ScanRelation")
class DataSourceV2ScanRelation(LogicalPlan):
    """A V2 source whose scan has been built; its child is the relation."""

    relation: LogicalPlan
    output: tuple[Attribute, ...]


_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class()
class V2ViewCommand(LogicalPlan):
    """A command that defines the query of a view; its `names` may rename the query's columns.

    With `allow_existing` (IF NOT EXISTS) it may have had no effect.
    """

    catalog: str | None = accessor("child.catalog.name", default=None)
    catalog_class: str | None = accessor("child.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("child.identifier", default=None)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())
    allow_existing: bool = base(False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the statement gives the view's columns; empty if they are the query's."""
        return ()


@spark_class(f"{_L}.CreateView")
class CreateV2View(V2ViewCommand):
    """CREATE VIEW."""

    columns: tuple[ViewColumn, ...] = accessor("userSpecifiedColumns", default=())
    allow_existing: bool = accessor("allowExisting", default=False)

    @property
    def names(self) -> tuple[str, ...]:
        """As in `V2ViewCommand`."""
        return tuple(column.name for column in self.columns)


@spark_class(f"{_L}.AlterViewAs")
class AlterV2ViewAs(V2ViewCommand):
    """ALTER VIEW … AS."""
