"""The hook through the lives of contexts and sessions of one process: attach, detach, stop, again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import sac_kafka
from sac_kafka.hook.hook import Hook
from sac_kafka.plan import wire
from sac_kafka.plan.specification import specification
from sac_kafka.spark.listener import Listener
from tests.helpers.live_runs import SETTINGS, session
from tests.helpers.messages import entities
from tests.helpers.waiting import LONG_SECONDS, until
from tests.live.spark.drivers import hook_conf
from tests.live.spark.sleeper import HOLD, compiled, hold, instance, release

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]

MakeSession = Callable[..., "SparkSession"]

HOLDER = f"""
package sackafkatest;

public class Holder extends org.apache.spark.scheduler.SparkListener {{
  public void onJobStart(org.apache.spark.scheduler.SparkListenerJobStart job) {{
    try {{
      while (System.getProperty("{HOLD}") != null) Thread.sleep(20L);
    }} catch (InterruptedException stop) {{
      return;
    }}
  }}
}}
"""


@pytest.fixture
def new_session(tmp_path: Path) -> Iterator[MakeSession]:
    """Makes contexts whose hooks keep their messages in memory; the last one is stopped."""
    made: list[SparkSession] = []

    def make(**conf: str) -> SparkSession:
        made.append(session(str(tmp_path), **hook_conf(tmp_path, client_type="memory"), **conf))
        return made[-1]

    yield make
    for spark in made[-1:]:
        spark.stop()
    until(lambda: not any(hook.is_active for hook in sac_kafka.hook.hook.hooks()))


def write(spark: SparkSession, tmp_path: Path, name: str) -> None:
    spark.range(3).write.mode("overwrite").parquet(f"{tmp_path}/{name}")


def flows(hook: Hook) -> list[str]:
    """Return the last segments of the written paths, in order."""
    return [
        output["uniqueAttributes"]["qualifiedName"].rpartition("/")[2].partition("@")[0]
        for envelope in hook.messages()
        for entity in envelope["message"]["entities"]["entities"]
        if entity["typeName"] == "spark_process"
        for output in entity["relationshipAttributes"]["outputs"]
    ]


def ended(hook: Hook) -> Hook:
    """Return the hook once its worker has ended without errors."""
    until(lambda: not hook.is_active)
    assert hook.stats()["errors"] == {}
    assert hook.stats()["listener"] == {}
    return hook


def test_attach_is_idempotent_and_captures_every_session(new_session: MakeSession, tmp_path: Path) -> None:
    spark = new_session()
    hook = sac_kafka.attach(spark)
    other = spark.newSession()
    assert sac_kafka.attach(spark) is sac_kafka.attach(other) is sac_kafka.attach(spark.sparkContext) is hook
    write(other, tmp_path, "other")
    write(spark, tmp_path, "first")
    assert sac_kafka.flush(LONG_SECONDS)
    assert flows(hook) == ["other", "first"]
    assert hook.stats()["messages"]["delivered"] == 2
    spark.stop()
    ended(hook)
    assert hook.flush(1).delivered == 3  # the fate of all messages is known, also of the last one
    assert not hook.is_active
    assert hook.stats()["executions"] == 2


def test_stop_delivers_the_last_query(new_session: MakeSession, tmp_path: Path) -> None:
    spark = new_session()
    hook = sac_kafka.attach(spark)
    for name in ("a", "b", "c"):
        write(spark, tmp_path, name)
    spark.stop()
    assert flows(ended(hook)) == ["a", "b", "c"]


def test_detach_delivers_the_last_query_and_attach_starts_again(new_session: MakeSession, tmp_path: Path) -> None:
    spark = new_session()
    first = sac_kafka.attach(spark)
    write(spark, tmp_path, "a")
    first.detach()
    first.detach()
    assert flows(ended(first)) == ["a"]
    write(spark, tmp_path, "b")
    second = sac_kafka.attach(spark)
    assert second is not first
    write(spark, tmp_path, "c")
    assert second.flush(LONG_SECONDS)
    assert flows(second) == ["c"]
    assert flows(first) == ["a"]
    sac_kafka.detach()
    assert not ended(second).is_active


def test_successive_contexts_have_separate_hooks(new_session: MakeSession, tmp_path: Path) -> None:
    hooks = []
    for name in ("a", "b", "c"):
        spark = new_session()
        hooks.append(sac_kafka.attach(spark))
        write(spark, tmp_path, name)
        spark.stop()
    assert [flows(ended(hook)) for hook in hooks] == [["a"], ["b"], ["c"]]
    assert len(set(hooks)) == 3
    # Whoever is not active any more is not kept.
    assert len(sac_kafka.hook.hook.hooks()) == 1


def disabled(caplog: pytest.LogCaptureFixture, what: object, reason: str) -> None:
    with caplog.at_level(logging.WARNING, "sac_kafka"):
        hook = sac_kafka.attach(what)
    assert reason in hook.stats()["disabled"]
    (warning,) = caplog.records
    assert reason in warning.getMessage()
    assert "the job runs on without lineage" in warning.getMessage()
    assert not hook.is_active
    assert not hook.flush(1)
    hook.detach()
    assert "disabled" in repr(hook)


def test_a_stopped_context_gives_a_disabled_hook(
    new_session: MakeSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spark = new_session()
    spark.stop()
    disabled(caplog, spark, "the SparkContext is stopped")


def test_sessions_of_a_driver_have_separate_views_and_jobs(new_session: MakeSession, tmp_path: Path) -> None:
    spark = new_session()
    hook = sac_kafka.attach(spark)
    other = spark.newSession()
    other.conf.set("spark.atlas.hook.spark.job.name", "hourly")  # Spark redacts what has a "url" in it
    for each, name in ((spark, "a"), (other, "b")):
        write(each, tmp_path, name)
        each.read.parquet(f"{tmp_path}/{name}").createOrReplaceTempView("mine")
    for each, name in ((spark, "of_a"), (other, "of_b")):
        each.table("mine").write.parquet(f"{tmp_path}/{name}")
    assert hook.flush(LONG_SECONDS)
    named = [each["attributes"]["name"] for each in entities(hook.messages(), "spark_process")]
    assert [name.replace(f"{tmp_path.name}/", "") for name in named[2:]] == ["test: a -> of_a", "hourly: b -> of_b"]


def test_a_session_of_a_local_connect_server_belongs_to_the_driver(
    new_session: MakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make it as `SparkSession.builder.remote("local")` does, which also sets the environment."""

    class SparkSession:
        __module__ = "pyspark.sql.connect.session"

    spark = new_session()
    monkeypatch.setenv("SPARK_LOCAL_REMOTE", "1")
    hook = sac_kafka.attach(SparkSession())
    assert hook is sac_kafka.attach(spark)
    assert hook.is_active


