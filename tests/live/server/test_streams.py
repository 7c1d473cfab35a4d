"""Streaming queries that are killed and go on from their checkpoints, and what a real Atlas shows of them: one process each."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.atlas.wire.reader import read
from tests.helpers.judge import judging
from tests.helpers.waiting import until
from tests.live.server.live_atlas import TOPIC, RunningAtlas
from tests.live.server.server_job import write_properties
from tests.live.server.test_acceptance import Shown
from tests.live.server.test_lakes import PYTHON, SPARK, pytestmark  # noqa: F401 as of theirs: the jars are made for that Spark
from tests.live.sources import delta_cases, iceberg_cases
from tests.live.sources.family import spark_jars
from tests.live.sources.round_trips import environment_of

JOB = Path(__file__).parent / "jobs" / "streams.py"
JARS = ("spark-kafka-3.5.7", "delta-3.5", "iceberg-3.5")
EXTENSIONS = "spark.sql.extensions"

RUNS = [10, pytest.param(100, marks=pytest.mark.nightly)]
"""How many batches each query runs, half of them before it is killed."""
COUNTED = ("copied", "raw", "mart", "items")
"""The queries that run that many; `seen` has as many as it finds."""
MAX_MESSAGES = 6
"""Of a query, however long it runs, and through a restart."""
STALL_SECONDS = 600
"""How long a driver may do nothing that is seen; how long it takes for all depends on the machine."""

FLOWS = {
    "copies": {"sales"},
    "lake/raw": {"sales"},
    "ic.lake.mart": {"lake/raw"},
    "items": {"in/items"},
    "totals": {"in/items"},
    "out/seen": {"seen_first", "seen_later"},
}
"""Output → inputs."""

COLUMNS = {
    "copies#key": {"sales#key"},
    "copies#value": {"sales#value"},
    "lake/raw#item": {"sales#value"},
    "lake/raw#price": {"sales#value"},
    "ic.lake.mart.item": {"lake/raw#item"},
    "ic.lake.mart.gross": {"lake/raw#price"},
    "items.id": {"in/items#id"},
    "items.item": {"in/items#item"},
    "totals.item": {"in/items#item"},
    "totals.total": {"in/items#price"},
    "out/seen#topic": {"seen_first#topic", "seen_later#topic"},
    "out/seen#value": {"seen_first#value", "seen_later#value"},
}
"""Output column → the columns that flow into it."""


class ShownStreams(Shown):
    """Without the servers of topics, and with the tables of the database by their names."""

    def short(self, qualified_name: str) -> str:
        name = super().short(qualified_name)
        return name.removeprefix(f"derby:{self.job.work}/reporting/").removeprefix(f"{self.job.namespace}_")


class Driver:
    """The job in a separate folder, which is started as often as it is killed."""

    def __init__(self, server: RunningAtlas, work: Path, namespace: str, batches: int) -> None:
        self.server, self.work, self.namespace, self.batches = server, work, namespace, batches
        write_properties(server, work, namespace)
        iceberg, delta = iceberg_cases.conf(str(work)), delta_cases.conf(str(work))
        spark = {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": str(work / "warehouse"),
            "spark.driver.extraJavaOptions": f"-Datlas.conf={work} -Dderby.system.home={work}",
            **iceberg,
            **delta,
            EXTENSIONS: f"{delta[EXTENSIONS]},{iceberg[EXTENSIONS]}",
            **spark_jars(JARS),
        }
        self._submit = " ".join(f"--conf {key}={value!r}" for key, value in spark.items())

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[bytes]]:
        """Yield a driver; what is left of it is killed."""
        with (self.work / "out.log").open("ab") as log:
            driver = subprocess.Popen(
                [str(PYTHON), str(JOB), str(self.work), self.server.bootstrap, self.namespace, str(self.batches)],
                cwd=self.work,
                env=environment_of(str(PYTHON), PYSPARK_SUBMIT_ARGS=f"{self._submit} pyspark-shell"),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield driver
        finally:
            if driver.poll() is None:
                os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()

    def feed(self, begin: int, end: int) -> None:
        """Give those rows to the queries: in a topic, and each in a complete file."""
        _produce(self.server, f"{self.namespace}_sales", [f"item{n % 7},{n}" for n in range(begin, end)])
        for n in range(begin, end):
            new = self.work / "in" / f"{n}.csv"
            new.write_text(f"{n},item{n % 7},{n}.5\n")
            new.rename(self.work / "in" / "items" / new.name)

    def least(self) -> int:
        """Return how many batches all of the counted queries have done at least."""
        return min(map(self.commits, COUNTED))

    def commits(self, query: str) -> int:
        """Return how many batches of a query are done, in all runs."""
        done = (self.work / "checkpoints" / query / "commits").glob("[0-9]*")
        return 1 + max((int(each.name) for each in done), default=-1)

    def wait(self, driver: subprocess.Popen[bytes], done: Callable[[], bool]) -> None:
        """Return once something is done; a driver that ends before that, or stands still, fails the test."""

        def is_done() -> bool:
            has_ended = driver.poll() is not None  # first: it may be done just before its end
            if done():
                return True
            assert not has_ended, self.log_end()
            return False

        until(is_done, self.log_end, STALL_SECONDS, lambda: sum(map(self.commits, (*COUNTED, "seen"))))

    def log_end(self) -> str:
        """Return the end of the drivers' output."""
        return (self.work / "out.log").read_text(errors="replace")[-5000:]


