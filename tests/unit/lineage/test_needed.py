"""Only the named parts of a WITH are executed, and so read."""

from __future__ import annotations

from sac_kafka.lineage.columns.query_clauses import needed_children, needed_plans
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import CTERelationDef, CTERelationRef, WithCTE


def _plan(*children: LogicalPlan, subqueries: tuple[LogicalPlan, ...] = ()) -> LogicalPlan:
    return LogicalPlan(class_name="Plan", children=children, subqueries=subqueries)


def _leaf() -> LogicalPlan:
    return _plan()


def _definition(number: int, child: LogicalPlan) -> CTERelationDef:
    return CTERelationDef(children=(child,), cte_id=number)


def _use(number: int) -> CTERelationRef:
    return CTERelationRef(cte_id=number, output=())


def _with(*children: LogicalPlan) -> WithCTE:
    return WithCTE(children=children)


def test_a_definition_that_nothing_names_is_not_needed() -> None:
    unused, used = _leaf(), _leaf()
    plan = _with(_definition(1, unused), _definition(2, used), _use(2))
    assert used in needed_plans(plan)
    assert unused not in needed_plans(plan)
    assert needed_children(plan) == plan.children[-1:]


def test_a_definition_that_only_an_unused_one_names_is_not_needed() -> None:
    below, used = _leaf(), _leaf()
    plan = _with(_definition(1, below), _definition(2, _use(1)), used)
    assert needed_plans(plan) == (used, plan)


def test_ctes_used_by_others_and_by_subqueries_are_needed() -> None:
    first, second = _leaf(), _leaf()
    query = _plan(subqueries=(_use(2),))
    plan = _with(_definition(1, first), _definition(2, _plan(_use(1), second)), query)
    assert {first, second} <= set(needed_plans(plan))


def test_two_ctes_with_one_id_are_both_needed() -> None:
    left, right = _leaf(), _leaf()
    sides = tuple(_with(_definition(1, leaf), _use(1)) for leaf in (left, right))
    assert {left, right} <= set(needed_plans(_plan(*sides)))
