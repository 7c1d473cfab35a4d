"""Two Pythons on one SparkContext, as the notebooks of a shared driver are: the first that attaches serves it."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from sac_kafka import attach
from sac_kafka.spark import processes
from tests.helpers.messages import messages_in, names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]

JOINS = """
import sys
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession
import sac_kafka
gateway = launch_gateway()
shared = gateway.jvm.org.apache.spark.api.java.JavaSparkContext(gateway.jvm.org.apache.spark.SparkContext.getOrCreate())
spark = SparkSession(SparkContext(gateway=gateway, jsc=shared, conf=SparkConf(_jconf=shared.getConf())))
hook = sac_kafka.attach(spark, **{"client_type": "file", "atlas.client.file.path": sys.argv[1], "atlas.metadata.namespace": "x"})
print("disabled", hook.stats()["disabled"], flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def other(spark: SparkSession, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A second Python on the SparkContext, which has attached."""
    assert spark._jvm is not None
    server = spark._jvm.org.apache.spark.api.python.Py4JServer(spark.sparkContext._jsc.sc().conf())
    server.start()
    gateway = {"PYSPARK_GATEWAY_PORT": str(server.getListeningPort()), "PYSPARK_GATEWAY_SECRET": server.secret()}
    command = [sys.executable, "-c", JOINS, str(tmp_path / "other.jsonl")]
    with subprocess.Popen(
        command, env={**os.environ, **gateway}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        yield started
        started.kill()
    server.shutdown()


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        pytest.param({}, {"first", "second"}, id="the same settings"),
        pytest.param({"capture_queue_events": "9000"}, {"second"}, id="another listener", marks=pytest.mark.exhaustive),
    ],
)
def test_the_first_serves_until_it_has_ended(
    more: dict[str, str],
    taken: set[str],
    spark: SparkSession,
    other: subprocess.Popen[str],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What the first has not confirmed is read again by the next one, where both listen in the same way."""
    assert _first_line(other.stdout) == "disabled None"
    settings = {
        "client_type": "file",
        "atlas.client.file.path": str(tmp_path / "own.jsonl"),
        "atlas.metadata.namespace": "x",
    }
    with caplog.at_level(logging.WARNING, "sac_kafka"):
        assert attach(spark, **settings).stats()["disabled"] is not None
    (warning,) = [record.getMessage() for record in caplog.records]
    assert re.search(rf"^not attached: the Python process {other.pid} has attached to this SparkContext", warning)
    other.send_signal(signal.SIGSTOP)  # it reads no more events
    spark.range(3).write.parquet(str(tmp_path / "first"))
    other.kill()
    other.wait()
    with attach(spark, **settings | more) as hook:
        spark.range(3).write.parquet(str(tmp_path / "second"))
        flushed = hook.flush(60)
        lost = hook.stats()["listener"].get("dropped: the Python that listened before has ended", 0)
    assert (flushed.waiting, lost > 0, flushed.lost) == (0, "first" not in taken, lost)
    written = names(messages_in(tmp_path / "own.jsonl"), "fs_path")
    assert {name.rpartition("/")[2] for name in written} == {f"{each}@x" for each in taken}


def test_a_process_is_told_from_a_later_one_of_its_id() -> None:
    assert processes.is_running(processes.own())
    assert not processes.is_running(f"{processes.shown(processes.own())} 1")


def _first_line(output: IO[str] | None) -> str:
    assert output is not None
    return next((line.strip() for line in output if line.startswith("disabled")), "")
