"""Memory of the hook's Python after 1, 100 and 1,000 writes of different datasets: in a PySpark driver, and with the jar.

The messages go to a real Kafka over SASL_SSL. Without the hook there is a figure of the PySpark driver only: the jar's Python is
a process of the hook.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.processes import kafka_conf, megabytes
from benchmarks.table import Row, in_turns
from stack.kafka import KafkaBroker
from stack.standalone import spark_home
from tests.helpers.processes import environment, pythons_below

AFTER = (1, 100, 1000)
TOPIC = "ATLAS_HOOK"
SETTLED_SECONDS = 4
"""After a write the hook is done with it, and with what it was told before."""
CONF = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}
SHELL = """
spark.range(10).selectExpr("id", "id % 7 as kind", "id * 2.5 as amount").coalesce(1).write.parquet("{work}/source")
val source = spark.read.parquet("{work}/source")
def write(i: Int) = source.where(s"id > $i % 3").selectExpr("id", "upper(kind) as kind", s"amount * $i as amount").write.parquet(
  s"{work}/out$${{i}}x")
var done = 0
for (n <- Seq{after}) {{ (done until n).foreach(write); done = n; println(s"reached $$n"); Thread.sleep(6000) }}
System.exit(0)
"""


def rows(pairs: int) -> Iterator[Row]:
    """Yield the memory of Python in both kinds of driver."""
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder, "kafka")) as kafka:
        kafka.create_topic(TOPIC)
        conf = kafka_conf(kafka, folder)
        found = in_turns(pairs, lambda has_hook: _of_pyspark(conf if has_hook else {}))
        alone = [_of_jar(conf) for _ in range(pairs)]
    for n in AFTER:
        yield Row(f"memory of Python in a PySpark driver, after {n:,} writes", "MB", *found[str(n)])
    for n in AFTER:
        yield Row(f"memory of the jar's Python, after {n:,} writes", "MB", [each[str(n)] for each in alone])


def _of_pyspark(conf: Mapping[str, str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "benchmarks.memory", work, json.dumps(dict(conf))]
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"status {done.returncode}\n{done.stderr[-3000:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def job(work: str, conf: Mapping[str, str]) -> dict[str, float]:
    """Run one PySpark driver and return its figures."""
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    for key, value in {**CONF, **conf}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    before = megabytes()
    if conf:
        import sac_kafka

        hook = sac_kafka.attach(spark)
    rows = spark.range(10).selectExpr("id", "id % 7 as kind", "id * 2.5 as amount")
    rows.coalesce(1).write.parquet(f"{work}/source")
    source, figures, done = spark.read.parquet(f"{work}/source"), {"0": before}, 0
    for n in AFTER:
        for i in range(done, n):
            derived = source.where(f"id > {i % 3}").selectExpr("id", "upper(kind) as kind", f"amount * {i} as amount")
            derived.write.parquet(f"{work}/out{i}x")
        done = n
        time.sleep(SETTLED_SECONDS)
        figures[str(n)] = megabytes()
    if conf:
        assert hook.stats()["messages"]["delivered"] >= AFTER[-1], hook.stats()
    spark.stop()
    return figures


def _of_jar(conf: Mapping[str, str]) -> dict[str, float]:
    """Run a spark-shell with the jar, and return the memory of the Python that it has started."""
    with tempfile.TemporaryDirectory() as work:
        script, home = Path(work, "writes.scala"), spark_home()
        script.write_text(SHELL.format(work=work, after=AFTER).replace("$$", "$"))
        jar = subprocess.run(
            [sys.executable, "-m", "sac_kafka.tools.cli.main", "jar"], check=True, capture_output=True, text=True
        ).stdout.strip()
        own = {
            "spark.jars": jar,
            "spark.extraListeners": "sackafka.driver.LineageListener",
            "spark.atlas.hook.spark.python": sys.executable,
            "spark.sql.catalogImplementation": "in-memory",
        }
        options = [part for key, value in {**CONF, **conf, **own}.items() for part in ("--conf", f"{key}={value}")]
        shell = subprocess.Popen(
            [f"{home}/bin/spark-shell", *options, "-i", str(script)],
            env=environment(SPARK_HOME=str(home)),
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert shell.stdout is not None
        figures = {}
        for line in shell.stdout:
            if line.startswith("reached "):
                time.sleep(SETTLED_SECONDS)
                (python,) = pythons_below(Path(work))
                figures[line.split()[1]] = megabytes(python)
        assert shell.wait() == 0 and len(figures) == len(AFTER), figures
    return figures


if __name__ == "__main__":
    print(json.dumps(job(sys.argv[1], json.loads(sys.argv[2]))))
