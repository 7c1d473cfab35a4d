"""Expressions of columns as text: SQL names, no literals, nothing that Spark generated."""

from __future__ import annotations

from tests.cases.batches import BATCHES, owed
from tests.helpers.every_row import every_row
from tests.helpers.live_runs import Capture

DEFINITIONS = {
    "functions_with_conditions": {
        "a": "nvl(customer, day)",
        "c": "nvl2(customer, day, CAST(id AS string))",
        "h": "CASE WHEN customer = day THEN id END",
    },
    "aggregates_that_choose": {
        "s": "sum(amount) FILTER (WHERE day = ?)",
        "m": "max_by(customer, id)",
        "n": "count(*)",
    },
    "window_functions": {"r": "rank() OVER (PARTITION BY customer ORDER BY amount)"},
    "window_over_aggregate": {"r": "rank() OVER (ORDER BY sum(amount) DESC)"},
    "grouping_sets_of_expressions": {"u": "upper(customer)"},
    "pivot": {"mon": "sum(amount) FILTER (WHERE day = ?)"},
    "higher_order_functions": {"b": "filter(tags, x -> x > length(name))"},
    "nested_fields": {"mk": "m[?]", "lx": "l[0].x", "st": "named_struct('p', s.a, 'q', m)"},
    "join_lateral_value": {"pair": "concat(country, day)"},
    "union_by_name_with_missing": {"id": None, "day": None},
    "python_udf": {"pair": "<lambda>(customer, day)", "loud": "shout(day)"},
    "map_in_pandas": {"who": "rows(id, customer)"},
    "apply_in_pandas": {"who": "first(customer, amount, day)"},
    "script_transformation": {"a": "script_transformation(id, customer)"},
    "typed_map": {"who": "map_elements(customer)"},
    "typed_groups": {"k": "map_groups(append_columns(customer), customer)"},
    "typed_reduce": {"v": "typed_aggregate(customer)"},
}


@every_row("version", owed())
@every_row("case", DEFINITIONS)
def test_the_definition_of_a_column(case: str, version: str) -> None:
    text = (BATCHES / version / f"{case}.txt").read_text("utf-8")
    (process,) = Capture.processes_of(text)
    expressions = {c.column: c.expression for c in process.columns}
    assert {name: expressions[name] for name in DEFINITIONS[case]} == DEFINITIONS[case]
