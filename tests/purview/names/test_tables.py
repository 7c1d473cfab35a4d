"""What tables, topics and all that is no path are called in Purview: row by row, from what Spark is told."""

from __future__ import annotations

from collections import Counter

import pytest

from sac_kafka.purview.asset import UNKNOWN_TYPE
from sac_kafka.purview.names import asset
from tests.purview.names.rows import CERTAINTIES, Row, rows

ROWS = rows("tables.csv")
EACH = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)


@EACH
def test_the_name_that_a_scan_gives(row: Row) -> None:
    found = asset(row.dataset, row.surroundings, is_output=True)
    assert (found.type_name, found.qualified_name) == (row.type, row.qualified_name)
    assert found.is_known is (row.type != UNKNOWN_TYPE)
    assert found.name and found.rule


@EACH
def test_what_is_read_and_what_is_written_is_one_asset(row: Row) -> None:
    names = {asset(row.dataset, row.surroundings, is_output=way).qualified_name for way in (True, False)}
    assert len(names) == 1


def test_the_table_says_where_each_name_comes_from() -> None:
    assert [name for name, count in Counter(row.id for row in ROWS).items() if count > 1] == []
    assert [row.id for row in ROWS if not row.source or row.certainty not in CERTAINTIES] == []
    assert len(ROWS) >= 130
