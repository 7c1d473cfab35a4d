"""Declare the nodes between leaves and commands. Others pass on the columns of their children, and are counted."""

from __future__ import annotations

from sac_kafka.plan.catalog import CatalogTable, TableIdentifier
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Alias, Attribute, Cast, Expression
from sac_kafka.plan.nodes import LogicalPlan, SubqueryExpression

_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_L}.Project")
class Project(LogicalPlan):
    """SELECT of named expressions."""

    project_list: tuple[Expression, ...]


@spark_class(f"{_L}.Filter")
class Filter(LogicalPlan):
    """WHERE, HAVING."""

    condition: Expression


@spark_class(f"{_L}.Aggregate")
class Aggregate(LogicalPlan):
    """GROUP BY; `aggregate_expressions` are the output."""

    grouping_expressions: tuple[Expression, ...]
    aggregate_expressions: tuple[Expression, ...]


@spark_class(f"{_L}.Join")
class Join(LogicalPlan):
    """A join; `join_type` is Spark's `JoinType.sql` (INNER, LEFT SEMI, LEFT ANTI …)."""

    join_type: str = accessor("joinType.sql")
    condition: Expression | None


@spark_class(f"{_L}.LateralJoin")
class LateralJoin(LogicalPlan):
    """A join whose right side is a subquery over the left side's columns."""

    right: SubqueryExpression
    condition: Expression | None


@spark_class(f"{_L}.AsOfJoin")
class AsOfJoin(LogicalPlan):
    """`merge_asof` of the pandas API, ASOF JOIN of Spark 4.3: joins the nearest row of the right side."""

    as_of_condition: Expression = accessor("asOfCondition")
    order_expression: Expression = accessor("orderExpression")
    condition: Expression | None
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.NearestByJoin")
class NearestByJoin(LogicalPlan):
    """NEAREST BY of Spark 4.3: joins the best-ranked rows of the right side."""

    ranking_expression: Expression


@spark_class(f"{_L}.Zip")
class Zip(LogicalPlan):
    """The columns of both children side by side, row by row (Spark 4.3)."""


@spark_class(f"{_L}.Union", f"{_L}.SequentialStreamingUnion")
class Union(LogicalPlan):
    """UNION ALL: columns by position, under the ids of the first child. Of commands: a multi-insert of Spark 4."""


@spark_class(f"{_L}.UnionLoop")
class UnionLoop(LogicalPlan):
    """A recursive CTE. Children: the anchor, then the recursion, which reads the rows so far by `UnionLoopRef`."""

    loop_id: int = accessor("id")
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.UnionLoopRef")
class UnionLoopRef(LogicalPlan):
    """The rows that a recursive CTE has produced so far: its columns are the loop's by position."""

    loop_id: int
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.Intersect", f"{_L}.Except")
class SetDifference(LogicalPlan):
    """INTERSECT and EXCEPT: rows of the first child, chosen by the second."""


@spark_class(f"{_L}.Sort")
class Sort(LogicalPlan):
    """ORDER BY, SORT BY."""

    order: tuple[Expression, ...]


@spark_class(f"{_L}.Distinct")
class Distinct(LogicalPlan):
    """DISTINCT: groups by all columns."""


@spark_class(f"{_L}.Deduplicate", f"{_L}.DeduplicateWithinWatermark")
class Deduplicate(LogicalPlan):
    """`dropDuplicates`: groups by some columns."""

    keys: tuple[Expression, ...]


@spark_class(f"{_L}.Window")
class Window(LogicalPlan):
    """The child's columns and the window expressions."""

    window_expressions: tuple[Expression, ...]


@spark_class(f"{_L}.Generate")
class Generate(LogicalPlan):
    """LATERAL VIEW, explode: the child's columns and those of the generator, NULL without elements if `outer`."""

    generator: Expression
    outer: bool = accessor("outer", default=False)
    generator_output: tuple[Attribute, ...]


@spark_class(f"{_L}.AttachDistributedSequence")
class AttachDistributedSequence(LogicalPlan):
    """The default index of the pandas API: a row number, and the child's columns."""

    output: tuple[Attribute, ...]


