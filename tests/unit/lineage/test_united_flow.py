"""The flows of all batches of a streaming query, united into one flow."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.model import ColumnSource, Dependency, PathDataset, RowClause

OUT = PathDataset(path="file:/out", format="parquet")
V = ColumnSource("path:file:/in", "v", Dependency.FILTER)
W = ColumnSource("path:file:/in", "w", Dependency.FILTER)


def flow(text: str, source: ColumnSource = V) -> UnitedFlow:
    clause = RowClause(dependency=Dependency.FILTER, text=text, sources=(source,))
    return UnitedFlow(outputs=(OUT,), row_level=(source,), clauses=(clause,))


@pytest.mark.parametrize(
    ("more", "texts"),
    [
        (flow("v > 17"), ["v > 4"]),
        (flow("v > 4"), ["v > 4"]),
        (flow("v < 17"), ["v > 4", "v < 17"]),
        (flow("v > 17", W), ["v > 4", "v > 17"]),
    ],
    ids=["the number of the batch", "the same", "another condition", "of another column"],
)
def test_conditions_that_differ_in_numbers_alone_are_one(more: UnitedFlow, texts: list[str]) -> None:
    united = flow("v > 4").with_more(more)
    assert [clause.text for clause in united.clauses] == texts
    assert (united == flow("v > 4")) == (len(texts) == 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("v NOT IN (-1)", "v NOT IN (4, 17, 2)"),
        ("v IN (?)", "v IN (?, ?)"),
        ("v IN (1L, 2L)", "v IN (3L)"),
        ("v IN (DATE '2024-01-01')", "v IN (DATE '2024-02-01', DATE '2024-03-01')"),
    ],
)
def test_conditions_over_lists_of_values_are_merged(first: str, second: str) -> None:
    assert flow(first).with_more(flow(second)) == flow(first)


def test_deciding_datasets_of_batches_are_those_of_the_query() -> None:
    first, second = (
        UnitedFlow(outputs=(OUT,), decided_by=(PathDataset(path=path, format="parquet"),))
        for path in ("file:/b", "file:/a")
    )
    united = first.with_more(second)
    assert [d.key for d in united.decided_by] == ["path:file:/a", "path:file:/b"]
    assert united.with_more(first) == united


def test_a_batch_without_new_rows_of_a_source_shows_less_of_the_same_condition() -> None:
    """Run a batch without data, which advances the watermark; one of two joined streams may have no new rows."""
    none, one, both = (
        UnitedFlow(outputs=(OUT,), clauses=(RowClause(dependency=Dependency.JOIN, text="v = w", sources=sources),))
        for sources in ((), (V,), (V, W))
    )
    assert both.with_more(one).with_more(none) == both
    assert none.with_more(one).with_more(both) == both
