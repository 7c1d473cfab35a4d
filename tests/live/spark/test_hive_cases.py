"""Every case over Hive tables, on a real Spark with an embedded metastore, gives the expected lineage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.plan import wire
from tests.cases.expected import expected
from tests.cases.hive import HIVE_CASES, HIVE_CHANGING, hive_conf, prepare
from tests.helpers import everyday
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]


@pytest.fixture(scope="module")
def spark(work: Path) -> Iterator[SparkSession]:
    spark = session(str(work), **hive_conf(str(work)))
    prepare(spark, str(work))
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def capture(spark: SparkSession) -> Capture:
    return Capture(spark)


@pytest.mark.parametrize("name", everyday.params("hive", HIVE_CASES))
def test_a_case_has_its_lineage(spark: SparkSession, work: Path, capture: Capture, name: str) -> None:
    text = capture.text_of(lambda: HIVE_CASES[name](spark, str(work)))
    meant = capture.outcomes_of(text) if name in HIVE_CHANGING else capture.processes_of(text)
    assert lineage_lines(meant, str(work)) == expected(f"hive_{name}")
    lines = list(wire.read(text))
    assert not [line for line in lines if isinstance(line, (wire.Stuck, wire.Counters))]
    assert not {what for line in lines if isinstance(line, wire.Projected) for what in line.notes}