@spark_class(f"{_L}.Expand")
class Expand(LogicalPlan):
    """ROLLUP, CUBE, GROUPING SETS: every row once per projection."""

    projections: tuple[tuple[Expression, ...], ...]
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.SubqueryAlias")
class SubqueryAlias(LogicalPlan):
    """`(…) AS alias`; for a table or view of a catalog, `qualifier` has the names before it, if the statement states them."""

    alias: str
    qualifier: tuple[str, ...] = accessor("identifier.qualifier", default=())

    @property
    def output(self) -> tuple[Attribute, ...]:
        """The columns of a catalog view that appears in plans as its query only (Iceberg's), with the view's names and types.

        Such a query is below a projection consisting of casts that no statement contains. For anything else, empty.
        """
        made = self.children[0] if len(self.qualifier) > 1 else None
        if not isinstance(made, Project):
            return ()
        shown = tuple(_cast(e) for e in made.project_list)
        return () if None in shown else tuple(a for a in shown if a is not None)


@spark_class(f"{_L}.View")
class View(LogicalPlan):
    """A view around the plan of its query: its columns are the query's by position."""

    identifier: TableIdentifier = accessor("desc.identifier")
    table: CatalogTable | None = accessor("desc", default=None)
    is_temp_view: bool
    output: tuple[Attribute, ...]

    @property
    def is_persisted(self) -> bool:
        """Whether this is a view of a catalog; a temporary one is only a name for its query."""
        return not self.is_temp_view and self.table is not None


@spark_class("org.apache.spark.sql.metricview.logical.ResolvedMetricView")
class MetricView(LogicalPlan):
    """A metric view (Spark 4.3). The output of its child has the dimensions, and source columns for the measures.

    Measures are expressions over source columns in the query around it: no plan shows their names.
    """

    identifier: TableIdentifier | None = accessor("identifier", default=None)

    @property
    def output(self) -> tuple[Attribute, ...]:
        """The dimensions: the analyzer casts each to its type in the catalog."""
        return tuple(a for e in self._project_list if (a := _cast(e)) is not None)

    @property
    def source_columns(self) -> tuple[Attribute, ...]:
        """The source columns under the ids that measures use; they are not columns of the view."""
        return tuple(
            Attribute(expr_id=e.expr_id, name=e.name, type="", nullable=True)
            for e in self._project_list
            if isinstance(e, Alias) and _cast(e) is None
        )

    @property
    def _project_list(self) -> tuple[Expression, ...]:
        made = self.children[0] if self.children else None
        return made.project_list if isinstance(made, Project) else ()


def is_persisted_view(node: LogicalPlan) -> bool:
    """Return whether a node is a catalog view with its definition below it."""
    if isinstance(node, MetricView):
        return node.identifier is not None
    return (isinstance(node, View) and node.is_persisted) or (isinstance(node, SubqueryAlias) and bool(node.output))


def _cast(e: Expression) -> Attribute | None:
    """Return the column of `CAST(column AS type) AS name` if the analyzer added the cast; None otherwise."""
    if not isinstance(e, Alias) or not isinstance(cast := e.children[0], Cast) or cast.is_written:
        return None
    return Attribute(expr_id=e.expr_id, name=e.name, type=cast.type, nullable=True)


@spark_class(f"{_L}.WithCTE")
class WithCTE(LogicalPlan):
    """Children: the definitions, then the query that uses them."""


@spark_class(f"{_L}.CTERelationDef")
class CTERelationDef(LogicalPlan):
    """The definition of a common table expression."""

    cte_id: int = accessor("id")


@spark_class(f"{_L}.CTERelationRef")
class CTERelationRef(LogicalPlan):
    """The use of a common table expression: its columns are the definition's by position."""

    cte_id: int
    output: tuple[Attribute, ...]


@spark_class(
    f"{_L}.RepartitionOperation",
    f"{_L}.RebalancePartitions",
    f"{_L}.ResolvedHint",
    f"{_L}.Sample",
    f"{_L}.ReturnAnswer",
    f"{_L}.CollectMetrics",
    f"{_L}.WithWindowDefinition",
    f"{_L}.EventTimeWatermark",
    f"{_L}.UpdateEventTimeWatermarkColumn",
    f"{_L}.LimitAll",
    f"{_L}.SQLFunctionNode",
    "org.apache.spark.sql.catalyst.analysis.SQLFunctionNode",
    "org.apache.spark.sql.catalyst.expressions.PipeOperator",
)
class PassThrough(LogicalPlan):
    """An operator that keeps the child's columns, and its rows, some of them, or another order of them."""


@spark_class(f"{_L}.GlobalLimit", f"{_L}.LocalLimit", f"{_L}.Offset", f"{_L}.Tail")
class Limit(PassThrough):
    """LIMIT, OFFSET, `tail`: at most `rows` of the child's rows."""

    rows: Expression | None = accessor("limitExpr|offsetExpr", default=None)