def test_a_connect_session_gives_a_disabled_hook(caplog: pytest.LogCaptureFixture) -> None:
    class SparkSession:
        """As `pyspark.sql.connect.session.SparkSession`: a client, and no context."""

        __module__ = "pyspark.sql.connect.session"
        client = SimpleNamespace()

    disabled(
        caplog,
        SparkSession(),
        "a session of Spark Connect (pyspark.sql.connect.session.SparkSession) has no driver JVM in this process",
    )


def test_a_wrong_setting_gives_a_disabled_hook(new_session: MakeSession, caplog: pytest.LogCaptureFixture) -> None:
    spark = new_session(**{"spark.atlas.hook.spark.query.text": "everything"})
    disabled(caplog, spark, "atlas.hook.spark.query.text")
    assert spark.range(3).count() == 3


def test_a_missing_class_gives_a_disabled_hook(
    new_session: MakeSession, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sac_kafka.spark.listener._LOADED", {})
    monkeypatch.setattr("sac_kafka.spark.java_classes.archive", Path)
    monkeypatch.setattr("sac_kafka.spark.java_classes.compilation_unit", lambda _: "package sackafka; class {")
    spark = new_session()
    disabled(caplog, spark, "the listener cannot be started in this driver")
    assert spark.range(3).count() == 3


def test_events_dropped_by_sparks_queue_are_counted(new_session: MakeSession) -> None:
    """Another listener of the queue holds it for as long as the tasks run."""
    spark = new_session(**{"spark.scheduler.listenerbus.eventqueue.sac-kafka.capacity": "1"})
    listener = Listener.start(spark.sparkContext, specification(), SETTINGS)
    holder = instance(spark, compiled(spark, HOLDER, "sackafkatest.Holder"))
    spark.sparkContext._jsc.sc().listenerBus().addToQueue(holder, "sac-kafka")
    hold(spark)
    try:
        spark.range(0, 400, 1, 200).count()
    finally:
        release(spark)
    counts: dict[str, int] = {}

    def are_counted() -> bool:
        for line in wire.read(listener.poll(200) or ""):
            counts.update(line.counts if isinstance(line, wire.Counters) else {})
        return bool(counts)

    until(are_counted)
    assert counts["dropped: queue of the listener bus full"] > 0
