"""Runs the daily job of `jobs/`, as spark-submit would, against the test's own Kafka; and what its lineage must be."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from confluent_kafka import Consumer, TopicPartition

from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.atlas.wire.reader import read
from stack.jars import provide
from stack.local import client_properties
from stack.properties import atlas_properties
from tests.helpers.judge import judging
from tests.helpers.processes import environment
from tests.live.server.live_atlas import TOPIC, RunningAtlas
from tests.live.server.server_job import PATIENT, TIMEOUT_SECONDS

JOB = Path(__file__).parent / "jobs" / "daily.py"
SPARK_KAFKA = "spark-kafka-4.1.1"

ORDERS = "id,customer,amount\n1,ann,12.5\n2,bob,3.0\n3,ann,40.0\n"
CUSTOMERS = '{"name":"ann","country":"NL","discount":0.1}\n{"name":"bob","country":"BE","discount":0.0}\n'


class Size(NamedTuple):
    """What a run put on ATLAS_HOOK; a partial update or a delete counts as one entity."""

    messages: int
    entities: int
    bytes: int


class DailyJob:
    """The job in a separate folder, under a separate namespace: it shares nothing with other tests."""

    def __init__(self, server: RunningAtlas, work: Path, namespace: str, **settings: str) -> None:
        self.server = server
        self.work = work
        self.namespace = namespace
        self.topic = f"reports_{namespace}"
        self.sizes: list[Size] = []
        """Of each run."""
        server.kafka.create_topic(self.topic)
        for name, text in (("orders/a.csv", ORDERS), ("customers/a.json", CUSTOMERS)):
            file = work / "in" / name
            file.parent.mkdir(parents=True)
            file.write_text(text)
        conf = work / "conf"
        conf.mkdir()
        properties = {
            **client_properties(server.kafka),
            **PATIENT,
            "atlas.metadata.namespace": namespace,
            "atlas.hook.spool.dir": str(work / "spool"),
            **settings,
        }
        (conf / "atlas-application.properties").write_text(atlas_properties(properties))

    def run(self, version: int = 1, conf: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Run it to its end, and wait until the server has read all its messages; return the hook's statistics."""
        start = self._end()
        jars = [str(jar) for jar in sorted(provide(SPARK_KAFKA).folder.glob("*.jar"))]
        spark = {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": str(self.work / "warehouse"),
            "spark.jars": ",".join(jars),
            "spark.driver.extraJavaOptions": f"-Datlas.conf={self.work / 'conf'} -Dderby.system.home={self.work}",
            **(conf or {}),
        }
        submit = [f"--conf {key}={value!r}" for key, value in spark.items()]
        arguments = [self.work, self.server.bootstrap, self.topic, version]
        done = subprocess.run(
            [sys.executable, str(JOB), *map(str, arguments)],
            cwd=self.work,
            env=environment(PYSPARK_SUBMIT_ARGS=f"{' '.join(submit)} pyspark-shell"),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-5000:]
        self.sizes.append(self._size_since(start))
        self.server.wait_consumed()
        stats: dict[str, Any] = ast.literal_eval((self.work / "stats.txt").read_text())
        return stats

    def grow_older(self, hours: float) -> None:
        """Let everything that was sent so far be sent that long ago, as the hook remembers it."""
        (file,) = (self.work / "spool").glob("sent-*.json")
        first, *groups = file.read_text().splitlines()
        for number, group in enumerate(groups):
            known, members = group.split("\t")
            type_name, name, digest, since_ms, *rest = json.loads(known)
            older = [type_name, name, digest, since_ms - int(hours * 3_600_000), *rest]
            groups[number] = f"{json.dumps(older)}\t{members}"
        file.write_text("\n".join([first, *groups]) + "\n")

    def _end(self) -> int:
        with self._consumer() as consumer:
            return int(consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=60)[1])

    def _size_since(self, start: int) -> Size:
        with self._consumer() as consumer:
            end = consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=60)[1]
            consumer.assign([TopicPartition(TOPIC, 0, start)])
            values: list[bytes] = []
            while len(values) < end - start:
                message = consumer.poll(60)
                assert message is not None, "Kafka does not give back what was sent"
                assert message.error() is None, message.error()
                values.append(message.value())
        judging.assert_good(value.decode() for value in values)
        notifications = [read(value).notification for value in values]
        entities = sum(len(each.entities) if isinstance(each, EntityCreate) else 1 for each in notifications)
        return Size(messages=len(values), entities=entities, bytes=sum(map(len, values)))

    @contextmanager
    def _consumer(self) -> Iterator[Consumer]:
        settings = {"bootstrap.servers": self.server.bootstrap, "group.id": "sizes", "enable.auto.commit": False}
        consumer = Consumer({**settings, "auto.offset.reset": "earliest"})
        try:
            yield consumer
        finally:
            consumer.close()

    def file(self, name: str) -> str:
        """Return the qualifiedName of a path below the job's folder."""
        return f"file:{self.work}/{name}@{self.namespace}"

    def table(self, name: str) -> str:
        """Return the qualifiedName of a table or a column."""
        return f"{name}@{self.namespace}"

    def rdbms(self, name: str) -> str:
        """Return the qualifiedName of a table of the reporting database, or a column."""
        return f"derby:{self.work}/reporting/{name}@{self.namespace}"
