"""Conclusions from a broker's answer, or from none, with a scripted probe."""

from __future__ import annotations

import itertools

import pytest

from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Failed
from sac_kafka.transport.kafka.librdkafka_queries import TopicDescription
from sac_kafka.transport.kafka.probing import ProbeResult, probe
from tests.helpers.waiting import FakeClock

REFUSED = ClientError("_TRANSPORT", "h:1/bootstrap: Connect to ipv4#1.2.3.4:1 failed: Connection refused")


class ScriptedProbe:
    """Tells `events`, a second and a poll each, the last one ever after; `answer` comes with the poll of the number `after`."""

    def __init__(
        self,
        clock: FakeClock,
        *events: ClientEvent | None,
        answer: TopicDescription | Failed | None = None,
        after: int = 0,
    ) -> None:
        self.clock = clock
        self.events = itertools.chain(events, itertools.repeat(events[-1] if events else None))
        self.polls = 0
        self.found, self.after = answer, after

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        assert timeout_seconds > 0  # not measured
        self.clock.advance(1)
        self.polls += 1
        event = next(self.events)
        return (event,) if event is not None else ()

    def answer(self) -> TopicDescription | Failed | None:
        return self.found if self.polls > self.after else None


def probed(
    *events: ClientEvent | None, answer: TopicDescription | Failed | None = None, after: int = 0
) -> tuple[ProbeResult, int]:
    clock = FakeClock()
    scripted = ScriptedProbe(clock, *events, answer=answer, after=after)
    return probe(scripted, "T", "kafka h:1", 10, clock), scripted.polls


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (TopicDescription(3, True), ProbeResult("", "", "", 3)),
        (TopicDescription(1, None), ProbeResult("", "", None, 1)),
    ],
)
def test_a_broker_that_answers_is_reachable(answer: TopicDescription, found: ProbeResult) -> None:
    assert probed(answer=answer) == (found, 1)


def test_a_read_only_topic_is_reported() -> None:
    found, _ = probed(answer=TopicDescription(1, False))
    assert (found.connection, found.topic) == ("", "")
    assert found.permission is not None
    assert found.permission.startswith("the user may not write to the topic T")


def test_a_missing_topic_is_no_failure_of_the_connection() -> None:
    found, _ = probed(answer=Failed(0, "UNKNOWN_TOPIC_OR_PART", "Broker: Unknown topic or partition"))
    assert (found.connection, found.permission) == ("", None)
    assert found.topic is not None
    assert found.topic.startswith("the topic T does not exist")


def test_one_broker_of_several_may_be_down() -> None:
    assert probed(REFUSED, None, answer=TopicDescription(1, True), after=2) == (ProbeResult("", "", "", 1), 3)


def test_a_lasting_failure_is_reported_before_the_timeout() -> None:
    found, polls = probed(REFUSED)
    assert "nothing listens on the broker's port" in found.connection
    assert polls < 6


def test_a_failure_that_needs_action_is_reported_at_once() -> None:
    text = "h:1/bootstrap: SASL authentication error: Authentication failed: Invalid username or password"
    found, polls = probed(ClientError("_AUTHENTICATION", text), answer=TopicDescription(1, True), after=5)
    assert (found.topic, polls) == (None, 1)
    assert found.connection.startswith("the broker rejects the user name or password")


def test_silence_ends_at_the_timeout() -> None:
    found, polls = probed()
    assert polls == 10
    assert "waited 10 s" in found.connection


def test_an_earlier_more_precise_failure_is_reported() -> None:
    found, _ = probed(REFUSED, answer=Failed(0, "_TRANSPORT", "Local: Broker transport failure"))
    assert "nothing listens on the broker's port" in found.connection
