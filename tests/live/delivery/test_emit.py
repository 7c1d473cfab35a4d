"""Emitted flows on a real Kafka: also those that were spooled without it, and beside a Spark with the hook."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.broker import Broker
from tests.helpers.messages import entities
from tests.helpers.processes import environment

EMIT = "import sac_kafka; print(bool(sac_kafka.emit(job='daily', inputs=['s3://raw/x'], outputs=[{output!r}], conf={conf})))"
BESIDE = """
import sys, threading, sac_kafka
from pyspark.sql import SparkSession

conf, out = {conf}, sys.argv[1]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
hook = sac_kafka.attach(spark, job_name="spark job", **conf)

def emit(number):
    for each in range(10):
        assert sac_kafka.emit(job=f"script {{number}}", outputs=f"a.b{{each}}", conf=conf)

threads = [threading.Thread(target=emit, args=(number,)) for number in range(3)]
for each in threads:
    each.start()
for number in range(5):
    spark.range(3).write.parquet(f"{{out}}/{{number}}")
for each in threads:
    each.join()
assert sac_kafka.flush(60), sac_kafka.flush(60)
assert hook.stats()["processes"] == 5 and not hook.stats()["errors"], hook.stats()
hook.detach()
assert sac_kafka.emit(job="after", outputs="a.b", conf=conf)
spark.stop()
"""


def run(code: str, folder: Path, *words: object) -> str:
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment(), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def configuration(bootstrap: str, topic: str, folder: Path) -> dict[str, Any]:
    return {
        "kafka_bootstrap_servers": bootstrap,
        "atlas.notification.hook.topic.name": topic,
        "atlas.hook.spool.dir": str(folder / "spool"),
        "atlas.metadata.namespace": "dev",
    }


def flows(broker: Broker, topic: str) -> Counter[str]:
    messages = [json.loads(value) for value in broker.read_all(topic)]
    return Counter(each["attributes"]["name"] for each in entities(messages, "spark_process"))


@pytest.mark.kafka
def test_what_was_spooled_without_a_broker_is_delivered_by_the_next_process(broker: Broker, tmp_path: Path) -> None:
    broker.create_topic("emitted")
    conf = configuration(broker.bootstrap, "emitted", tmp_path)
    broker.kill()
    assert run(EMIT.format(output="a.first", conf=conf), tmp_path) == "False\n"
    broker.restart()
    assert run(EMIT.format(output="a.second", conf=conf), tmp_path) == "True\n"
    assert flows(broker, "emitted") == {"daily: raw/x -> a.first": 1, "daily: raw/x -> a.second": 1}


@pytest.mark.kafka
@pytest.mark.spark
@pytest.mark.exhaustive
def test_emit_beside_a_spark_with_the_hook(broker: Broker, tmp_path: Path) -> None:
    """In one process, with one configuration: neither takes messages, files or signals of the other."""
    broker.create_topic("beside")
    run(BESIDE.format(conf=configuration(broker.bootstrap, "beside", tmp_path)), tmp_path, tmp_path / "out")
    found = flows(broker, "beside")
    emitted = {f"script {number}: no dataset -> a.b{each}": 1 for number in range(3) for each in range(10)}
    by_spark = {name: number for name, number in found.items() if name.startswith("spark job")}
    assert {name: number for name, number in found.items() if name.startswith("script")} == emitted
    assert (sum(by_spark.values()), found["after: no dataset -> a.b"]) == (5, 1)
