"""Spark's Kafka source and sink against a real broker: every case gives the expected lineage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stack import jars
from tests.cases.expected import expected
from tests.cases.kafka_cases import TOPICS, WORK, names
from tests.helpers import everyday
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture
from tests.helpers.processes import environment

if TYPE_CHECKING:
    from tests.helpers.broker import Broker

pytestmark = [pytest.mark.spark, pytest.mark.kafka]
pyspark = pytest.importorskip("pyspark")

JARS = {"3": "spark-kafka-3.5.7", "4": "spark-kafka-4.1.1"}
"""The list of jars by Spark's major version: Spark's own patch version does not matter to them."""


@pytest.fixture(scope="module")
def batches(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kafka-cases")
    for topic in TOPICS:
        broker.create_topic(topic)
    provided = jars.provide(JARS[pyspark.__version__[0]])
    paths = provided.class_path.replace(os.pathsep, ",")
    command = [sys.executable, "-m", "tests.cases.kafka_cases", str(folder), broker.bootstrap, paths]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.mark.parametrize("name", everyday.params("kafka", names(pyspark.__version__)))
def test_a_case_has_its_lineage(batches: Path, name: str) -> None:
    lines = lineage_lines(Capture.processes_of((batches / f"{name}.txt").read_text("utf-8")), WORK)
    assert lines == expected(f"kafka_{name}")
