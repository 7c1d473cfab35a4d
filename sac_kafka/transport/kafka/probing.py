"""Check whether messages could be delivered, without sending one: connection, login, topic, permission.

Errors are explained by the same rules as those of the transport.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sac_kafka.transport.base import Failure
from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Failed
from sac_kafka.transport.kafka.error_tracker import ErrorTracker
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.librdkafka_queries import TopicDescription

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 3.0
"""Time after the first error in which another bootstrap server may still respond; at most half of the timeout."""
_TOPIC_ERRORS = ("topic missing", "topic name", "topic not allowed")


class Probe(Protocol):
    """A pending query of a topic."""

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Return new events, waiting for the first one up to the timeout."""

    def answer(self) -> TopicDescription | Failed | None:
        """Return the description of the topic or the error; None while there is no response."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Result of each check: "" if it passed, else the reason; None if it was not reached.

    `permission` is also None if the broker does not report permissions.
    """

    connection: str
    topic: str | None = None
    permission: str | None = None
    partitions: int = 0


def probe(
    query: Probe, topic: str, place: str, timeout_seconds: float, clock: Callable[[], float] = time.monotonic
) -> ProbeResult:
    """Wait for the response to a query, up to the timeout.

    Args:
        query: The pending query.
        topic: The topic.
        place: Name of the broker in errors.
        timeout_seconds: Maximum time to wait.
        clock: Monotonic clock in seconds.
    """
    errors = ErrorTracker(place)
    end, failing_since = clock() + timeout_seconds, None
    grace = min(_GRACE_SECONDS, timeout_seconds / 2)
    while clock() < end:
        failure = _first_failure(errors, query.poll(_POLL_SECONDS), clock())
        if failure is not None:
            return ProbeResult(failure.reason)
        if (answer := query.answer()) is not None:
            return _result(answer, topic, errors)
        errors.watch(clock())
        if errors.problem is None:
            failing_since = None
        elif failing_since is None:
            failing_since = clock()
        elif clock() - failing_since >= grace:
            break
    return ProbeResult(errors.problem or explain("_TIMED_OUT", f"waited {timeout_seconds:g} s").sentence)


def _first_failure(errors: ErrorTracker, events: tuple[ClientEvent, ...], now: float) -> Failure | None:
    failures = [errors.client_error(event, now) for event in events if isinstance(event, ClientError)]
    return next(filter(None, failures), None)


def _result(answer: TopicDescription | Failed, topic: str, errors: ErrorTracker) -> ProbeResult:
    if isinstance(answer, TopicDescription):
        denied = explain("TOPIC_AUTHORIZATION_FAILED", "", topic).sentence
        permission = None if answer.may_write is None else "" if answer.may_write else denied
        return ProbeResult("", "", permission, answer.partitions)
    explained = errors.failed(answer, topic)
    if explained.kind in _TOPIC_ERRORS:
        return ProbeResult("", explained.sentence)
    return ProbeResult(explained.sentence)
