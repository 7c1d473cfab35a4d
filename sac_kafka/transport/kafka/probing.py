"""Asks a broker whether messages would get through, without sending one: connection, log-in, topic, permission.

Errors are explained by the same table as those of a transport.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sac_kafka.transport.base import Failure
from sac_kafka.transport.kafka.client import ClientEvent, Failed, Noticed
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.librdkafka_questions import Described
from sac_kafka.transport.kafka.troubles import Troubles

_POLL_SECONDS = 0.1
_PATIENCE_SECONDS = 3.0
"""So long after the first trouble another broker of the list may still answer; less where there is little time."""
_OF_THE_TOPIC = ("topic missing", "topic name", "topic not allowed")


class Probe(Protocol):
    """A question to a broker that is under way."""

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Give what has happened, waiting for the first at most this long."""

    def answer(self) -> Described | Failed | None:
        """Give what the broker tells of the topic, None as long as it has not."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What is known: `connection`, `topic` and `permission` are why there is none of it, "" where it is good.

    What was not reached is None, and so is a permission that the broker does not tell of.
    """

    connection: str
    topic: str | None = None
    permission: str | None = None
    partitions: int = 0


def probe(
    asked: Probe, topic: str, place: str, timeout_seconds: float, clock: Callable[[], float] = time.monotonic
) -> Probed:
    """Wait for the answer, at most the timeout.

    Args:
        asked: The question, which is under way.
        topic: The topic that it is about.
        place: What errors call the broker.
        timeout_seconds: The longest wait.
        clock: Counts seconds and never goes back.
    """
    troubles = Troubles(place)
    end, in_trouble_since = clock() + timeout_seconds, None
    patience = min(_PATIENCE_SECONDS, timeout_seconds / 2)
    while clock() < end:
        failure = _heard(troubles, asked.poll(_POLL_SECONDS), clock())
        if failure is not None:
            return Probed(failure.reason)
        if (answer := asked.answer()) is not None:
            return _read(answer, topic, troubles)
        troubles.watch(clock())
        if troubles.problem is None:
            in_trouble_since = None
        elif in_trouble_since is None:
            in_trouble_since = clock()
        elif clock() - in_trouble_since >= patience:
            break
    return Probed(troubles.problem or explain("_TIMED_OUT", f"waited {timeout_seconds:g} s").sentence)


def _heard(troubles: Troubles, events: tuple[ClientEvent, ...], now: float) -> Failure | None:
    failures = [troubles.noticed(event, now) for event in events if isinstance(event, Noticed)]
    return next(filter(None, failures), None)


def _read(answer: Described | Failed, topic: str, troubles: Troubles) -> Probed:
    if isinstance(answer, Described):
        refused = explain("TOPIC_AUTHORIZATION_FAILED", "", topic).sentence
        permission = None if answer.may_write is None else "" if answer.may_write else refused
        return Probed("", "", permission, answer.partitions)
    explained = troubles.failed(answer, topic)
    if explained.kind in _OF_THE_TOPIC:
        return Probed("", explained.sentence)
    return Probed(explained.sentence)
