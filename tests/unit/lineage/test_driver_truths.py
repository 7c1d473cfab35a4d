"""Rows that go through the driver's Python, without a Spark, in all the ways of a table."""

from __future__ import annotations

import pytest

from tests.helpers.driver_truths import MemoryTables, Tables, Truth, truths


@pytest.mark.slow
@pytest.mark.parametrize("truth", [pytest.param(each, id=each.name) for each in truths() if not each.needs_spark])
def test_inputs_are_what_values_and_names_prove(truth: Truth) -> None:
    assert truth.made(Tables(MemoryTables())) == (truth.inputs, truth.in_question)
