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

SOURCE = os.environ.get("SAC_KAFKA_TEST_SOURCE", "")
CASES = cases(SOURCE) if SOURCE and (FIXTURES / f"{SOURCE}.txt").exists() else {}
pytestmark = [
    pytest.mark.spark,
    pytest.mark.sources,
    pytest.mark.skipif(not CASES, reason="no such cases of this source"),
    *(
        [pytest.mark.exhaustive] if SOURCE == "delta" else []
    ),  # a minute; CI has those of Iceberg and of Spark's own tables
]


@pytest.fixture(scope="module")
def lineage(spark: SparkSession, work: Path) -> Iterator[tuple[Flow, ...]]:
    hook = run_all(spark, work, CASES)
    yield hook.lineage()
    hook.detach()


def test_what_is_gone_goes_and_all_else_stays(lineage: tuple[Flow, ...]) -> None:
    found = {name: left_of(case, lineage) for name, case in CASES.items()}
    assert found == {name: case.left for name, case in CASES.items()}
