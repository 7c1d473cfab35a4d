"""A table as one test: every row is tried, and all that are wrong are reported."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.helpers.every_row import every_row

ROWS = [(1, 1), (2, 3), (4, 4), (5, 6)]
SEEN: list[int] = []


@every_row(("number", "same"), ROWS)
def table(number: int, same: int, tmp_path: Path) -> None:
    SEEN.append(number)
    if number == 4:
        pytest.skip("not this one")
    assert tmp_path.is_dir()
    assert number == same


def test_every_row_is_tried_and_all_wrong_ones_are_reported(tmp_path: Path) -> None:
    SEEN.clear()
    with pytest.raises(AssertionError) as raised:
        table(tmp_path=tmp_path)
    first, *wrong = str(raised.value).splitlines()
    assert first == "2 of 4 rows:"
    assert [line.split(": ")[0] for line in wrong if line.startswith("  (")] == ["  (2, 3)", "  (5, 6)"]
    assert "assert 2 == 3" in str(raised.value)
    assert SEEN == [1, 2, 4, 5]


def test_only_fixtures_are_left_in_the_signature() -> None:
    assert [*inspect.signature(table).parameters] == ["tmp_path"]


@every_row("row", ROWS)
def test_rows_that_are_right_pass(row: tuple[int, int]) -> None:
    assert row in ROWS


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(AssertionError, match="proves nothing"):
        every_row("row", [])
