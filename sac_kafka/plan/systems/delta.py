"""Declare tables and commands of Delta Lake, in its own packages and in Databricks'.

Only values that are already computed are read: never a snapshot, a log or a lazy value that may load one.
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import USER_PROPERTIES, CatalogTable
from sac_kafka.plan.commands_without_write import CommandWithoutWrite, classes_in
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute, Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_tables import V2Table

_L = "org.apache.spark.sql.catalyst.plans.logical"
_PACKAGES = ("org.apache.spark.sql.delta", "com.databricks.sql.transaction.tahoe")


def _both(*names: str) -> tuple[str, ...]:
    """Return the full names of classes in the packages of Delta Lake and of Databricks."""
    return tuple(f"{package}.{name}" for package in _PACKAGES for name in names)


# ---- read


@spark_class(*_both("files.TahoeFileIndex"))
class TahoeFileIndex:
    """The files of a Delta table; `path` is its directory."""

    path: str


@spark_class(*_both("files.TahoeLogFileIndex"))
class TahoeLogFileIndex(TahoeFileIndex):
    """The files of a version of a table; with `is_time_travel` the query requests a version, which may not be the latest."""

    is_time_travel: bool = accessor("isTimeTravelQuery", default=False)
    version: int = accessor("snapshotAtAnalysis.version", default=-1)


@spark_class(*_both("commands.cdc.CDCReader$DeltaCDFRelation"))
class DeltaChangesRelation:
    """The change data feed of a table between two versions; None for one that the query does not state."""

    path: str = accessor("snapshotWithSchemaMode.snapshot.deltaLog.dataPath")
    from_version: int | None = accessor("startingVersion")
    to_version: int | None = accessor("endingVersion")


@spark_class(*_both("catalog.DeltaTableV2"))
class DeltaTable(V2Table):
    """A table of a catalog, or a path.

    Its own `properties()` starts a Spark job for a clustered table. The metadata of its snapshot has the properties too, and is
    already loaded because the columns of the table are known.
    """

    path: str = accessor("path.@asPath")
    comment: str | None = accessor("initialSnapshot.metadata.description")
    properties: Mapping[str, str] | None = accessor("initialSnapshot.metadata.configuration", keys=USER_PROPERTIES)

    @property
    def all_properties(self) -> Mapping[str, str]:
        """As in `V2Table`; a statement that alters one of these values adds it to the properties."""
        comment = {} if self.comment is None else {"comment": self.comment}
        return {"provider": "delta", "location": self.path, **comment, **(self.properties or {})}


# ---- changed row by row


@spark_class(f"{_L}.DeltaMergeAction")
class DeltaMergeAction(Expression):
    """`target = value` in a clause of a MERGE; `target` has the parts of the column's name."""

    target: tuple[str, ...] = accessor("targetColNameParts")
    value: Expression = accessor("expr")


@spark_class(f"{_L}.DeltaMergeIntoClause")
class DeltaMergeIntoClause(Expression):
    """A clause of a MERGE; DELETE has no actions."""

    condition: Expression | None
    actions: tuple[Expression, ...]


@spark_class(*_both("commands.MergeIntoCommand", "commands.MergeIntoCommandEdge"))
class DeltaMergeIntoCommand(LogicalPlan):
    """MERGE, in SQL or by `DeltaTable`. Children: target, source."""

    target: LogicalPlan
    source: LogicalPlan
    target_output: tuple[Attribute, ...] = accessor("target.output")
    condition: Expression
    matched: tuple[Expression, ...] = accessor("matchedClauses")
    not_matched: tuple[Expression, ...] = accessor("notMatchedClauses")
    not_matched_by_source: tuple[Expression, ...] = accessor("notMatchedBySourceClauses")


@spark_class(*_both("commands.UpdateCommand", "commands.UpdateCommandEdge"))
class DeltaUpdateCommand(LogicalPlan):
    """UPDATE, in SQL or by `DeltaTable`: a value for each column of the target, its own if not assigned."""

    target: LogicalPlan
    target_output: tuple[Attribute, ...] = accessor("target.output")
    values: tuple[Expression, ...] = accessor("updateExpressions")
    condition: Expression | None


@spark_class(*_both("commands.DeleteCommand", "commands.DeleteCommandEdge"))
class DeltaDeleteCommand(LogicalPlan):
    """DELETE, in SQL or by `DeltaTable`; without a condition it deletes all rows."""

    target: LogicalPlan
    condition: Expression | None


# ---- no rows


_LOOKING_AFTER = """
    AlterDeltaTableCommand ConvertToDeltaCommand ConvertToDeltaCommandBase DeltaGenerateCommand DeltaReorgTableCommand
    DescribeDeltaDetailCommand DescribeDeltaHistoryCommand OptimizeTableCommand RestoreTableCommand
    ShowDeltaPartitionsCommand ShowDeltaTableColumnsCommand TruncateDeltaTableCommand
"""
_STATEMENTS = """
    AlterColumnSyncIdentity AlterTableAddConstraint AlterTableDropConstraint AlterTableDropFeature SyncIdentity
"""


@spark_class(
    *(name for package in _PACKAGES for name in classes_in(f"{package}.commands", _LOOKING_AFTER)),
    *classes_in(_L, _STATEMENTS),
    "io.delta.tables.execution.VacuumTableCommand",
)
class DeltaCommandWithoutRows(CommandWithoutWrite):
    """A command that maintains a table or restores an earlier version: no rows flow."""


# ---- made of another table


@spark_class(*_both("commands.CreateDeltaTableCommand"))
class CreateDeltaTableCommand(LogicalPlan):
    """CREATE or REPLACE of a table; `is_path` if it has no name. For a clone, the query is a `CloneTableCommand`."""

    table: CatalogTable
    query: LogicalPlan | None = accessor("query")
    is_path: bool = accessor("tableByPath", default=False)


@spark_class(*_both("commands.CloneSource"))
class CloneSource:
    """The source of a clone; `name` is a table, or a directory after its format, as in ``parquet.`/data/t` ``."""

    name: str
    format: str
    catalog_table: CatalogTable | None


@spark_class(*_both("commands.CloneDeltaSource"))
class CloneDeltaSource(CloneSource):
    """A Delta table as the source of a clone; `asked_for` is set if a version is requested."""

    path: str = accessor("dataPath")
    asked_for: object = accessor("timeTravelOpt", default=None)
    version: int | None = accessor("snapshot.version", default=None)


@spark_class(*_both("commands.CloneTableCommand"))
class CloneTableCommand(LogicalPlan):
    """CLONE: a new table with the files of another one."""

    source: object = accessor("sourceTable")
    target_path: str | None = accessor("@path")
