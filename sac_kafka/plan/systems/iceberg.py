"""Tables and commands of Apache Iceberg."""

from __future__ import annotations

from sac_kafka.plan.commands_without_write import CommandWithoutWrite, classes_in
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.v2_definitions import DropTable
from sac_kafka.plan.v2_tables import Identifier, V2Table
from sac_kafka.plan.v2_views import V2ViewCommand

_I = "org.apache.iceberg"
_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_I}.BaseMetadataTable")
class IcebergMetadata:
    """What Iceberg knows of a table: its snapshots, files, manifests …."""

    name: str


@spark_class(f"{_I}.spark.source.SparkTable")
class IcebergTable(V2Table):
    """A table, or what Iceberg knows of one (`origin` is `IcebergMetadata`).

    `snapshot_id` is there where the query asks for one; since Spark 4, where tables have a `version`, always. `branch` is not
    there for `main`. `name` has the catalog's name in front; of a table that only its path names it is the path.
    """

    origin: IcebergMetadata | None = accessor("table")
    snapshot_id: int | None
    branch: str | None
    version: str | None = accessor("version|@none")
    lies_at: str | None = accessor("table.location.@asPath", default=None)


@spark_class(f"{_I}.spark.source.SparkChangelogTable")
class IcebergChanges(V2Table):
    """The changes of a table's rows, beside the table's own columns what happened to each."""


@spark_class(f"{_I}.spark.source.SparkRewriteTable")
class IcebergRewrite(V2Table):
    """A table whose files a procedure writes anew as they are (Spark 4)."""


@spark_class(f"{_I}.spark.PathIdentifier")
class PathIdentifier(Identifier):
    """A table by its directory, qualified; behind `#` a state of it, or what Iceberg knows of it."""

    location: str = accessor("location.@asPath")


@spark_class(
    *classes_in(
        _L,
        """
        AddPartitionField Call CreateOrReplaceBranch CreateOrReplaceTag DropBranch DropIdentifierFields DropPartitionField
        DropTag ReplacePartitionField SetIdentifierFields SetWriteDistributionAndOrdering views.ShowIcebergViews
        """,
    )
)
class IcebergCommand(CommandWithoutWrite):
    """Procedures, and changes of a table that neither its rows nor its columns show."""


@spark_class(f"{_L}.views.CreateIcebergView")
class CreateIcebergView(V2ViewCommand):
    """CREATE VIEW; with `allow_existing` (IF NOT EXISTS) nothing may have happened."""

    aliases: tuple[str, ...] = accessor("columnAliases")
    allow_existing: bool

    @property
    def names(self) -> tuple[str, ...]:
        """As of every such command."""
        return self.aliases

    @property
    def may_exist(self) -> bool:
        """As of every such command."""
        return self.allow_existing


@spark_class(f"{_L}.views.DropIcebergView")
class DropIcebergView(DropTable):
    """DROP VIEW."""
