"""Delta Lake, of its own packages and of Databricks'.

Only what is there already is asked for: never a snapshot, a log or a lazy value that could read one.
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
    """The classes of those names of Delta Lake and of Databricks."""
    return tuple(f"{package}.{name}" for package in _PACKAGES for name in names)


# ---- read


@spark_class(*_both("files.TahoeFileIndex"))
class TahoeFileIndex:
    """The files of a Delta table; `path` is its directory."""

    path: str


@spark_class(*_both("files.TahoeLogFileIndex"))
class TahoeLogFileIndex(TahoeFileIndex):
    """The files of a state of a table; `is_time_travel` where that state was asked for, so that it may not be the newest."""

    is_time_travel: bool = accessor("isTimeTravelQuery", default=False)
    version: int = accessor("snapshotAtAnalysis.version", default=-1)


@spark_class(*_both("commands.cdc.CDCReader$DeltaCDFRelation"))
class DeltaChangesRelation:
    """The change data feed of a table, from a version to another one; None where the query does not say which."""

    path: str = accessor("snapshotWithSchemaMode.snapshot.deltaLog.dataPath")
    from_version: int | None = accessor("startingVersion")
    to_version: int | None = accessor("endingVersion")


@spark_class(*_both("catalog.DeltaTableV2"))
class DeltaTable(V2Table):
    """A table of a catalog, or a path.

    Its own `properties()` starts a Spark job for a clustered table. The metadata of its state has them too, and is there since
    the table's columns were asked for.
    """

    path: str = accessor("path.@asPath")
    comment: str | None = accessor("initialSnapshot.metadata.description")
    properties: Mapping[str, str] | None = accessor("initialSnapshot.metadata.configuration", keys=USER_PROPERTIES)

    @property
    def described(self) -> Mapping[str, str]:
        """As of any table; a statement that alters one of these puts it among the properties."""
        comment = {} if self.comment is None else {"comment": self.comment}
        return {"provider": "delta", "location": self.path, **comment, **(self.properties or {})}


# ---- changed row by row


@spark_class(f"{_L}.DeltaMergeAction")
class DeltaMergeAction(Expression):
    """`target = value` of a clause of a MERGE; `target` are the parts of the column's name."""

    target: tuple[str, ...] = accessor("targetColNameParts")
    value: Expression = accessor("expr")


@spark_class(f"{_L}.DeltaMergeIntoClause")
class DeltaMergeIntoClause(Expression):
    """A clause of a MERGE; one that deletes has no actions."""

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
    """UPDATE, in SQL or by `DeltaTable`: a value for each column of the target, its own where it is not assigned."""

    target: LogicalPlan
    target_output: tuple[Attribute, ...] = accessor("target.output")
    values: tuple[Expression, ...] = accessor("updateExpressions")
    condition: Expression | None


@spark_class(*_both("commands.DeleteCommand", "commands.DeleteCommandEdge"))
class DeltaDeleteCommand(LogicalPlan):
    """DELETE, in SQL or by `DeltaTable`; without a condition all rows go."""

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
    """What looks after a table, or takes it back to what it was: no rows flow."""


# ---- made of another table


@spark_class(*_both("commands.CreateDeltaTableCommand"))
class CreateDeltaTableCommand(LogicalPlan):
    """A table is made or replaced, `is_path` where it has no name; of a clone the query is a `CloneTableCommand`."""

    table: CatalogTable
    query: LogicalPlan | None = accessor("query")
    is_path: bool = accessor("tableByPath", default=False)


@spark_class(*_both("commands.CloneSource"))
class CloneSource:
    """What is cloned: `name` is that of a table, or of a directory after its format, as in ``parquet.`/data/t` ``."""

    name: str
    format: str
    catalog_table: CatalogTable | None


@spark_class(*_both("commands.CloneDeltaSource"))
class CloneDeltaSource(CloneSource):
    """A Delta table; `asked_for` is there where a state of it was."""

    path: str = accessor("dataPath")
    asked_for: object = accessor("timeTravelOpt", default=None)
    version: int | None = accessor("snapshot.version", default=None)


@spark_class(*_both("commands.CloneTableCommand"))
class CloneTableCommand(LogicalPlan):
    """CLONE: a table with the files of another one."""

    source: object = accessor("sourceTable")
    target_path: str | None = accessor("@path")
