"""Select the plans that contribute to a query's result; an unreferenced common table expression is not executed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import CTERelationDef, CTERelationRef, WithCTE, is_persisted_view
from sac_kafka.plan.relations import RowsWithoutDataset


def needed_plans(root: LogicalPlan, *, stops_at_views: bool = False) -> tuple[LogicalPlan, ...]:
    """Return the plans in `root` that its result needs, children and subqueries first.

    The analyzer keeps the definitions of a WITH even if they are not referenced. With `stops_at_views`, the plan below a
    persisted view is omitted, as it belongs to the view's definition.
    """
    children: Callable[[LogicalPlan], Sequence[LogicalPlan]] = _up_to_views if stops_at_views else _all_children
    plans = tuple(walk(root, lambda plan: (*children(plan), *plan.subqueries)))
    # A DataFrame joined or united with itself has each definition twice, under one id.
    definitions: dict[int, list[LogicalPlan]] = {}
    for plan in plans:
        if isinstance(plan, CTERelationDef):
            definitions.setdefault(plan.cte_id, []).append(plan)
    if not definitions:
        return plans
    reached: set[int] = set()
    stack = [root]
    while stack:
        plan = stack.pop()
        if id(plan) in reached:
            continue
        reached.add(id(plan))
        stack += [*plan.subqueries, *(children(plan)[-1:] if isinstance(plan, WithCTE) else children(plan))]
        if isinstance(plan, CTERelationRef):
            stack += definitions.get(plan.cte_id, [])
    return tuple(plan for plan in plans if id(plan) in reached)


def needed_children(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
    """Return the children that a plan takes its columns from: for a WITH only the main query."""
    return plan.children[-1:] if isinstance(plan, WithCTE) else _all_children(plan)


def _all_children(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
    return () if isinstance(plan, RowsWithoutDataset) else plan.children


def _up_to_views(plan: LogicalPlan) -> Sequence[LogicalPlan]:
    return () if is_persisted_view(plan) else _all_children(plan)
