"""Messages that belong to the running test, and sessions that cannot be watched; hooks stand in for Spark's."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sac_kafka_auto
from sac_kafka.errors import LineageTestError
from sac_kafka.settings import Settings
from sac_kafka.settings.arguments import properties_of
from sac_kafka.stats import Flushed, stats_of_none
from sac_kafka.testing import watching
from sac_kafka.testing.watching import Watching
from sac_kafka.transport.base import Record, Transport
from sac_kafka.transport.sinks.memory import MemoryTransport
from tests.unit.atlas.flows import ORDINARY, messages_for

(MESSAGE,) = (each.value for each in messages_for(ORDINARY))


class _Hook:
    """A hook of a context: `under_way` are messages that arrive with the next flush."""

    def __init__(self, transport: Transport | None = None, disabled: str | None = None) -> None:
        self.transport = transport or MemoryTransport()
        self.is_active = True
        self.under_way: list[str] = []
        self.flushed = Flushed()
        self._disabled = disabled

    def flush(self, timeout_seconds: float) -> Flushed:
        while self.under_way:
            self.transport.send(Record("t", None, (self.under_way.pop().encode(),)), lambda _: None)
        return self.flushed

    def stats(self) -> dict[str, Any]:
        return {**stats_of_none(self._disabled, {}), "sink": "kafka broker:9092"}


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Collect the settings that hooks were attached with; the session stands for its hook."""
    found: list[dict[str, object]] = []

    def attach(spark: _Hook, settings: dict[str, object]) -> _Hook:
        found.append(settings)
        return spark

    monkeypatch.setattr(watching, "attach", attach)
    return found


def test_a_test_sees_its_own_messages_only(given: list[dict[str, object]]) -> None:
    hook, seen = _Hook(), Watching()
    hook.under_way = [MESSAGE]
    hook.flush(0)
    seen.begin(hook)  # messages from before it was watched
    assert seen.messages() == ()
    hook.under_way = [MESSAGE]  # still in flight at the time of the query
    assert len(seen.messages()) == 1
    hook.under_way = [MESSAGE]  # of the previous test, still in flight when the next one begins
    seen.begin(hook)
    assert seen.messages() == ()
    assert hook.transport.records == []


def test_hook_is_attached_with_complete_lineage(given: list[dict[str, object]]) -> None:
    seen = Watching()
    seen.begin(_Hook())
    seen.attach(_Hook(), {"job_name": "daily"})
    first, second = given
    assert (first["client_type"], first["sent_max_age_seconds"], first["job_name"]) == ("memory", "0", "test")
    assert second["job_name"] == "daily"
    assert Settings.read(properties_of(first), "test").driver.stop_wait_seconds == 60


def test_tests_write_no_metrics_files(given: list[dict[str, object]], tmp_path: Path) -> None:
    Watching().begin(_Hook())
    configured = {
        "atlas.hook.spark.metrics.json.path": str(tmp_path),
        "atlas.hook.spark.metrics.prometheus.path": str(tmp_path),
        "atlas.hook.spark.metrics.spark": "true",
    }
    found = Settings.read({**configured, **properties_of(given[0])}, "test").metrics
    assert (found.json_path, found.prometheus_path, found.spark) == (None, None, False)


def test_several_contexts_are_one_test(given: list[dict[str, object]]) -> None:
    one, other, seen = _Hook(), _Hook(), Watching()
    seen.begin(one)
    seen.attach(other, {})
    seen.attach(other, {})
    one.under_way, other.under_way = [MESSAGE], [MESSAGE]
    assert len(seen.messages()) == 2
    one.is_active = False  # its context was stopped: the next test does without it
    seen.begin(other)
    one.under_way, other.under_way = [MESSAGE], [MESSAGE]
    assert len(seen.messages()) == 1


def test_unwatchable_session_gives_the_reason(given: list[dict[str, object]]) -> None:
    with pytest.raises(LineageTestError, match="the hook is disabled: no driver JVM"):
        Watching().begin(_Hook(disabled="no driver JVM"))

    class Elsewhere(MemoryTransport.__base__):  # type: ignore[misc, name-defined]
        """No memory."""

        name = "kafka"

        def send(self, record: Record, outcome: Any) -> None:
            """Send nothing."""

    with pytest.raises(
        LineageTestError,
        match=r"already has a hook, which sends to kafka broker:9092: .*sac_kafka\.detach.* without SAC_KAFKA_AUTO",
    ):
        Watching().begin(_Hook(Elsewhere()))


def test_reports_a_context_that_an_earlier_test_stopped(given: list[dict[str, object]]) -> None:
    stopped = _Hook(disabled="the SparkContext is stopped")
    stopped.sparkContext = SimpleNamespace(_jsc=None)  # type: ignore[attr-defined]
    with pytest.raises(LineageTestError, match=r"was stopped by an earlier test: create a session for each"):
        Watching().begin(stopped)


def test_a_hook_that_ends_in_a_test_is_noticed(given: list[dict[str, object]]) -> None:
    hook, seen = _Hook(), Watching()
    seen.begin(hook)
    assert not seen.has_ended
    hook.is_active = False
    assert seen.has_ended
    seen.begin(_Hook())
    assert not seen.has_ended


def test_every_context_created_in_a_test_is_watched(given: list[dict[str, object]]) -> None:
    context, later, seen = _Hook(), _Hook(), Watching()
    with seen.following():
        seen.begin(None)
        assert not seen.is_any
        for made in sac_kafka_auto.MADE:  # as at the start of Spark
            made(context)
        context.under_way = [MESSAGE]
        assert len(seen.messages()) == 1
    assert seen._watch not in sac_kafka_auto.MADE
    assert [each["client_type"] for each in given] == ["memory"]
    context.is_active = False
    context.sparkContext = SimpleNamespace(_jsc=None)  # type: ignore[attr-defined]
    assert not seen.has_ended  # it was stopped: nothing can run in it any more
    seen.begin(later)
    assert seen.messages() == ()


def test_a_hook_that_is_late_is_an_error_not_a_wrong_answer(given: list[dict[str, object]]) -> None:
    hook, seen = _Hook(), Watching()
    seen.begin(hook)
    hook.flushed = Flushed(waiting=1, problem="1 or more not handled in time")
    with pytest.raises(
        LineageTestError, match="the lineage of the test was not captured completely within 60 s: 1 or more"
    ):
        seen.messages()


def test_without_a_session_nothing_is_watched() -> None:
    seen = Watching()
    seen.begin(None)
    assert not seen.is_any
