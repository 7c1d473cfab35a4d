"""Nodes between leaves and commands. What is not declared passes its children's columns through and is counted."""

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
    """`merge_asof` of the pandas API, ASOF JOIN of Spark 4.3: of the right side the row that is nearest."""

    as_of_condition: Expression = accessor("asOfCondition")
    order_expression: Expression = accessor("orderExpression")
    condition: Expression | None
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.NearestByJoin")
class NearestByJoin(LogicalPlan):
    """NEAREST BY of Spark 4.3: the rows of the right side that rank first."""

    ranking_expression: Expression


@spark_class(f"{_L}.Zip")
class Zip(LogicalPlan):
    """The columns of both children side by side, row by row (Spark 4.3)."""


@spark_class(f"{_L}.Union", f"{_L}.SequentialStreamingUnion")
class Union(LogicalPlan):
    """UNION ALL: columns by position, under the ids of the first child. Of commands: a multi-insert of Spark 4."""


@spark_class(f"{_L}.UnionLoop")
class UnionLoop(LogicalPlan):
    """A recursive CTE. Children: the anchor, then the recursion, which reads what is there so far by `UnionLoopRef`."""

    loop_id: int = accessor("id")
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.UnionLoopRef")
class UnionLoopRef(LogicalPlan):
    """What the recursion of a recursive CTE has made so far: its columns are the loop's by position."""

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
    """LATERAL VIEW, explode: the child's columns and those that the generator makes."""

    generator: Expression
    generator_output: tuple[Attribute, ...]


@spark_class(f"{_L}.AttachDistributedSequence")
class AttachDistributedSequence(LogicalPlan):
    """The default index of the pandas API: a number a row, and the child's columns."""

    output: tuple[Attribute, ...]


@spark_class(f"{_L}.Expand")
class Expand(LogicalPlan):
    """ROLLUP, CUBE, GROUPING SETS: every row several times, once a projection."""

    projections: tuple[tuple[Expression, ...], ...]
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.SubqueryAlias")
class SubqueryAlias(LogicalPlan):
    """`(…) AS alias`; of a table or view of a catalog with the names in front of it, where the statement has them."""

    alias: str
    qualifier: tuple[str, ...] = accessor("identifier.qualifier", default=())

    @property
    def output(self) -> tuple[Attribute, ...]:
        """The columns of a view of a catalog that puts only its query into plans (Iceberg's): names and types are the view's.

        Such a query stands below a projection of nothing but casts that no statement has. Of anything else nothing.
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
        """True for a view of a catalog; a temporary one is only a name for its query."""
        return not self.is_temp_view and self.table is not None


@spark_class("org.apache.spark.sql.metricview.logical.ResolvedMetricView")
class MetricView(LogicalPlan):
    """A metric view (Spark 4.3). Its child hands up the columns of the source, for the measures, and the dimensions.

    The measures are part of the query around it, as expressions over columns of the source: no plan shows their names.
    """

    identifier: TableIdentifier | None = accessor("identifier", default=None)

    @property
    def output(self) -> tuple[Attribute, ...]:
        """The dimensions: the analyzer casts each to the type that the catalog has for it."""
        return tuple(a for e in self._made if (a := _cast(e)) is not None)

    @property
    def source_columns(self) -> tuple[Attribute, ...]:
        """The columns of the source under the ids that measures use; they are no columns of the view."""
        return tuple(
            Attribute(expr_id=e.expr_id, name=e.name, type="", nullable=True)
            for e in self._made
            if isinstance(e, Alias) and _cast(e) is None
        )

    @property
    def _made(self) -> tuple[Expression, ...]:
        made = self.children[0] if self.children else None
        return made.project_list if isinstance(made, Project) else ()


def is_persisted_view(node: LogicalPlan) -> bool:
    """True where a node is a view of a catalog, with its definition below it."""
    if isinstance(node, MetricView):
        return node.identifier is not None
    return (isinstance(node, View) and node.is_persisted) or (isinstance(node, SubqueryAlias) and bool(node.output))


def _cast(e: Expression) -> Attribute | None:
    """`CAST(column AS type) AS name`, where the analyzer made the cast."""
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
    """The child's columns and rows, or some of the rows, or in another order."""


@spark_class(f"{_L}.GlobalLimit", f"{_L}.LocalLimit", f"{_L}.Offset", f"{_L}.Tail")
class Limit(PassThrough):
    """LIMIT, OFFSET, `tail`: some of the child's rows, as many as `rows` says."""

    rows: Expression | None = accessor("limitExpr|offsetExpr", default=None)
