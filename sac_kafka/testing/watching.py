"""Manage the hooks of a test run, one per SparkContext with messages in memory, and the messages of the current test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sac_kafka_auto
from sac_kafka.errors import LineageTestError
from sac_kafka.hook.hook import Hook, attach
from sac_kafka.stats import Stats
from sac_kafka.tools.messages.reader import RawRecord, TopicMessage, join_parts
from sac_kafka.transport.sinks.memory import MemoryTransport

_SETTINGS = {
    "job_name": "test",
    "client_type": "memory",
    "spark_enabled": "true",
    "metadata_namespace": "test",
    "sent_max_age_seconds": "0",  # Each test needs all of its lineage, even if an earlier test sent it already.
    "capture_stop_wait_seconds": "60",  # On a busy machine the last query may arrive late when Spark stops.
    "report": "off",  # a test of the job's output must pass
    # Tests must not overwrite the metrics files of production.
    "metrics_json_path": "",
    "metrics_prometheus_path": "",
    "metrics_spark": "false",
}
_FLUSH_SECONDS = 60.0
_OF_STOPPED = (
    "the fixture's session was stopped by an earlier test: create a session for each test, do not stop Spark in the job, or do "
    "not request the fixture if the job creates its own session"
)


@dataclass(slots=True)
class _Watched:
    """A hook with its session, its sink, and its statistics at the start of the test."""

    hook: Hook
    spark: Any = field(repr=False)
    sink: MemoryTransport
    before: Stats = field(repr=False)


class Watching:
    """Watcher of sessions, with the messages of the current test; reused by later tests, because hooks are."""

    def __init__(self) -> None:
        self._all: list[_Watched] = []

    @property
    def is_any(self) -> bool:
        """True if a session is watched."""
        return bool(self._all)

    @property
    def has_ended(self) -> bool:
        """True if a hook was detached in this test while Spark continued."""
        return any(not each.hook.is_active and not is_stopped(each.spark) for each in self._all)

    def begin(self, spark: Any) -> None:  # noqa: ANN401 a SparkSession, or None
        """Start a test: discard earlier messages and watch its session.

        Raises:
            LineageTestError: The session cannot be watched.
        """
        self._all = [each for each in self._all if each.hook.is_active]
        for each in self._all:
            each.hook.flush(_FLUSH_SECONDS)
        self.forget()
        for each in self._all:
            each.before = each.hook.stats()
        if spark is not None:
            self.attach(spark, {})

    def attach(self, spark: Any, settings: dict[str, object]) -> None:  # noqa: ANN401 a SparkSession or SparkContext
        """Watch a session and all others of its SparkContext; no effect if the context is watched already.

        Raises:
            LineageTestError: The session has no driver in this process, or a hook with another sink.
        """
        hook = attach(spark, {**_SETTINGS, **settings})
        if any(each.hook is hook for each in self._all):
            return
        stats = hook.stats()
        if stats["disabled"] is not None:
            why = f"the session cannot be watched, the hook is disabled: {stats['disabled']}"
            raise LineageTestError(_OF_STOPPED if is_stopped(spark) else why)
        if not isinstance(hook.transport, MemoryTransport):
            raise LineageTestError(
                f"the session already has a hook, which sends to {stats['sink']}: request the fixture `lineage` before the job "
                "attaches its own, call sac_kafka.detach() before, or run without SAC_KAFKA_AUTO and spark.atlas.spark.enabled"
            )
        del hook.transport.records[:]
        self._all.append(_Watched(hook, spark, hook.transport, stats))

    @contextmanager
    def following(self) -> Iterator[None]:
        """Watch every SparkContext that is created meanwhile, from its first statement on."""
        sac_kafka_auto.install()  # Not installed yet if SAC_KAFKA_AUTO=0.
        sac_kafka_auto.MADE.append(self._watch)
        try:
            yield
        finally:
            sac_kafka_auto.MADE.remove(self._watch)

    def _watch(self, context: Any) -> None:  # noqa: ANN401 a SparkContext
        self.attach(context, {})

    def forget(self) -> None:
        """Discard the messages captured so far."""
        for each in self._all:
            del each.sink.records[:]

    def messages(self) -> tuple[str, ...]:
        """Return the whole messages of the test, after a flush.

        Raises:
            LineageTestError: The flush timed out.
        """
        for each in self._all:
            flushed = each.hook.flush(_FLUSH_SECONDS)
            if flushed.waiting:
                raise LineageTestError(
                    f"the lineage of the test was not captured completely within {_FLUSH_SECONDS:g} s: {flushed.problem}"
                )
        found = join_parts(RawRecord("memory", value) for each in self._all for value in _values(each.sink))
        return tuple(each.text for each in found if isinstance(each, TopicMessage))

    def figures(self) -> Iterator[tuple[Stats, Stats]]:
        """Yield the statistics of each hook at the start of the test and now."""
        return ((each.before, each.hook.stats()) for each in self._all)


def _values(sink: MemoryTransport) -> Iterator[bytes]:
    for record in tuple(sink.records):
        yield from record.values


def is_stopped(spark: Any) -> bool:  # noqa: ANN401 a SparkSession or SparkContext, or any value of a fixture
    """Return whether the SparkContext was stopped."""
    return getattr(getattr(spark, "sparkContext", spark), "_jsc", spark) is None
