"""Real-time mode of Structured Streaming (Spark 4.1 on): its long batches are micro-batches to a listener."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer

from sac_kafka.tools.graph.flows import flows
from stack import jars
from tests.helpers.processes import environment

if TYPE_CHECKING:
    from tests.helpers.broker import Broker

pyspark = pytest.importorskip("pyspark")

pytestmark = [
    pytest.mark.spark,
    pytest.mark.kafka,
    pytest.mark.nightly,
    pytest.mark.skipif(
        pyspark.__version__[:3] not in ("4.1", "4.2"),
        reason="Spark has it from 4.1 on; its Kafka source for 4.3 cannot be had",
    ),
]


def test_kafka_to_kafka_is_one_process(broker: Broker, tmp_path: Path) -> None:
    source, target = f"from-{tmp_path.name}", f"to-{tmp_path.name}"
    for topic in (source, target):
        broker.create_topic(topic)
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for value in (b"a", b"b"):
        producer.produce(source, value)
    assert producer.flush(20) == 0
    paths = jars.provide("spark-kafka-4.1.1").class_path.replace(os.pathsep, ",")
    command = [
        sys.executable,
        "-m",
        "tests.live.spark.real_time",
        str(tmp_path),
        broker.bootstrap,
        paths,
        source,
        target,
    ]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "batches [0, 1, 2" in done.stdout
    (flow,) = flows((tmp_path / "messages.jsonl").read_bytes().splitlines())
    assert (flow.inputs, flow.outputs) == ((source,), (target,))
    assert flow.columns == {f"{target}#value": (f"{source}#value",)}
    assert len(broker.read_all(target)) == 2
