"""What statements over tables of a source prove to be gone, as tests/live/spark/test_what_replaces.py has it for Spark's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sac_kafka
from sac_kafka.tools.graph.flows import Flow
from tests.helpers.waiting import LONG_SECONDS
from tests.helpers.what_replaces import FIXTURES, cases, left_of, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.sources]
SOURCE = os.environ.get("SAC_KAFKA_TEST_SOURCE", "")
CASES = cases(SOURCE) if SOURCE and (FIXTURES / f"{SOURCE}.txt").exists() else {}


@pytest.fixture(scope="module")
def lineage(spark: SparkSession, work: Path) -> Iterator[tuple[Flow, ...]]:
    """Run all cases in one driver, and return the lineage that a server holds afterwards."""
    hook = sac_kafka.attach(spark, client_type="memory", metadata_namespace="ns", hook_spool_dir=str(work / "spool"))
    for name in ("a", "b"):
        spark.sql(f"create table default.{name} using parquet as select id x, id y from range(3)")
    for case in CASES.values():
        run(spark, str(work), case)
    assert hook.flush(LONG_SECONDS)
    yield hook.lineage()
    hook.detach()


@pytest.mark.parametrize("name", CASES)
def test_what_is_gone_goes_and_all_else_stays(lineage: tuple[Flow, ...], name: str) -> None:
    assert left_of(CASES[name], lineage) == CASES[name].left
