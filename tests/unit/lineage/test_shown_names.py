"""Shown names are those of source columns; other names stand for expressions, which are shown in their place."""

from __future__ import annotations

import sys

import pytest

from tests.cases.batches import BATCHES, owed
from tests.helpers.every_row import every_row
from tests.helpers.live_runs import Capture
from tests.helpers.work import assert_linear
from tests.unit.lineage.test_hard_plans import (
    Expression,
    Literal,
    alias,
    attribute,
    call,
    files,
    process,
    project,
    reference,
)

TEXTS = {
    "shown_names_used_again": {"bonus": "amount * 12 * 2", "filter": "amount * 12 > 100"},
    "shown_names_swapped": {"v": "amount + 1"},
    "shown_names_of_a_cte": {"v": "amount * 2 + 1"},
    "shown_names_dropped": {"b": "(amount + 12) * 2"},
    "shown_names_of_numbered_rows": {
        "filter": "row_number() OVER (PARTITION BY customer ORDER BY day) = 1 AND amount + 1 > 2",
    },
    "shown_names_in_a_self_join": {"v": "a.amount * 2 - b.amount", "join": "a.id = b.id AND a.amount * 2 > b.amount"},
    "shown_names_of_several_generated": {
        "n": "posexplode(array(id, amount)).p + 1",
        "c": "posexplode(array(id, amount)).c * 2",
        "filter": "posexplode(array(id, amount)).p > 0",
    },
    "shown_names_of_both_sides": {"join": "amount = orders_parquet.id"},
    "shown_names_of_two_databases": {
        "join": "cases.orders.id = other.orders.id AND customer = other.orders.day",
    },
    "shown_names_of_a_union": {
        "v": "amount UNION ALL 0.0D UNION ALL id * 2",
        "w": "(amount UNION ALL 0.0D UNION ALL id * 2) * 2",
    },
    "shown_names_of_a_recursion": {
        "lvl": "1 UNION ALL lvl + 1",
        "path": "customer UNION ALL concat(path, ?, customer)",
        "join": "orders.id = r.id + 1",
    },
    "cte_recursive": {"n": "id UNION ALL n + 1", "who": None, "filter": "n < 5"},
    "cte_recursive_swapping": {"i": "0 UNION ALL i + 1", "a": None, "filter": "i < 2"},
    "shown_subqueries_in_the_select_list": {
        "m": "(subquery)",
        "e": "EXISTS (subquery)",
        "n": "NOT EXISTS (subquery)",
        "i": "CASE WHEN id IN (subquery) THEN 1 END",
        "k": "customer NOT IN (subquery)",
    },
    "shown_fields_of_nested_structs": {
        "a": None,
        "b": None,
        "c": "id + 1",
        "d": "struct(amount, day)",
        "e": "day = ?",
    },
    "shown_fields_that_are_copies": {"a": None},
    "fields_of_a_struct": {"p": None, "q": "upper(customer)"},
    "joined_with": {"id": None, "country": None},
    "lateral_alias": {"more": "amount * 2 + id"},
    "having_and_sort": {"filter": "sum(amount) > (subquery)", "sort": "sum(amount)"},
}
"""By column, or by kind of row clause."""


def texts_of(case: str, version: str) -> dict[str, str | None]:
    (process,) = Capture.processes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"))
    clauses = {c.dependency.value: c.text for c in process.clauses}
    return {**clauses, **{c.column: c.expression for c in process.columns}}


@every_row(("case", "version"), [(c, v) for c in TEXTS for v in owed() if (BATCHES / v / f"{c}.txt").exists()])
def test_alias_is_replaced_by_its_expression(case: str, version: str) -> None:
    shown = texts_of(case, version)
    assert {name: shown[name] for name in TEXTS[case]} == TEXTS[case]


def nested(length: int, twice: bool) -> str:
    """Return the text of `x + 1`, or of `x + x`, nested as often as given under the source column's name."""
    plan = files("file:/t", attribute(0, "x"))
    for i in range(1, length + 1):
        below = reference(i - 1)
        one: Expression = below if twice else Literal(text="1")
        plan = project(plan, alias(call("Add", below, one), i, "x"))
    (column,) = process(plan, attribute(length, "x")).columns
    assert column.expression is not None
    return column.expression


def test_name_that_is_reused_many_times_is_expanded() -> None:
    assert nested(200, twice=False) == "x" + " + 1" * 200


def test_too_long_expression_is_shown_by_its_name() -> None:
    assert nested(7, twice=True).count("x") == 2**7
    assert nested(8, twice=True) == "x + x"


@pytest.mark.slow
@pytest.mark.parametrize("twice", [False, True])
def test_a_long_chain_under_one_name_is_bounded(twice: bool) -> None:
    assert_linear(lambda length: lambda: nested(length, twice), 25)
    assert len(nested(sys.getrecursionlimit(), twice)) <= 1000
