"""Declare what all logical plans have in common, and walk them without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sac_kafka.plan.declaration import accessor, base, copied, spark_class
from sac_kafka.plan.expressions import Attribute, Expression

NAMESPACE, NAME = "openlineage.dataset.namespace", "openlineage.dataset.name"
"""Properties of a V2 table that hold such a name."""


@spark_class("sackafka.OwnName")
class OwnName:
    """A dataset name in OpenLineage's form (`postgres://db1:5432`, `shop.sales.orders`); `tables` are its symlinks."""

    namespace: str
    name: str
    tables: tuple[OwnName, ...] = ()


@copied
class LogicalPlan:
    """Spark's `org.apache.spark.sql.catalyst.plans.logical.LogicalPlan`.

    Attributes:
        children: The plans that it works on, including those that a command holds in a field.
        subqueries: The plans within its expressions.
        is_command: Whether it is a command.
        columns_cut: Whether its expressions and attributes were omitted because the event was over its budget.
    """

    class_name: str = base("")
    children: tuple[LogicalPlan, ...] = base(())
    subqueries: tuple[LogicalPlan, ...] = base(())
    is_command: bool = base(False)
    columns_cut: bool = base(False)

    @property
    def simple_name(self) -> str:
        """The class without its package."""
        return self.class_name.rpartition(".")[2] or type(self).__name__


@copied
class UnknownPlan(LogicalPlan):
    """A node of a class that is not declared: its columns are those of its children.

    `inputs` and `outputs` are set if it reports itself what it reads and writes; `written` are then its columns.
    """

    expressions: tuple[Expression, ...] = ()
    output: tuple[Attribute, ...] = ()
    inputs: tuple[OwnName, ...] = ()
    outputs: tuple[OwnName, ...] = ()
    written: tuple[Attribute, ...] = ()


@copied
class QueryCommand(LogicalPlan):
    """A command that has the rows of a query."""

    query: LogicalPlan
    query_output: tuple[Attribute, ...] = accessor("query.output")


@spark_class("org.apache.spark.sql.catalyst.expressions.PlanExpression")
class SubqueryExpression(Expression):
    """ScalarSubquery, Exists, ListQuery, LateralSubquery: `plan` within an expression; the children are the outer columns.

    `subquery_class` is the full name of the class.
    """

    plan: LogicalPlan
    subquery_class: str = accessor("getClass")

    @property
    def has_value(self) -> bool:
        """Whether the value of the expression is a value of the plan."""
        return self._name not in ("Exists", "ListQuery")

    @property
    def has_values(self) -> bool:
        """Whether the values of the plan matter, as for IN; for EXISTS only the existence of rows does."""
        return not self.is_existence

    @property
    def is_existence(self) -> bool:
        """Whether this is EXISTS."""
        return self._name == "Exists"

    @property
    def _name(self) -> str:
        return self.subquery_class.rpartition(".")[2]


def walk(
    root: LogicalPlan, parts: Callable[[LogicalPlan], Iterable[LogicalPlan]] | None = None
) -> Iterator[LogicalPlan]:
    """Yield every plan below and within `root` once, children and subqueries before the plan that has them.

    `parts` returns the plans to visit below and within a plan; by default all of them.
    """
    below = _parts if parts is None else parts
    seen: set[int] = {id(root)}
    stack: list[tuple[LogicalPlan, Iterator[LogicalPlan]]] = [(root, iter(below(root)))]
    while stack:
        plan, rest = stack[-1]
        for part in rest:
            if id(part) not in seen:
                seen.add(id(part))
                stack.append((part, iter(below(part))))
                break
        else:
            stack.pop()
            yield plan


def _parts(plan: LogicalPlan) -> Iterator[LogicalPlan]:
    yield from plan.children
    yield from plan.subqueries
