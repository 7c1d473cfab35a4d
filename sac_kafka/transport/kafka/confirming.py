"""Whether a record is in the topic where the producer says it has put it: read back at its offset."""

from __future__ import annotations

import time
from collections.abc import Iterator

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Position
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.examining.clocks import clock_finding
from sac_kafka.transport.examining.findings import Finding, Verdict
from sac_kafka.transport.kafka.client import Failed
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings

_NAME = "arrival"


def confirm(
    settings: Settings, position: Position, value: bytes, timeout_seconds: float, driver: Driver | None
) -> Iterator[Finding]:
    """Read it, and where the broker writes the time look at its clock, too.

    Args:
        settings: The hook's.
        position: What the transport has said of the record.
        value: What the record holds.
        timeout_seconds: The longest wait.
        driver: The driver's JVM, None outside of one.
    """
    from sac_kafka.transport.kafka.librdkafka_questions import read_back

    *_, topic, partition = position.log.split("/")
    where = f"partition {partition}, offset {position.start} of {topic}"
    try:
        config = librdkafka_settings(settings, driver).client_config()
        there = read_back(config, topic, int(partition), position.start, timeout_seconds)
    except ConfigurationError:  # what only Java's client can do: that has no reader here
        yield Finding(Verdict.SKIPPED, _NAME, f"the broker has acknowledged {where}; this client has no reader")
        return
    if there is None:
        text = f"the broker has acknowledged {where}, and does not give it back within {timeout_seconds:.0f} s"
        yield Finding(Verdict.UNKNOWN, _NAME, f"{text}; may this user read the topic?")
    elif isinstance(there, Failed):
        said = explain(there.name, there.text, topic).sentence if there.name in _OF_THE_WAY else there.name
        text = f"the broker has acknowledged {where}; this user, who need not, may not read it: {said}"
        yield Finding(Verdict.SKIPPED, _NAME, text)
    elif there.value != value:
        yield Finding(
            Verdict.WRONG, _NAME, f"{where} holds another message: the topic was made anew meanwhile; try again"
        )
    else:
        yield Finding(Verdict.GOOD, _NAME, f"read back from {where}")
        if there.written_ms is not None:
            yield clock_finding("the broker", there.written_ms / 1000, time.time())


_OF_THE_WAY = frozenset({"_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_TIMED_OUT"})
