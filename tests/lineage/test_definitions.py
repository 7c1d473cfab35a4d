"""The text of what made a column: names of SQL, no literal, nothing that Spark made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from live import Capture

BATCHES = Path(__file__).resolve().parents[1] / "fixtures" / "batches"

DEFINITIONS = {
    "functions_with_conditions": {
        "a": "coalesce(customer, day)",
        "c": "if((customer IS NOT NULL), day, CAST(id AS string))",
        "h": "CASE WHEN (customer = day) THEN id END",
    },
    "aggregates_that_choose": {
        "s": "sum(amount) FILTER (WHERE (day = ?))",
        "m": "max_by(customer, id)",
        "n": "count(?)",
    },
    "window_functions": {"r": "rank(amount) OVER (PARTITION BY customer ORDER BY amount)"},
    "window_over_aggregate": {"r": "rank(sum(amount)) OVER (ORDER BY sum(amount))"},
    "grouping_sets_of_expressions": {"u": "upper(customer)"},
    "pivot": {"mon": "pivot_first(day, sum(amount))[?]"},
    "higher_order_functions": {"b": "filter(tags, (x) -> (x > length(name)))"},
    "nested_fields": {"mk": "m[?]", "lx": "l[?].x", "st": "struct(s.a, m)"},
    "join_lateral_value": {"pair": "concat(country, day)"},
    "union_by_name_with_missing": {"id": None, "day": None},
    "python_udf": {"pair": "<lambda>(customer, day)", "loud": "shout(day)"},
    "map_in_pandas": {"who": "rows(id, customer)"},
    "apply_in_pandas": {"who": "first(customer, amount, day)"},
    "script_transformation": {"a": "script_transformation(id, customer)"},
    "typed_map": {"who": "map_elements(customer)"},
    "typed_groups": {"k": "map_groups(value, customer)"},
    "typed_reduce": {"v": "typed_aggregate(customer)"},
}


@pytest.mark.parametrize("version", sorted(p.name for p in BATCHES.iterdir()))
@pytest.mark.parametrize("case", DEFINITIONS)
def test_the_definition_of_a_column(case: str, version: str) -> None:
    text = (BATCHES / version / f"{case}.txt").read_text("utf-8")
    (process,) = Capture.processes_of(text)
    told = {c.column: c.expression for c in process.columns}
    assert {name: told[name] for name in DEFINITIONS[case]} == DEFINITIONS[case]
