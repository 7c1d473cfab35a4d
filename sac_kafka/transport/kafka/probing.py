"""Check whether a message could be delivered, without sending one, and confirm that one was stored.

Errors are explained by the same rules as those of the transport.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.stages.output import Position
from sac_kafka.transport.base import Failure
from sac_kafka.transport.diagnostics.clocks import clock_finding
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Failed
from sac_kafka.transport.kafka.error_tracker import ErrorTracker
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.librdkafka_queries import TopicDescription, TopicListing, TopicProbe
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings

_STEP = "arrival"
_CONNECTION_ERRORS = frozenset({"_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_TIMED_OUT"})
_POLL_SECONDS = 0.1
_GRACE_SECONDS = 3.0
"""Time after the first error in which another bootstrap server may still respond; at most half of the timeout."""
_TOPIC_ERRORS = ("topic missing", "topic name", "topic not allowed")


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
    query: TopicProbe | TopicListing,
    topic: str,
    place: str,
    timeout_seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> ProbeResult:
    """Wait for the response to a query, up to the timeout; `place` names the broker in errors."""
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
    explained = errors.explain_failure(answer, topic)
    if explained.kind in _TOPIC_ERRORS:
        return ProbeResult("", explained.sentence)
    return ProbeResult(explained.sentence)


def confirm(
    settings: Settings, position: Position, value: bytes, timeout_seconds: float, driver: Driver | None
) -> Iterator[Finding]:
    """Read the record back; also check the broker's clock if the broker sets the timestamp."""
    from sac_kafka.transport.kafka.librdkafka_queries import read_back

    *_, topic, partition = position.log.split("/")
    place = f"partition {partition}, offset {position.start} of {topic}"
    try:
        config = librdkafka_settings(settings, driver).client_config()
        stored = read_back(config, topic, int(partition), position.start, timeout_seconds)
    except ConfigurationError:  # the settings require Java's client, for which there is no reader
        yield Finding(
            Verdict.SKIPPED, _STEP, f"the broker acknowledged {place}; reading back is not supported by this client"
        )
        return
    if stored is None:
        text = f"the broker acknowledged {place}, but reading it back timed out after {timeout_seconds:.0f} s"
        yield Finding(Verdict.UNKNOWN, _STEP, f"{text}; check whether this user may read the topic")
    elif isinstance(stored, Failed):
        reason = explain(stored.name, stored.text, topic).sentence if stored.name in _CONNECTION_ERRORS else stored.name
        text = f"the broker acknowledged {place}; this user cannot read it back, which the hook does not need: {reason}"
        yield Finding(Verdict.SKIPPED, _STEP, text)
    elif stored.value != value:
        yield Finding(
            Verdict.WRONG, _STEP, f"{place} contains another message: the topic was re-created meanwhile; try again"
        )
    else:
        yield Finding(Verdict.GOOD, _STEP, f"read back from {place}")
        if stored.written_ms is not None:
            yield clock_finding("the broker", stored.written_ms / 1000, time.time())
