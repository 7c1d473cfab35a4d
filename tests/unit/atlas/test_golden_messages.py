"""Complete messages compared with `golden/`: the best introduction to this package.

After an intended change: `python -m tests.unit.atlas.test_golden_messages` rewrites them; review the difference.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, RowClause
from tests.helpers.schemas import assert_fits_schemas
from tests.unit.atlas.flows import DAY, NOW, ORDERS, ORDINARY, TOTALS, copy, messages_for, path, process, table

GOLDEN = Path(__file__).parent / "golden"


def _aggregate():
    """Build insert overwrite directory … select id, sum(amount) total from sales.orders where day > ? group by id."""
    columns = [
        ColumnLineage(dataset=TOTALS.key, column="id", sources=(ColumnSource(ORDERS.key, "id", Dependency.IDENTITY),)),
        ColumnLineage(
            dataset=TOTALS.key,
            column="total",
            sources=(ColumnSource(ORDERS.key, "amount", Dependency.AGGREGATION),),
            expression="sum(amount)",
        ),
    ]
    rows = [ColumnSource(ORDERS.key, "day", Dependency.FILTER), ColumnSource(ORDERS.key, "id", Dependency.GROUP_BY)]
    clauses = [
        RowClause(dependency=Dependency.FILTER, text="day > ?", sources=(rows[0],)),
        RowClause(dependency=Dependency.GROUP_BY, text="id", sources=(rows[1],)),
    ]
    return process([ORDERS], [TOTALS], columns, rows, clauses=clauses, query_text=ORDINARY.run.query_text)


def _first_sight():
    return messages_for(_aggregate())


def _influence():
    lineage = ColumnLineage(
        dataset=TOTALS.key,
        column="total",
        sources=(
            ColumnSource(ORDERS.key, "amount", Dependency.CONDITIONAL),
            ColumnSource(ORDERS.key, "id", Dependency.TRANSFORMATION),
        ),
        expression="CASE WHEN (amount > 100) THEN id END",
    )
    return messages_for(process([ORDERS], [TOTALS], [lineage]))


def _view_definition():
    """Return the definition of `sales.big` (select id from sales.orders where amount > 100) as its first reader shows it."""
    view = table("big", "id", table_type="VIEW", view_text="SELECT id FROM sales.orders WHERE amount > 100")
    amount = ColumnSource(ORDERS.key, "amount", Dependency.FILTER)
    clause = RowClause(dependency=Dependency.FILTER, text="amount > 100", sources=(amount,))
    sources = (ColumnSource(ORDERS.key, "id", Dependency.IDENTITY),)
    lineage = ColumnLineage(dataset=view.key, column="id", sources=sources)
    made = process([ORDERS], [view], [lineage], [amount], clauses=[clause], query_text=view.view_text)
    return messages_for(dataclasses.replace(made, defines_view=True))


def _second_run():
    remembered = Remembered(max_age_ms=DAY)
    for message in messages_for(_aggregate(), remembered):
        remembered.confirm(message.tokens, NOW)
    return messages_for(_aggregate(), remembered)


def _between_paths():
    return messages_for(
        copy(path("file:/in", "x", locations=("file:/in/day=1",)), path("file:/out", "x", format="csv"))
    )


CASES = {
    "first_sight": _first_sight,
    "influence": _influence,
    "second_run": _second_run,
    "view_definition": _view_definition,
    "between_paths": _between_paths,
}


def _texts(case: str) -> list[str]:
    return [json.dumps(json.loads(message.value), indent=1) + "\n" for message in CASES[case]()]


@pytest.mark.parametrize("case", CASES)
def test_message_is_as_expected(case):
    for message in CASES[case]():
        assert_fits_schemas(message.value)
    assert _texts(case) == [(GOLDEN / f"{case}.json").read_text("utf-8")]


if __name__ == "__main__":
    for each in CASES:
        (text,) = _texts(each)
        (GOLDEN / f"{each}.json").write_text(text, "utf-8")
