"""Confirm that a record was stored in the topic by reading it back at the acknowledged offset."""

from __future__ import annotations

import time
from collections.abc import Iterator

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Position
from sac_kafka.transport.diagnostics.clocks import clock_finding
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.client import Failed
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings

_STEP = "arrival"
_CONNECTION_ERRORS = frozenset({"_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_TIMED_OUT"})


def confirm(
    settings: Settings, position: Position, value: bytes, timeout_seconds: float, driver: Driver | None
) -> Iterator[Finding]:
    """Read the record back; also check the broker's clock if the broker sets the timestamp.

    Args:
        settings: The hook's settings.
        position: The position of the record reported by the transport.
        value: The expected value of the record.
        timeout_seconds: Maximum time to wait.
        driver: The driver's JVM, None outside a driver.
    """
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
