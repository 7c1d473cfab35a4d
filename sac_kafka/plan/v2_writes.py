"""Commands that write into tables of V2 sources and catalogs."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import USER_PROPERTIES
from sac_kafka.plan.declaration import accessor, base, spark_class
from sac_kafka.plan.expressions import Attribute, Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.options import TABLE_OPTIONS
from sac_kafka.plan.v2_tables import Identifier, Transform

_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_L}.TableSpec")
class TableSpec:
    """What CREATE TABLE says of a table beside its columns."""

    properties: Mapping[str, str] | None = accessor("properties", keys=USER_PROPERTIES)
    provider: str | None
    location: str | None
    comment: str | None


@spark_class(f"{_L}.V2WriteCommand")
class V2Write(LogicalPlan):
    """A write into a table: the query has the table's columns, by position, or (`is_by_name`) under their names.

    The analyzer puts a query by name into the table's order, but not for a table that takes any columns
    (`TableCapability.ACCEPT_ANY_SCHEMA`, as Delta's does): its connector matches them itself.
    By itself an InsertOnlyMerge (Spark 4.3), a MERGE that only inserts.
    """

    table: object = accessor("table.table")
    catalog: str | None = accessor("table.catalog.name")
    identifier: Identifier | None = accessor("table.identifier")
    table_output: tuple[Attribute, ...] = accessor("table.output")
    query: LogicalPlan
    query_output: tuple[Attribute, ...] = accessor("query.output")
    is_by_name: bool = accessor("isByName", default=False)


@spark_class(f"{_L}.AppendData", f"{_L}.OverwritePartitionsDynamic")
class V2WriteWithOptions(V2Write):
    """INSERT, `df.writeTo(…).append()`, `overwritePartitions()`."""

    options: Mapping[str, str] | None = accessor("writeOptions", keys=TABLE_OPTIONS)


@spark_class(f"{_L}.OverwriteByExpression")
class OverwriteByExpression(V2WriteWithOptions):
    """INSERT OVERWRITE, REPLACE WHERE; `replaced` is the condition of the rows that go, a literal for all of them.

    Or for those of the partitions that are written, where a source keeps that to itself (`is_partial`), as Delta does.
    """

    replaced: Expression = accessor("deleteExpr")
    is_partial: bool = accessor("writeOptions.@isPartial", default=False)


@spark_class(f"{_L}.V2CreateTableAsSelectPlan")
class V2CreateTableAsSelect(LogicalPlan):
    """CREATE TABLE, REPLACE TABLE … AS SELECT in a V2 catalog; `path` is the name, qualified, where that is a path.

    `is_partial` where `saveAsTable` replaces the rows of a condition only, or the partitions that it writes.
    """

    catalog: str = accessor("name.catalog.name")
    catalog_class: str = accessor("name.catalog.getClass")
    identifier: Identifier = accessor("name.identifier")
    spec: TableSpec = accessor("tableSpec")
    partitioning: tuple[Transform, ...]
    query: LogicalPlan
    query_output: tuple[Attribute, ...] = accessor("query.output")
    path: str | None = accessor("@path", default=None)
    is_partial: bool = accessor("writeOptions.@isPartial", default=False)


@spark_class(f"{_L}.CreateTableAsSelect")
class CreateTableAsSelect(V2CreateTableAsSelect):
    """CREATE TABLE … AS SELECT; with `ignore_if_exists` nothing may have happened."""

    ignore_if_exists: bool


@spark_class(f"{_L}.RowLevelWrite")
class RowLevelWrite(LogicalPlan):
    """DELETE, UPDATE, MERGE as the analyzer has rewritten them: ReplaceData, WriteDelta.

    The query gives the rows in the order of the table's columns, after a column that says what to do with each.
    """

    table: object = accessor("table.table")
    catalog: str | None = accessor("table.catalog.name")
    identifier: Identifier | None = accessor("table.identifier")
    table_output: tuple[Attribute, ...] = accessor("table.output")
    query: LogicalPlan
    query_output: tuple[Attribute, ...] = accessor("query.output")


@spark_class(f"{_L}.ReplaceData")
class ReplaceData(RowLevelWrite):
    """All rows of what was touched are written anew, those that stay as they are too."""


@spark_class(f"{_L}.MergeRows$Instruction")
class Instruction(Expression):
    """What becomes of a row of a MERGE that meets `condition`: nothing is written of it (Discard)."""

    condition: Expression


@spark_class(f"{_L}.MergeRows$Keep")
class Keep(Instruction):
    """A row is written: changed, inserted, or as it was."""

    output: tuple[Expression, ...]


@spark_class(f"{_L}.MergeRows$Split")
class Split(Instruction):
    """A row goes and another one comes."""

    output: tuple[Expression, ...] = accessor("otherOutput")


@spark_class(f"{_L}.MergeRows")
class MergeRows(LogicalPlan):
    """The rows of a MERGE: its child joins target and source, the instructions say what becomes of each pair.

    `marks_deletions` says that a row that goes is written too, as its id and nulls (WriteDelta). `own` are the columns of the
    target as they are read, where its leaf does not say that it is the target.
    """

    matched: tuple[Expression, ...] = accessor("matchedInstructions")
    not_matched: tuple[Expression, ...] = accessor("notMatchedInstructions")
    not_matched_by_source: tuple[Expression, ...] = accessor("notMatchedBySourceInstructions")
    output: tuple[Attribute, ...]
    marks_deletions: bool = base(False)
    own: tuple[Attribute, ...] = base(())


@spark_class(f"{_L}.Assignment")
class Assignment(Expression):
    """`key = value`; the key is a column of the target, or a field within one."""

    key: Expression
    value: Expression


@spark_class(f"{_L}.MergeAction")
class MergeAction(Expression):
    """A clause of a MERGE; a DELETE has no assignments."""

    condition: Expression | None


@spark_class(f"{_L}.UpdateAction", f"{_L}.InsertAction")
class AssigningAction(MergeAction):
    """UPDATE SET, INSERT."""

    assignments: tuple[Expression, ...]


@spark_class(f"{_L}.MergeIntoTable")
class MergeIntoTable(LogicalPlan):
    """A MERGE that the source runs itself. Children: target, source."""

    condition: Expression = accessor("mergeCondition")
    matched: tuple[Expression, ...] = accessor("matchedActions")
    not_matched: tuple[Expression, ...] = accessor("notMatchedActions")
    not_matched_by_source: tuple[Expression, ...] = accessor("notMatchedBySourceActions")


@spark_class(f"{_L}.UpdateTable")
class UpdateTable(LogicalPlan):
    """An UPDATE that the source runs itself. Child: the target."""

    assignments: tuple[Expression, ...]
    condition: Expression | None


@spark_class(f"{_L}.DeleteFromTable")
class DeleteFromTable(LogicalPlan):
    """A DELETE that the source runs itself. Child: the target."""

    condition: Expression
