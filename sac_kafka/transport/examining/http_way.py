"""The way to servers over HTTP, as far as it does not lead through a proxy, which then knows it alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from sac_kafka.deadlines import Deadline
from sac_kafka.transport.examining.findings import Finding, Verdict
from sac_kafka.transport.examining.way import ServerPort, WayThere, way_there
from sac_kafka.transport.http import HttpServer
from sac_kafka.transport.proxies import proxy_of

_PORTS = {"http": 80, "https": 443}


def http_way(servers: Sequence[HttpServer], address: str, deadline: Deadline) -> Iterator[Finding]:
    """Go to the servers; the last finding is WRONG where none was reached.

    Args:
        servers: Of one setting.
        address: What errors call that setting.
        deadline: When all is to be over.
    """
    parts = [urlsplit(each.address) for each in servers]
    proxied = ((each.hostname, proxy_of(server.address)) for each, server in zip(parts, servers, strict=True))
    for host, proxy in proxied:
        if proxy is not None:
            yield Finding(Verdict.SKIPPED, "host", f"{host} is asked through the proxy {proxy} of the environment")
            return
    secured = [each.tls for each, part in zip(servers, parts, strict=True) if part.scheme == "https"]
    context = next((each for each in secured if each is not None), None)
    way = WayThere(
        servers=tuple(ServerPort(each.hostname or "", each.port or _PORTS[each.scheme]) for each in parts),
        address=address,
        trust=(lambda: context) if context is not None else None,
        authority="atlas.hook.spark.rest.ca.file",
        unencrypted=f"is it an http:// address? Correct {address}",
    )
    yield from way_there(way, deadline)
