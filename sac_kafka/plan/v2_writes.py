"""Declare commands that write into tables of V2 sources and catalogs."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import USER_PROPERTIES
from sac_kafka.plan.declaration import accessor, base, copied, spark_class
from sac_kafka.plan.expressions import Attribute, Expression
from sac_kafka.plan.nodes import LogicalPlan, QueryCommand
from sac_kafka.plan.options import TABLE_OPTIONS
from sac_kafka.plan.v2_tables import Identifier, Transform

_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_L}.TableSpec")
class TableSpec:
    """The properties of a table that CREATE TABLE states apart from its columns."""

    properties: Mapping[str, str] | None = accessor("properties", keys=USER_PROPERTIES)
    provider: str | None
    location: str | None
    comment: str | None


@copied
class TableWrite(LogicalPlan):
    """A command that changes the rows of a table."""

    table: object = accessor("table.table")
    catalog: str | None = accessor("table.catalog.name")
    identifier: Identifier | None = accessor("table.identifier")
    table_output: tuple[Attribute, ...] = accessor("table.output")
    query: LogicalPlan
    query_output: tuple[Attribute, ...] = accessor("query.output")


@spark_class(f"{_L}.V2WriteCommand")
class V2Write(TableWrite):
    """A write into a table; the query matches the table's columns by position, or by name (`is_by_name`).

    The analyzer reorders a query by name to the table's columns, except for tables that accept any columns
    (`TableCapability.ACCEPT_ANY_SCHEMA`, such as Delta's): their connector matches them itself. The class itself is also used for
    an InsertOnlyMerge (Spark 4.3), a MERGE that only inserts.
    """

    is_by_name: bool = accessor("isByName", default=False)


@spark_class(f"{_L}.AppendData")
class V2WriteWithOptions(V2Write):
    """INSERT, `df.writeTo(…).append()`."""

    options: Mapping[str, str] | None = accessor("writeOptions", keys=TABLE_OPTIONS)


@spark_class(f"{_L}.OverwritePartitionsDynamic")
class OverwritePartitionsDynamic(V2WriteWithOptions):
    """INSERT OVERWRITE of the partitions that have new rows, `overwritePartitions()`."""


@spark_class(f"{_L}.OverwriteByExpression")
class OverwriteByExpression(V2WriteWithOptions):
    """INSERT OVERWRITE, REPLACE WHERE; `replaced` is the condition of the replaced rows, a literal for all rows.

    `condition` is the digest of that condition's text. A static partition is such a condition.
    `is_partial`: the source replaces only the written partitions without stating so in the plan, as Delta does.
    """

    replaced: Expression = accessor("deleteExpr")
    condition: int | None = accessor("deleteExpr.sql.hashCode", default=None)
    is_partial: bool = accessor("writeOptions.@isPartial", default=False)


@spark_class(f"{_L}.V2CreateTableAsSelectPlan")
class V2CreateTableAsSelect(QueryCommand):
    """CREATE TABLE, REPLACE TABLE … AS SELECT in a V2 catalog; `path` is the name if it is a path, qualified.

    `is_partial`: `saveAsTable` replaces only rows that match a condition, or the written partitions.
    """

    catalog: str = accessor("name.catalog.name")
    catalog_class: str = accessor("name.catalog.getClass")
    identifier: Identifier = accessor("name.identifier")
    spec: TableSpec = accessor("tableSpec")
    partitioning: tuple[Transform, ...]
    path: str | None = accessor("@path", default=None)
    is_partial: bool = accessor("writeOptions.@isPartial", default=False)


@spark_class(f"{_L}.CreateTableAsSelect")
class CreateTableAsSelect(V2CreateTableAsSelect):
    """CREATE TABLE … AS SELECT; with `ignore_if_exists` it may have had no effect."""

    ignore_if_exists: bool


@spark_class(f"{_L}.RowLevelWrite")
class RowLevelWrite(TableWrite):
    """DELETE, UPDATE, MERGE as rewritten by the analyzer: ReplaceData, WriteDelta.

    The query has the columns of the table in their order, after a column with the operation for each row.
    """


@spark_class(f"{_L}.ReplaceData")
class ReplaceData(RowLevelWrite):
    """A row-level write that rewrites all rows of the affected files, including unchanged ones."""


@spark_class(f"{_L}.MergeRows$Instruction")
class Instruction(Expression):
    """An instruction of a MERGE for rows that match `condition`; by itself it writes nothing (Discard)."""

    condition: Expression


@spark_class(f"{_L}.MergeRows$Keep")
class Keep(Instruction):
    """An instruction that writes a row: changed, inserted, or unchanged."""

    output: tuple[Expression, ...]


@spark_class(f"{_L}.MergeRows$Split")
class Split(Instruction):
    """An instruction that replaces a row by another one."""

    output: tuple[Expression, ...] = accessor("otherOutput")


@spark_class(f"{_L}.MergeRows")
class MergeRows(LogicalPlan):
    """The rows of a MERGE: its child joins target and source, the instructions apply to each pair.

    Attributes:
        marks_deletions: Whether a deleted row is written too, as its id and nulls (WriteDelta).
        own: The columns of the target as they are read, if its leaf is not marked as the target.
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
    """A MERGE that the source executes itself. Children: target, source."""

    condition: Expression = accessor("mergeCondition")
    matched: tuple[Expression, ...] = accessor("matchedActions")
    not_matched: tuple[Expression, ...] = accessor("notMatchedActions")
    not_matched_by_source: tuple[Expression, ...] = accessor("notMatchedBySourceActions")


@spark_class(f"{_L}.UpdateTable")
class UpdateTable(LogicalPlan):
    """An UPDATE that the source executes itself. Child: the target."""

    assignments: tuple[Expression, ...]
    condition: Expression | None


@spark_class(f"{_L}.DeleteFromTable")
class DeleteFromTable(LogicalPlan):
    """A DELETE that the source executes itself. Child: the target."""

    condition: Expression
