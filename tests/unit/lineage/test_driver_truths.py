"""Rows that go through the driver's Python, without a Spark, in all the ways of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.driver_truths import CUSTOMERS, MemoryTables, Tables, Truth, truths


@pytest.mark.slow
@pytest.mark.parametrize("truth", [pytest.param(each, id=each.name) for each in truths() if not each.needs_spark])
def test_inputs_are_what_values_and_names_prove(truth: Truth) -> None:
    assert truth.made(Tables(MemoryTables())) == (truth.inputs, truth.in_question)


POLARS: dict[str, Callable[[Tables, Any], object]] = {
    "rows": lambda t, pl: t.make(pl.from_pandas(t.customers.toPandas()).rows(), ["a", "b", "c"]),
    "dicts": lambda t, pl: t.make(pl.from_pandas(t.customers.toPandas()).filter(pl.col("key") > 1).to_dicts()),
    "pandas": lambda t, pl: t.make(pl.from_pandas(t.customers.toPandas()).with_columns(pl.col("rank") * 2).to_pandas()),
    "Arrow": lambda t, pl: t.make(pl.DataFrame([row.asDict() for row in t.customers.collect()]).to_arrow()),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", POLARS)
def test_rows_that_go_through_polars(name: str) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    assert POLARS[name](Tables(MemoryTables()), polars) == ({CUSTOMERS}, set())
