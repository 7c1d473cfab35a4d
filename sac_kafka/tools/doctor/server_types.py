"""Check that a server has the types of the messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sac_kafka.atlas.types.comparison import Fix, differences
from sac_kafka.atlas.types.definitions import types_def
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.catalog.errors import CONFIGURED_ACCOUNT
from sac_kafka.catalog.server import AtlasServer, access_of
from sac_kafka.deadlines import Deadline, within
from sac_kafka.errors import LateError, SacKafkaError
from sac_kafka.purview.types import OWN, account_differences, built_in
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import DialectName, ProcessTypes
from sac_kafka.tools.cli.purview_server import PurviewServer
from sac_kafka.transport.diagnostics.clocks import CLOCK_SECONDS, clock_of
from sac_kafka.transport.diagnostics.findings import Finding, Verdict, finding_of
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.http.failures import TYPEDEFS
from sac_kafka.transport.reader import dialect_name, is_purview
from sac_kafka.transport.sinks.purview import data_map_of
from sac_kafka.transport.sinks.sink import Peer

_SHOWN = 4
_GRACE_SECONDS = 0.5
"""Time in addition to the request's own timeout, whose error has more details."""


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
        yield _types_of_purview(settings)  # atlas.rest.address is no server of Purview's types, or the account itself
        return
    access = access_of(settings.rest, deadline.left())
    if access is None:
        if peer is Peer.BROKER:
            yield Finding(Verdict.SKIPPED, "types", "skipped: set atlas.rest.address to compare them")
        return
    server = AtlasServer(access)
    types = _in_time(deadline.left(), lambda: _types(server), server.address)
    if peer is Peer.BROKER and types.verdict is Verdict.GOOD:  # for other sinks the clock has been checked before
        yield clock_of(server.http, deadline.left(CLOCK_SECONDS))
    yield types


def _in_time(seconds: float, look: Callable[[], Finding], address: str) -> Finding:
    """Run a check with a time limit, because name resolution has no timeout."""
    try:
        return within(seconds + _GRACE_SECONDS, look)
    except LateError:
        return Finding(Verdict.WRONG, "types", f"{address}: no answer in time; check atlas.rest.address")


def _types_of_purview(settings: Settings) -> Finding:
    if settings.purview.process_types is ProcessTypes.OWN:
        text = "skipped: run sac-kafka types diff --account NAME to compare the process types"
        return Finding(Verdict.SKIPPED, "types", text)
    return Finding(Verdict.SKIPPED, "types", "skipped: only types that are built into every account are used")


def _types(server: AtlasServer) -> Finding:
    try:
        unlike = differences(types_def(), server.get(TYPEDEFS))
    except SacKafkaError as error:
        return Finding(Verdict.WRONG, "types", str(error))
    lacking = {each.type_name for each in unlike if each.fix is Fix.CREATE and each.type_name in SENT}
    return finding_of("types", _lacks(server.address, lacking, "run sac-kafka types apply"), _has_all(server.address))


def _account_types(settings: Settings, timeout_seconds: float) -> Finding:
    """Compare the types of an account; missing built-in types are a warning, since not all of them are documented."""
    server = data_map_of(settings)
    is_own = settings.purview.process_types is ProcessTypes.OWN
    try:
        theirs = PurviewServer(server, timeout_seconds, CONFIGURED_ACCOUNT).get(TYPEDEFS)
        unlike = account_differences([OWN] if is_own else built_in(), theirs)
    except SacKafkaError as error:
        return Finding(Verdict.WRONG, "types", str(error))
    lacking = {each.type_name for each in unlike}
    if is_own or not lacking:
        fix = "run sac-kafka types apply"
        return finding_of("types", _lacks(server.address, lacking, fix), _has_all(server.address))
    return Finding(Verdict.DOUBT, "types", _lacks(server.address, lacking, "messages with these types are rejected"))


def _has_all(address: str) -> str:
    return f"{address} has all types"


def _lacks(address: str, lacking: set[str], fix: str) -> str:
    """Return which types a server lacks, "" if it has all."""
    if not lacking:
        return ""
    more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
    return f"{address} lacks {', '.join(sorted(lacking)[:_SHOWN])}{more}; {fix}"
