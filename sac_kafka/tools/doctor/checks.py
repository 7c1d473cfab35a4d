"""Run the checks of `sac-kafka doctor` that need a configuration: sink, types, names and spool, in this order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.atlas.wire.message import envelope
from sac_kafka.atlas.wire.v2 import to_v2
from sac_kafka.deadlines import Deadline
from sac_kafka.errors import ConfigurationError, sentences_of
from sac_kafka.hook.dialects import check_dialect
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import DialectName
from sac_kafka.tools.cli.configured import Configured, complaining, problems_on_disk
from sac_kafka.tools.doctor.server_types import check_types
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.reader import dialect_name, is_purview
from sac_kafka.transport.sinks.sink import Peer
from sac_kafka.transport.spool.directory import found_directory, login_name
from sac_kafka.transport.spool.options import name_destinations

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
    if sink.peer not in {Peer.BROKER, Peer.ATLAS} or dialect_name(settings) is DialectName.OPENLINEAGE:
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


_OF_SOME_MESSAGES = ("size", "clock")
"""Steps whose failure does not prevent all messages from being delivered."""


def run_checks(
    read: Callable[[Callable[[str], None]], Configured], deadline: Deadline, driver: Driver | None, *, sends: bool
) -> Iterator[Finding]:
    """Run the checks and yield a finding for each; an invalid configuration ends them.

    Args:
        read: Reads the configuration; its argument is called with warnings about keys if a value is invalid.
        deadline: When all checks have to end.
        driver: The driver's JVM; None outside a driver.
        sends: Whether to send a test message.
    """
    doubts: list[str] = []
    try:
        configured = read(doubts.append)
        destinations = name_destinations(configured.settings)
        with complaining(configured.doubts, doubts.append):
            share = deadline.left() / len(destinations)  # one that hangs leaves time for the others
            asking = [_asking(own, share * turn, driver) for turn, (_, own) in enumerate(destinations, 1)]
    except ConfigurationError as error:
        yield from (Finding(Verdict.DOUBT, "configuration", doubt) for doubt in doubts)
        yield from (Finding(Verdict.WRONG, "configuration", each) for each in sentences_of(error))
        return
    settings, name = configured.settings, configured.destination
    yield Finding(Verdict.GOOD, "configuration", settings.source.text + (f", destination {name}" if name else ""))
    yield from (Finding(Verdict.DOUBT, "configuration", doubt) for doubt in configured.doubts)
    if not settings.sink.enabled:
        yield Finding(Verdict.WRONG, "configuration", "atlas.spark.enabled = false disables the hook; remove it")
        return
    for (name, own), checks in zip(destinations, asking, strict=True):
        for finding in _check_destination(own, checks, deadline, driver, sends=sends):
            whose = f"{name or 'first destination'}: " if len(destinations) > 1 else ""
            yield replace(finding, text=f"{whose}{finding.text}")


def _check_destination(
    settings: Settings, asking: Iterator[Finding], deadline: Deadline, driver: Driver | None, *, sends: bool
) -> Iterator[Finding]:
    """Run the checks of a destination, first those of its sink."""
    is_there = True
    try:
        for finding in asking:
            yield finding
            is_there = is_there and (finding.verdict is not Verdict.WRONG or finding.name in _OF_SOME_MESSAGES)
        yield from check_types(settings, deadline, is_there=is_there)
    except ConfigurationError as error:
        yield Finding(Verdict.WRONG, "configuration", settings.source.add_place(str(error)))
    yield _names(settings)
    yield from _spool(settings)
    if sends and is_there:
        yield from send_one(settings, deadline, driver)
    elif sends:
        yield Finding(Verdict.SKIPPED, "send", "skipped: fix the errors above first")


def _asking(settings: Settings, timeout_seconds: float, driver: Driver | None) -> Iterator[Finding]:
    """Return the checks of the sink; raises ConfigurationError before the first one if its settings are invalid."""
    if not settings.sink.enabled:
        return iter(())
    with settings.source.placing():
        check_dialect(settings)
        sink = sink_of(settings)
        if sink.examine is not None:
            return sink.examine(settings, timeout_seconds, driver)
        make_transport(settings, driver)
    return iter((Finding(Verdict.GOOD, "sink", sink.describe(settings)),))


def _names(settings: Settings) -> Finding:
    if settings.names.namespace_is_default:
        text = "atlas.metadata.namespace is not set, so names end in @primary; set it to the name of this environment"
        return Finding(Verdict.DOUBT, "names", text)
    whose = "those of Purview's scans; what none scans ends" if is_purview(settings) else "end"
    return Finding(Verdict.GOOD, "names", f"{whose} in @{settings.names.namespace}")


def _spool(settings: Settings) -> Iterator[Finding]:
    problems = problems_on_disk(settings)
    yield from (Finding(Verdict.WRONG, "disk", problem) for problem in problems)
    if not settings.spool.enabled:
        yield Finding(Verdict.DOUBT, "spool", "atlas.hook.spool.enabled = false: undelivered messages are lost")
    elif not problems:
        yield Finding(Verdict.GOOD, "spool", f"{found_directory(settings.spool.dir)} is writable")
