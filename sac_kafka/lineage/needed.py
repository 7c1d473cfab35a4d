"""Which plans of a query are needed for its result: a common table expression that nothing names is not executed."""

from __future__ import annotations

from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import CTERelationDef, CTERelationRef, WithCTE


def needed(root: LogicalPlan) -> tuple[LogicalPlan, ...]:
    """Every plan below and within `root` that its result needs, children and subqueries before the plan that has them.

    The analyzer keeps the definitions of a WITH also where no reference leads to them.
    """
    plans = tuple(walk(root))
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
        stack += [*plan.subqueries, *needed_children(plan)]
        if isinstance(plan, CTERelationRef):
            stack += definitions.get(plan.cte_id, [])
    return tuple(plan for plan in plans if id(plan) in reached)


def needed_children(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
    """The children whose columns a plan hands up or works on: of a WITH the query behind its definitions."""
    return plan.children[-1:] if isinstance(plan, WithCTE) else plan.children