@pytest.fixture(scope="module", params=RUNS)
def job(
    request: pytest.FixtureRequest, atlas_server: RunningAtlas, tmp_path_factory: pytest.TempPathFactory
) -> SimpleNamespace:
    """Run the job, kill it half way and run it again; return its start on ATLAS_HOOK and the batches done till then."""
    batches = int(request.param)
    work, namespace = tmp_path_factory.mktemp("streams"), f"streams{batches}"
    driver = Driver(atlas_server, work, namespace, batches // 2)
    for topic in ("sales", "copies", "seen_first"):
        atlas_server.kafka.create_topic(f"{namespace}_{topic}")
    _produce(atlas_server, f"{namespace}_seen_first", ["first"])
    (work / "in" / "items").mkdir(parents=True)
    driver.feed(0, 3 * batches)
    mark, begin = atlas_server.logs.mark(), _end(atlas_server)
    with driver.started() as started:
        driver.wait(started, lambda: driver.least() >= batches // 2 and driver.commits("seen") > 0)
    before = {name: driver.commits(name) for name in COUNTED}
    driver.feed(3 * batches, 5 * batches)  # however many batches were done while this process had to wait
    with driver.started() as again:
        driver.wait(again, lambda: all(driver.commits(name) > before[name] for name in COUNTED))
        atlas_server.kafka.create_topic(f"{namespace}_seen_later")
        _produce(atlas_server, f"{namespace}_seen_later", ["later"])
        driver.wait(again, lambda: again.poll() is not None)
        assert again.returncode == 0, driver.log_end()
    atlas_server.wait_consumed()
    return SimpleNamespace(
        work=work,
        namespace=namespace,
        topic="no topic",
        server=atlas_server,
        driver=driver,
        before=before,
        mark=mark,
        begin=begin,
    )


def _produce(server: RunningAtlas, topic: str, values: list[str]) -> None:
    producer = Producer({"bootstrap.servers": server.bootstrap})
    for value in values:
        producer.produce(topic, value, key=value[:5])
    assert producer.flush(60) == 0


def _end(server: RunningAtlas) -> int:
    consumer = Consumer({"bootstrap.servers": server.bootstrap, "group.id": "ends"})
    try:
        return int(consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=60)[1])
    finally:
        consumer.close()


def _messages(server: RunningAtlas, begin: int) -> list[bytes]:
    consumer = Consumer({"bootstrap.servers": server.bootstrap, "group.id": "messages"})
    try:
        end = consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=60)[1]
        consumer.assign([TopicPartition(TOPIC, 0, begin)])
        values: list[bytes] = []
        while len(values) < end - begin:
            message = consumer.poll(60)
            assert message is not None
            assert message.error() is None, message.error()
            values.append(message.value())
        return values
    finally:
        consumer.close()


def test_every_query_has_run_its_batches_and_was_killed_once(job: SimpleNamespace) -> None:
    for name in COUNTED:
        assert job.before[name] >= job.driver.batches
        assert job.driver.commits(name) >= job.before[name] + job.driver.batches
    job.server.assert_no_complaints(job.mark)


def test_every_query_is_one_process(job: SimpleNamespace) -> None:
    shown = ShownStreams(job)
    processes = [shown.rest.entity("spark_process", name) for name in shown.own("spark_process")]
    written = [sorted(shown.active_ends(process, "outputs")) for process in processes]
    assert sorted(written) == [["copies"], ["ic.lake.mart"], ["items", "totals"], ["lake/raw"], ["out/seen"]]


def test_exactly_the_expected_inputs_outputs_and_columns_are_stored(job: SimpleNamespace) -> None:
    shown = ShownStreams(job)
    assert shown.flows("spark_process") == FLOWS
    assert shown.flows("spark_column_lineage") == COLUMNS


def test_a_query_is_a_few_messages(job: SimpleNamespace) -> None:
    values = _messages(job.server, job.begin)
    judging.assert_good(value.decode() for value in values)
    log_end = [read(value).notification for value in values]
    of_query: dict[str, int] = {}
    for each in log_end:
        entities = each.entities if isinstance(each, EntityCreate) else ()
        for name in {e.id.qualified_name for e in entities if e.id.type_name == "spark_process"}:
            of_query[name] = of_query.get(name, 0) + 1
    assert len(of_query) == len((*COUNTED, "seen"))
    assert {name: n for name, n in of_query.items() if n > MAX_MESSAGES} == {}
