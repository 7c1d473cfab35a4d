"""Check the route to a server: host name, TCP, TLS; that to HTTP servers unless it goes through a proxy.

Several servers of one setting are checked in parallel.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from urllib.parse import urlsplit

from sac_kafka.deadlines import Call, Deadline
from sac_kafka.errors import LateError
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.diagnostics.handshake import (
    Fault,
    Handshake,
    PresentedCertificate,
    tls_handshake,
    unverified_context,
)
from sac_kafka.transport.http.addresses import proxy_of
from sac_kafka.transport.http.client import HttpServer

RENEWAL_DAYS = 30
"""A certificate that expires sooner is reported."""

_STEP_SECONDS = 4.0
_MAX_SERVERS = 5
_MAX_ADDRESSES = 4
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ServerPort:
    """Host and port of a server."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return `host:port` as in settings."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Servers of a setting, and the names of the settings for errors.

    `trust` returns the TLS context, None for an unencrypted connection; it may raise OSError. `is_judged` is False if only
    a driver knows the trusted CAs: certificates are then reported, not verified.
    """

    servers: tuple[ServerPort, ...]
    address: str
    trust: Callable[[], ssl.SSLContext] | None = None
    authority: str = ""
    unencrypted: str = ""
    is_judged: bool = True


_Result = tuple[Verdict, str]
"""Verdict and text of a check of one server."""


def check_route(route: Route, deadline: Deadline) -> Generator[Finding, None, bool]:
    """Check host name, TCP and TLS. Return whether a server was reached; if none was, the last finding is WRONG."""
    steps: tuple[tuple[str, Callable[[ServerPort, float], _Result]], ...] = (
        ("host", lambda server, _: _host(server, route.address)),
        ("tcp", lambda server, seconds: _tcp(server, seconds, route.address)),
        *((("tls", lambda server, seconds: _tls(server, seconds, route)),) if route.trust is not None else ()),
    )
    servers: Sequence[ServerPort] = route.servers[:_MAX_SERVERS]
    for name, step in steps:
        seconds = deadline.left(_STEP_SECONDS)
        results = _of_all(servers, step, seconds, route.address)
        finding = _together(name, results)
        yield finding
        if finding.verdict is Verdict.WRONG:
            return False
        servers = [server for server, result in zip(servers, results, strict=True) if result[0] is not Verdict.WRONG]
    return True


def _of_all(
    servers: Sequence[ServerPort], step: Callable[[ServerPort, float], _Result], seconds: float, address: str
) -> list[_Result]:
    end = Deadline(seconds)
    calls = [(server, Call(lambda server=server: step(server, seconds))) for server in servers]  # type: ignore[misc]
    return [_result_of(server, call, end.left(), address) for server, call in calls]


def _result_of(server: ServerPort, call: Call[_Result], seconds: float, address: str) -> _Result:
    try:
        return call.result(seconds)
    except LateError:
        return Verdict.WRONG, f"{server} does not answer in time; {_at(address)}"


def _together(name: str, results: Sequence[_Result]) -> Finding:
    """Combine the results of all servers: one suffices, but all should succeed."""
    wrong = [text for verdict, text in results if verdict is Verdict.WRONG]
    if len(wrong) == len(results):
        more = f" (all {len(wrong)} servers alike)" if len(wrong) > 1 else ""
        return Finding(Verdict.WRONG, name, f"{wrong[0]}{more}" if wrong else "there is no server")
    if wrong:
        text = f"{wrong[0]} (of {len(results)} servers {len(results) - len(wrong)} succeed)"
        return Finding(Verdict.DOUBT, name, text)
    verdicts = [verdict for verdict, _ in results]
    worst = next((each for each in (Verdict.DOUBT, Verdict.UNKNOWN) if each in verdicts), Verdict.GOOD)
    return Finding(worst, name, "; ".join(text for verdict, text in results if verdict is worst))


def _at(address: str) -> str:
    return f"check {address}: host and port; is a firewall in between?"


def _host(server: ServerPort, address: str) -> _Result:
    try:
        found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # UnicodeError: a label of the name is too long.
        fix = f"check {address}, and the DNS server of this machine"
        return Verdict.WRONG, f"{server.host} cannot be resolved: there is no such host; {fix}"
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    shown = ", ".join(addresses[:_MAX_ADDRESSES])
    return Verdict.GOOD, server.host if addresses == [server.host] else f"{server.host} is {shown}"


def _tcp(server: ServerPort, seconds: float, address: str) -> _Result:
    try:
        with socket.create_connection((server.host, server.port), timeout=seconds):
            return Verdict.GOOD, f"{server} accepts connections"
    except ConnectionRefusedError:
        problem = f"nothing listens on {server}; check {address}: host and port, and that the server runs"
    except TimeoutError:
        problem = f"{server} does not answer; {_at(address)}"
    except OSError as error:
        problem = f"{server} cannot be reached: {error.strerror or error}; {_at(address)}"
    return Verdict.WRONG, problem


def _tls(server: ServerPort, seconds: float, route: Route) -> _Result:
    assert route.trust is not None
    try:
        context = route.trust() if route.is_judged else unverified_context()
    except OSError as error:
        return Verdict.UNKNOWN, f"the trusted certificates cannot be read: {error}"
    # An untrusted certificate takes two handshakes: the second one reads it.
    return _judge(server, tls_handshake(server.host, server.port, context, seconds / 2), route)


_FIXES = {
    Fault.EXPIRED: "have it renewed, or check this machine's clock",
    Fault.EARLY: "check this machine's clock",
    Fault.OTHER_HOST: "use a host name that it is for in {address}",
    Fault.UNTRUSTED: "add the certificate of the authority that has issued it to {authority}",
}


def _judge(server: ServerPort, handshake: Handshake, route: Route) -> _Result:
    presented = handshake.certificate
    certificate = presented.summary if isinstance(presented, PresentedCertificate) else presented or "it cannot be read"
    if handshake.fault in _FIXES:
        fix = _FIXES[handshake.fault].format(address=route.address, authority=route.authority)
        detail = f" ({handshake.detail})" if handshake.detail else ""
        state = "has expired" if handshake.fault is Fault.EXPIRED else f"is {handshake.fault.value}"
        return Verdict.WRONG, f"the certificate of {server} {state}: {certificate}{detail}; {fix}"
    if handshake.fault is Fault.NO_TLS:
        problem = f"{server} does not speak TLS, or its connections are cut ({handshake.detail})"
        return Verdict.WRONG, f"{problem}; {route.unencrypted}"
    if handshake.fault is Fault.SILENT:
        problem = f"{server} accepts connections, but does not answer in TLS"
        return Verdict.WRONG, f"{problem}; check the port in {route.address}, and the state of the server"
    if handshake.fault is Fault.CLIENT:
        text = f"{server} ended the handshake ({handshake.detail}), as if it requires a client certificate"
        return Verdict.UNKNOWN, f"{text}; see the log-in"
    return _accept(server, handshake, route, certificate)


def _accept(server: ServerPort, handshake: Handshake, route: Route, certificate: str) -> _Result:
    """Report a valid certificate, or one that cannot be verified here, with its expiry."""
    presented = handshake.certificate
    known = presented if isinstance(presented, PresentedCertificate) else None
    days = RENEWAL_DAYS if known is None else known.days_left(datetime.now(timezone.utc))
    if days < RENEWAL_DAYS:
        return Verdict.DOUBT, f"{server}: {certificate}, in {days} days; have it renewed"
    unjudged = "" if route.is_judged else "; only the driver's JVM knows whether it is trusted"
    return Verdict.GOOD, f"{server}: {certificate}{unjudged}"


def check_http_route(servers: Sequence[HttpServer], address: str, deadline: Deadline) -> Generator[Finding, None, bool]:
    """Check the connection to the servers of the setting `address`, like `check_route`."""
    parts = [urlsplit(each.address) for each in servers]
    proxied = ((each.hostname, proxy_of(server.address)) for each, server in zip(parts, servers, strict=True))
    for host, proxy in proxied:
        if proxy is not None:
            yield Finding(
                Verdict.SKIPPED, "host", f"requests to {host} go through the proxy {proxy} of the environment"
            )
            return True
    secured = [each.tls for each, part in zip(servers, parts, strict=True) if part.scheme == "https"]
    context = next((candidate for candidate in secured if candidate is not None), None)
    route = Route(
        servers=tuple(ServerPort(each.hostname or "", each.port or _PORTS[each.scheme]) for each in parts),
        address=address,
        trust=(lambda: context) if context is not None else None,
        authority="atlas.hook.spark.rest.ca.file",
        unencrypted=f"is it an http:// address? Correct {address}",
    )
    return (yield from check_route(route, deadline))
