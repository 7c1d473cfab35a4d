"""What statements over tables of a source prove to be gone, as tests/live/spark/test_what_replaces.py has it for Spark's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.tools.graph.flows import Flow
from tests.helpers.what_replaces import FIXTURES, cases, left_of, run_all

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.sources]
SOURCE = os.environ.get("SAC_KAFKA_TEST_SOURCE", "")
CASES = cases(SOURCE) if SOURCE and (FIXTURES / f"{SOURCE}.txt").exists() else {}


@pytest.fixture(scope="module")
def lineage(spark: SparkSession, work: Path) -> Iterator[tuple[Flow, ...]]:
    hook = run_all(spark, work, CASES)
    yield hook.lineage()
    hook.detach()


@pytest.mark.parametrize("name", CASES)
def test_what_is_gone_goes_and_all_else_stays(lineage: tuple[Flow, ...], name: str) -> None:
    assert left_of(CASES[name], lineage) == CASES[name].left
