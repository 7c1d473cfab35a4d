"""Whole messages, as they stand in `golden/`: what a reader of this package should look at first.

After a meant change: `python -m tests.atlas.test_golden_messages` writes them anew; the difference is for review.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.config.choices import ColumnLineageMode
from sac_kafka.lineage.model import ColumnLineage, ColumnSource, Dependency
from tests.atlas.flows import DAY, NOW, ORDERS, ORDINARY, TOTALS, copy, path, process, say

GOLDEN = Path(__file__).parent / "golden"


def _aggregate():
    """insert overwrite directory … select id, sum(amount) total from sales.orders where day > ? group by id"""
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
    return process([ORDERS], [TOTALS], columns, rows, query_text=ORDINARY.run.query_text)


def _first_sight():
    return say(_aggregate())


def _full():
    return say(_aggregate(), column_lineage=ColumnLineageMode.FULL)


def _second_run():
    remembered = Remembered(max_age_ms=DAY)
    for message in say(_aggregate(), remembered):
        remembered.confirm(message.tokens, NOW)
    return say(_aggregate(), remembered)


def _between_paths():
    return say(copy(path("file:/in", "x", locations=("file:/in/day=1",)), path("file:/out", "x", format="csv")))


CASES = {
    "first_sight": _first_sight,
    "full_column_lineage": _full,
    "second_run": _second_run,
    "between_paths": _between_paths,
}


def _texts(case: str) -> list[str]:
    return [json.dumps(json.loads(message.value), indent=1) + "\n" for message in CASES[case]()]


@pytest.mark.parametrize("case", CASES)
def test_message_is_as_expected(case):
    assert _texts(case) == [(GOLDEN / f"{case}.json").read_text("utf-8")]


if __name__ == "__main__":
    for each in CASES:
        (text,) = _texts(each)
        (GOLDEN / f"{each}.json").write_text(text, "utf-8")
