"""Every case on a real Spark gives the expected lineage."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.plan import wire
from tests.cases.all_cases import CASES, CHANGING, NEEDING_PANDAS, SECRETS, prepare
from tests.cases.every_case import names
from tests.cases.expected import expected
from tests.helpers import everyday
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]


@pytest.fixture(scope="module")
def capture(spark: SparkSession, work: Path) -> Capture:
    prepare(spark, str(work))
    return Capture(spark)


@pytest.mark.parametrize("name", everyday.params("batches", names(version("pyspark"))))
def test_a_case_has_its_lineage(spark: SparkSession, work: Path, capture: Capture, name: str) -> None:
    if name in NEEDING_PANDAS:
        pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
    text = capture.text_of(lambda: CASES[name](spark, str(work)))
    assert not [secret for secret in SECRETS if secret in text]
    meant = capture.outcomes_of(text) if name in CHANGING else capture.processes_of(text)
    assert lineage_lines(meant, str(work)) == expected(name)
    lines = list(wire.read(text))
    assert not [line for line in lines if isinstance(line, (wire.Stuck, wire.Counters))]
    assert not {what for line in lines if isinstance(line, wire.Projected) for what in line.notes}
