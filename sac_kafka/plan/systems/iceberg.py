"""Declare tables and commands of Apache Iceberg."""

from __future__ import annotations

from sac_kafka.plan.commands_without_write import CommandWithoutWrite, classes_in
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.v2_definitions import DropTable
from sac_kafka.plan.v2_tables import Identifier, V2Table, V2ViewCommand

_I = "org.apache.iceberg"
_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_I}.BaseMetadataTable")
class IcebergMetadata:
    """A metadata table: snapshots, files, manifests …."""

    name: str


@spark_class(f"{_I}.spark.source.SparkTable")
class IcebergTable(V2Table):
    """A table, or a metadata table (`origin` is `IcebergMetadata`).

    `snapshot_id` is set if the query requests a snapshot; since Spark 4, where tables have a `version`, always. `branch` is
    None for `main`. `name` starts with the catalog's name, or is the path of a table that is read by path.
    """

    origin: IcebergMetadata | None = accessor("table")
    snapshot_id: int | None
    branch: str | None
    version: str | None = accessor("version|@none")
    lies_at: str | None = accessor("table.location.@asPath", default=None)


@spark_class(f"{_I}.spark.source.SparkChangelogTable")
class IcebergChanges(V2Table):
    """The changelog of a table: its columns, and the kind of each change."""


@spark_class(f"{_I}.spark.source.SparkRewriteTable")
class IcebergRewrite(V2Table):
    """A table whose files a procedure rewrites without changing rows (Spark 4)."""


@spark_class(f"{_I}.spark.PathIdentifier")
class PathIdentifier(Identifier):
    """A table by its qualified directory; after `#` a snapshot or the name of a metadata table."""

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
    """Procedures, and changes of a table that affect neither rows nor columns."""


@spark_class("sackafka.ProcedureCall")
class ProcedureCall:
    """A CALL of `snapshot` or `add_files`, which make a table of the files of `source`.

    `table` has the catalog, the namespace and the name; so has `source`, unless it is a directory: then the format and the
    qualified path.
    """

    procedure: str
    source: tuple[str, ...]
    table: tuple[str, ...]


@spark_class(f"{_L}.views.CreateIcebergView")
class CreateIcebergView(V2ViewCommand):
    """CREATE VIEW."""

    aliases: tuple[str, ...] = accessor("columnAliases")
    allow_existing: bool = accessor("allowExisting")

    @property
    def names(self) -> tuple[str, ...]:
        """As in `V2ViewCommand`."""
        return self.aliases


@spark_class(f"{_L}.views.DropIcebergView")
class DropIcebergView(DropTable):
    """DROP VIEW."""
