"""Check the connection to HTTP servers, unless it goes through a proxy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from sac_kafka.deadlines import Deadline
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.diagnostics.way import Route, ServerPort, check_route
from sac_kafka.transport.http.addresses import proxy_of
from sac_kafka.transport.http.client import HttpServer

_PORTS = {"http": 80, "https": 443}


def check_http_route(servers: Sequence[HttpServer], address: str, deadline: Deadline) -> Iterator[Finding]:
    """Check the connection to the servers; the last finding is WRONG if none was reached.

    Args:
        servers: Servers of one setting.
        address: Name of that setting, for errors.
        deadline: Deadline of all checks.
    """
    parts = [urlsplit(each.address) for each in servers]
    proxied = ((each.hostname, proxy_of(server.address)) for each, server in zip(parts, servers, strict=True))
    for host, proxy in proxied:
        if proxy is not None:
            yield Finding(
                Verdict.SKIPPED, "host", f"requests to {host} go through the proxy {proxy} of the environment"
            )
            return
    secured = [each.tls for each, part in zip(servers, parts, strict=True) if part.scheme == "https"]
    context = next((each for each in secured if each is not None), None)
    route = Route(
        servers=tuple(ServerPort(each.hostname or "", each.port or _PORTS[each.scheme]) for each in parts),
        address=address,
        trust=(lambda: context) if context is not None else None,
        authority="atlas.hook.spark.rest.ca.file",
        unencrypted=f"is it an http:// address? Correct {address}",
    )
    yield from check_route(route, deadline)
