"""Rows that go through the driver's Python, on a real Spark, in all the ways of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pyspark
import pytest

from sac_kafka.guard import Guard
from sac_kafka.model import Process
from tests.helpers.driver_truths import TABLES, Tables, truths
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.subset,
    pytest.mark.oldest,
    pytest.mark.filterwarnings("ignore"),  # of pandas and its API on Spark
]


HAS_PANDAS_API = pyspark.__version__ >= "4" or hasattr(numpy, "NaN")
"""Spark 3.5's cannot be imported beside NumPy 2."""


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Tables:
    for name, (schema, rows) in TABLES.items():
        spark.createDataFrame(rows, schema).write.saveAsTable(name)
    return Tables(spark)


def test_inputs_are_what_values_and_names_prove(tables: Tables, work: Path) -> None:
    capture = Capture(tables.spark)
    wrong = {}
    for truth in truths():
        if "the pandas API" in truth.name and not HAS_PANDAS_API:
            continue
        guard = Guard()
        calls = capture.watch(guard)
        text = capture.text_of(lambda: truth.made(tables).write.mode("overwrite").parquet(f"{work}/out"))  # noqa: B023
        processes = [each for each in Capture.outcomes_of(text, Actions(APPLICATION)) if isinstance(each, Process)]
        (process,) = (each for each in processes if each.outputs)
        found = [{d.key.rpartition(".")[2] for d in some} for some in (process.inputs, process.in_question)]
        if found != [truth.inputs, truth.in_question] or guard.counts:
            wrong[truth.name] = (found, truth.inputs, truth.in_question, guard.counts)
        calls.restore()
    assert wrong == {}
