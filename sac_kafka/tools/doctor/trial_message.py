"""Send an empty test message that changes nothing on the server, for `sac-kafka doctor --send`.

The message is an ENTITY_CREATE_V2 with an empty list of entities, which Atlas' consumer commits and ignores
(`org.apache.atlas.notification.NotificationHookConsumer`). Only the record in the topic remains, until its retention ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.atlas.wire.message import envelope
from sac_kafka.atlas.wire.v2 import to_v2
from sac_kafka.deadlines import Deadline
from sac_kafka.errors import ConfigurationError
from sac_kafka.hook.dialects import is_purview
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.sinks.sink import Peer
from sac_kafka.transport.spool.directory import login_name

_NAME = "send"
_SECONDS = 10.0
_CLOSE_SECONDS = 0.5
_READ_SECONDS = 6.0
_KEY = b"sac-kafka-doctor"


def send_one(settings: Settings, deadline: Deadline, driver: Driver | None) -> Iterator[Finding]:
    """Send the test message and read it back.

    Args:
        settings: The hook's settings.
        deadline: When all checks have to end.
        driver: The driver's JVM; None outside a driver.
    """
    sink = sink_of(settings)
    if sink.peer not in {Peer.BROKER, Peer.ATLAS}:
        yield Finding(Verdict.SKIPPED, _NAME, f"skipped: every message to {sink.describe(settings)} has an effect")
        return
    value = trial_message(settings).encode("ascii")
    try:
        transport = make_transport(settings, driver)
    except ConfigurationError as error:
        yield Finding(Verdict.UNKNOWN, _NAME, str(error))
        return
    outcomes: list[Failure | None] = []
    began, seconds = time.monotonic(), deadline.left(_SECONDS)
    try:
        transport.send(Record(settings.sink.topic, _KEY, (value,)), outcomes.append)
        transport.flush(seconds)
        took_ms = (time.monotonic() - began) * 1000
        position = transport.position() if outcomes == [None] else None
    finally:
        transport.close(_CLOSE_SECONDS)
    failure = outcomes[0] if outcomes else None
    if not outcomes or failure is not None:
        why = failure.reason if failure is not None else f"no answer within {seconds:.0f} s"
        yield Finding(Verdict.WRONG, _NAME, f"not accepted: {transport.problem() or why if not outcomes else why}")
        return
    yield Finding(Verdict.GOOD, _NAME, f"empty test message of {len(value)} bytes accepted in {took_ms:.0f} ms")
    if sink.confirm is not None and position is not None:
        yield from sink.confirm(settings, position, value, deadline.left(_READ_SECONDS), driver)


def trial_message(settings: Settings) -> str:
    """Return the test message as JSON, in the configured form."""
    user = login_name()
    return envelope(
        to_v2(EntityCreate(entities=()), user),
        source_ip="",
        created_by=user,
        now_ms=round(time.time() * 1000),
        is_purview=is_purview(settings),
    )
