"""Run the checks of `sac-kafka doctor` that need a configuration: sink, types and clock, names and spool, in this order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.atlas.types.comparison import Fix, TypesDef, differences
from sac_kafka.atlas.types.definitions import BRIDGE, families, types_def
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.atlas.wire.message import envelope
from sac_kafka.atlas.wire.v2 import to_v2
from sac_kafka.catalog.errors import CONFIGURED_ACCOUNT
from sac_kafka.catalog.server import AtlasServer, access_of
from sac_kafka.deadlines import Deadline, within
from sac_kafka.errors import ConfigurationError, LateError, SacKafkaError, sentences_of
from sac_kafka.hook.dialects import check_dialect
from sac_kafka.purview.types import OWN, account_differences, built_in
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import DialectName, EngineProcesses, ProcessTypes
from sac_kafka.tools.cli.configured import Configured, problems_on_disk
from sac_kafka.tools.cli.purview_server import PurviewServer
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.diagnostics.clocks import CLOCK_SECONDS, clock_of
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.http.failures import TYPEDEFS
from sac_kafka.transport.reader import dialect_name, is_purview
from sac_kafka.transport.sinks.purview import data_map_of
from sac_kafka.transport.sinks.sink import Peer
from sac_kafka.transport.spool.directory import found_directory, login_name
from sac_kafka.transport.spool.options import name_destinations

_NAME = "send"
_SECONDS = 10.0
_CLOSE_SECONDS = 0.5
_READ_SECONDS = 6.0
_KEY = b"sac-kafka-doctor"
_OF_SOME_MESSAGES = ("size", "clock")
"""Steps whose failure does not prevent all messages from being delivered."""
_SHOWN = 4
_GRACE_SECONDS = 0.5
"""Time in addition to the request's own timeout, whose error has more details."""


def send_one(settings: Settings, deadline: Deadline, driver: Driver | None) -> Iterator[Finding]:
    """Send the test message and read it back."""
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


def run_checks(
    read: Callable[[Callable[[str], None]], Configured], deadline: Deadline, driver: Driver | None, *, sends: bool
) -> Iterator[Finding]:
    """Run the checks and yield a finding for each; an invalid configuration ends them, that of one destination only its own.

    `read` reads the configuration; its argument is called with warnings about keys if a value is invalid. `driver` is None
    outside of one.
    """
    doubts: list[str] = []
    try:
        configured = read(doubts.append)
        destinations = name_destinations(configured.settings)
    except ConfigurationError as error:
        yield from (Finding(Verdict.DOUBT, "configuration", doubt) for doubt in doubts)
        yield from _wrong(error)
        return
    settings, whole = configured.settings, configured.destination
    good = Finding(Verdict.GOOD, "configuration", settings.source.text + (f", destination {whole}" if whole else ""))
    for turn, (name, own) in enumerate(destinations):
        # One that hangs leaves time for the others.
        own_deadline = deadline.divide(len(destinations) - turn)
        try:
            asking = _asking(own, own_deadline.left(), driver)
            findings = _check_destination(own, asking, own_deadline, driver, sends=sends)
            is_valid = True
        except ConfigurationError as error:
            findings, is_valid = _wrong(error), False
        if turn == 0:
            yield from (good,) if is_valid or len(destinations) > 1 else ()
            yield from (Finding(Verdict.DOUBT, "configuration", doubt) for doubt in configured.doubts)
            if not settings.sink.enabled:
                yield Finding(
                    Verdict.WRONG, "configuration", "atlas.spark.enabled = false disables the hook; remove it"
                )
                return
        for finding in findings:
            whose = f"{name or 'first destination'}: " if len(destinations) > 1 else ""
            text = finding.text if finding.verdict is Verdict.GOOD else own.source.name_keys(finding.text)
            yield replace(finding, text=f"{whose}{text}", destination=name)


def _wrong(error: ConfigurationError) -> Iterator[Finding]:
    return (Finding(Verdict.WRONG, "configuration", each) for each in sentences_of(error))


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


def check_types(settings: Settings, deadline: Deadline, *, is_there: bool) -> Iterator[Finding]:
    """Compare the types on the server with those of messages, and its clock where nothing else has.

    `is_there` is True if the sink can be reached.
    """
    peer = sink_of(settings).peer
    if dialect_name(settings) is DialectName.OPENLINEAGE:
        return  # events have no types
    if not is_there and peer in {Peer.ATLAS, Peer.PURVIEW}:
        return  # the types are on the same server
    if peer is Peer.PURVIEW:
        yield _account_types(settings, deadline.left())
        return
    if is_purview(settings):
        # atlas.rest.address is no server of Purview's types, or the account itself
        is_own = settings.purview.process_types is ProcessTypes.OWN
        text = "run sac-kafka types diff --account NAME to compare the process types"
        text = text if is_own else "only types that are built into every account are used"
        yield Finding(Verdict.SKIPPED, "types", f"skipped: {text}")
        return
    access = access_of(settings.rest, deadline.left())
    if access is None:
        if peer is Peer.BROKER:
            yield Finding(Verdict.SKIPPED, "types", "skipped: set atlas.rest.address to compare them")
        return
    server = AtlasServer(access)
    is_own = settings.content.engine_processes is EngineProcesses.OWN
    wanted = types_def((*families(), *([BRIDGE] if is_own else ())))
    types = _in_time(deadline.left(), lambda: _types(server, wanted), server.address)
    if peer is Peer.BROKER and types.verdict is Verdict.GOOD:  # for other sinks the clock has been checked before
        yield clock_of(server.http, deadline.left(CLOCK_SECONDS))
    yield types


def _in_time(seconds: float, look: Callable[[], Finding], address: str) -> Finding:
    """Run a check with a time limit, because name resolution has no timeout."""
    try:
        return within(seconds + _GRACE_SECONDS, look)
    except LateError:
        return Finding(Verdict.WRONG, "types", f"{address}: no answer in time; check atlas.rest.address")


def _types(server: AtlasServer, wanted: TypesDef) -> Finding:
    try:
        unlike = differences(wanted, server.get(TYPEDEFS))
    except SacKafkaError as error:
        return Finding(Verdict.WRONG, "types", str(error))
    return _compare(server.address, {each.type_name for each in unlike if each.fix is Fix.CREATE} & set(SENT))


def _account_types(settings: Settings, timeout_seconds: float) -> Finding:
    """Compare the types of an account; missing built-in types are a warning, since not all of them are documented."""
    server = data_map_of(settings)
    is_own = settings.purview.process_types is ProcessTypes.OWN
    try:
        theirs = PurviewServer(server, timeout_seconds, CONFIGURED_ACCOUNT).get(TYPEDEFS)
        unlike = account_differences([OWN] if is_own else built_in(), theirs)
    except SacKafkaError as error:
        return Finding(Verdict.WRONG, "types", str(error))
    return _compare(server.address, {each.type_name for each in unlike}, is_needed=is_own)


def _compare(address: str, lacking: set[str], *, is_needed: bool = True) -> Finding:
    if not lacking:
        return Finding(Verdict.GOOD, "types", f"{address} has all types")
    verdict = Verdict.WRONG if is_needed else Verdict.DOUBT
    fix = "run sac-kafka types apply" if is_needed else "messages with these types are rejected"
    more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
    return Finding(verdict, "types", f"{address} lacks {', '.join(sorted(lacking)[:_SHOWN])}{more}; {fix}")
