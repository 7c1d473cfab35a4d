"""The way to a server, a step after the other: its host, TCP, TLS. Several servers of one setting are tried at once."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from sac_kafka.deadlines import Call, Deadline
from sac_kafka.errors import LateError
from sac_kafka.transport.examining.findings import Finding, Verdict
from sac_kafka.transport.examining.handshake import Fault, Handshake, shake_hands, trusting_anybody

RENEWAL_DAYS = 30
"""A certificate that holds for less is a doubt."""

_STEP_SECONDS = 4.0
_MAX_SERVERS = 5
_MAX_ADDRESSES = 4


@dataclass(frozen=True, slots=True)
class ServerPort:
    """A server of a setting."""

    host: str
    port: int

    def __str__(self) -> str:
        """As settings have it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WayThere:
    """Where a setting leads, and what errors call the settings that decide it.

    `trust` gives whom to trust, None where the way is not encrypted; it may raise OSError. `is_judged` is False where
    only a driver knows whom to trust: then certificates are shown, not judged.
    """

    servers: tuple[ServerPort, ...]
    address: str
    trust: Callable[[], ssl.SSLContext] | None = None
    authority: str = ""
    unencrypted: str = ""
    is_judged: bool = True


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of one server."""

    server: ServerPort
    verdict: Verdict
    text: str


def way_there(way: WayThere, deadline: Deadline) -> Iterator[Finding]:
    """Go there; the last finding is WRONG where no server was reached."""
    steps: tuple[tuple[str, Callable[[ServerPort, float], _Seen]], ...] = (
        ("host", lambda server, _: _host(server, way.address)),
        ("tcp", lambda server, seconds: _tcp(server, seconds, way.address)),
        *((("tls", lambda server, seconds: _tls(server, seconds, way)),) if way.trust is not None else ()),
    )
    servers: Sequence[ServerPort] = way.servers[:_MAX_SERVERS]
    for name, step in steps:
        seconds = deadline.left(_STEP_SECONDS)
        seen = _of_all(servers, step, seconds, way.address)
        finding = _together(name, seen)
        yield finding
        if finding.verdict is Verdict.WRONG:
            return
        servers = [each.server for each in seen if each.verdict is not Verdict.WRONG]


def _of_all(
    servers: Sequence[ServerPort], step: Callable[[ServerPort, float], _Seen], seconds: float, address: str
) -> list[_Seen]:
    end = Deadline(seconds)
    calls = [(server, Call(lambda server=server: step(server, seconds))) for server in servers]  # type: ignore[misc]
    return [_result(server, call, end.left(), address) for server, call in calls]


def _result(server: ServerPort, call: Call[_Seen], seconds: float, address: str) -> _Seen:
    try:
        return call.result(seconds)
    except LateError:
        return _Seen(server, Verdict.WRONG, f"{server} does not answer in time; {_at(address)}")


def _together(name: str, seen: Sequence[_Seen]) -> Finding:
    """One finding of all servers: one of them suffices to get through, but all should do."""
    wrong = [each for each in seen if each.verdict is Verdict.WRONG]
    if len(wrong) == len(seen):
        more = f" (all {len(wrong)} servers alike)" if len(wrong) > 1 else ""
        return Finding(Verdict.WRONG, name, f"{wrong[0].text}{more}" if wrong else "there is no server")
    if wrong:
        return Finding(
            Verdict.DOUBT, name, f"{wrong[0].text} (of {len(seen)} servers {len(seen) - len(wrong)} will do)"
        )
    verdicts = [each.verdict for each in seen]
    verdict = next((each for each in (Verdict.DOUBT, Verdict.UNTOLD) if each in verdicts), Verdict.GOOD)
    return Finding(verdict, name, "; ".join(each.text for each in seen if each.verdict is verdict))


def _at(address: str) -> str:
    return f"check {address}: host and port; is a firewall in between?"


def _host(server: ServerPort, address: str) -> _Seen:
    try:
        found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # UnicodeError: of a label that is too long
        cure = f"check {address}, and the DNS that this machine asks"
        return _Seen(server, Verdict.WRONG, f"{server.host} cannot be resolved: there is no such host; {cure}")
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    shown = ", ".join(addresses[:_MAX_ADDRESSES])
    return _Seen(server, Verdict.GOOD, server.host if addresses == [server.host] else f"{server.host} is {shown}")


def _tcp(server: ServerPort, seconds: float, address: str) -> _Seen:
    try:
        with socket.create_connection((server.host, server.port), timeout=seconds):
            return _Seen(server, Verdict.GOOD, f"{server} takes connections")
    except ConnectionRefusedError:
        problem = f"nothing listens on {server}; check {address}: host and port, and that the server runs"
    except TimeoutError:
        problem = f"{server} does not answer; {_at(address)}"
    except OSError as error:
        problem = f"{server} cannot be reached: {error.strerror or error}; {_at(address)}"
    return _Seen(server, Verdict.WRONG, problem)


def _tls(server: ServerPort, seconds: float, way: WayThere) -> _Seen:
    assert way.trust is not None
    try:
        context = way.trust() if way.is_judged else trusting_anybody()
    except OSError as error:
        return _Seen(server, Verdict.UNTOLD, f"whom to trust cannot be read: {error}")
    # A certificate that is not trusted is asked for twice.
    return _judged(server, shake_hands(server.host, server.port, context, seconds / 2), way)


_CURES = {
    Fault.EXPIRED: "have it renewed, or check this machine's clock",
    Fault.EARLY: "check this machine's clock",
    Fault.OTHER_HOST: "use a host name that it is for in {address}",
    Fault.UNTRUSTED: "add the certificate of the authority that has issued it to {authority}",
}


def _judged(server: ServerPort, made: Handshake, way: WayThere) -> _Seen:
    shown = made.certificate.shown if made.certificate is not None else "nobody can tell whose"
    if made.fault in _CURES:
        cure = _CURES[made.fault].format(address=way.address, authority=way.authority)
        detail = f" ({made.detail})" if made.detail else ""
        says = "has expired" if made.fault is Fault.EXPIRED else f"is {made.fault.value}"
        return _Seen(server, Verdict.WRONG, f"the certificate of {server} {says}: {shown}{detail}; {cure}")
    if made.fault is Fault.NO_TLS:
        problem = f"{server} does not speak TLS, or something cuts its connections ({made.detail})"
        return _Seen(server, Verdict.WRONG, f"{problem}; {way.unencrypted}")
    if made.fault is Fault.SILENT:
        problem = f"{server} accepts connections, but does not answer in TLS"
        return _Seen(
            server, Verdict.WRONG, f"{problem}; check the port in {way.address}, and whether the server is well"
        )
    if made.fault is Fault.CLIENT:
        text = f"{server} ends the handshake ({made.detail}), as where it wants a certificate of the client"
        return _Seen(server, Verdict.UNTOLD, f"{text}; the log-in says more")
    return _held(server, made, way, shown)


def _held(server: ServerPort, made: Handshake, way: WayThere, shown: str) -> _Seen:
    """What is said of a certificate that is good as it is, or that nobody here can judge."""
    days = RENEWAL_DAYS if made.certificate is None else made.certificate.days_left(datetime.now(timezone.utc))
    if days < RENEWAL_DAYS:
        return _Seen(server, Verdict.DOUBT, f"{server}: {shown}, in {days} days; have it renewed")
    unjudged = "" if way.is_judged else "; whether it is trusted only the driver's JVM can tell"
    return _Seen(server, Verdict.GOOD, f"{server}: {shown}{unjudged}")
