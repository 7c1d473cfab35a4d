"""Sink for any receiver of OpenLineage events over HTTP (`atlas.client.type=openlineage`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sac_kafka.deadlines import Deadline
from sac_kafka.errors import ConfigurationError
from sac_kafka.log import logger
from sac_kafka.settings import Settings
from sac_kafka.settings.openlineage import TOKEN_KEY, URL_KEY
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.http.addresses import address_of, masked_address, tls_context
from sac_kafka.transport.http.client import HttpServer, is_in_clear
from sac_kafka.transport.http.openlineage import EventTransport
from sac_kafka.transport.sinks.sink import Client, Peer, Sink

if TYPE_CHECKING:
    from sac_kafka.transport.diagnostics.findings import Finding

_ENDPOINT = "/api/v1/lineage"


def _make(settings: Settings, driver: Driver | None) -> EventTransport:  # noqa: ARG001 (all sinks have one signature)
    server = _server(settings)
    for doubt in _in_clear(server):
        logger.warning("%s", doubt)
    return EventTransport(server, timeout_seconds=settings.rest.timeout_seconds)


def _server(settings: Settings) -> HttpServer:
    token = settings.openlineage.token
    if not settings.openlineage.url:
        raise ConfigurationError(
            f"atlas.client.type = openlineage: {URL_KEY} is not set; set it to the receiver, as in "
            "http://marquez.example.org:5000"
        )
    if token is not None and not (token.isascii() and token.isprintable()):
        raise ConfigurationError(f"{TOKEN_KEY} must be one line of ASCII; correct it")
    return HttpServer(
        address=address_of(_address(settings), URL_KEY, TOKEN_KEY),
        token=token,
        tls=tls_context(settings.rest.ca_file, "atlas.hook.spark.rest.ca.file"),
    )


def _address(settings: Settings) -> str:
    """Return the address of the endpoint: the URL, with the usual path unless it has one."""
    bare = (settings.openlineage.url or "").strip().rstrip("/")
    address = bare if "://" in bare or not bare else f"http://{bare}"
    return f"{address}{_ENDPOINT}" if address and not _path(address) else address


def _path(address: str) -> str:
    try:
        return urlsplit(address).path
    except ValueError:  # `address_of` explains what is wrong.
        return "/"


def _in_clear(server: HttpServer) -> Iterator[str]:
    """Yield a warning about a token that is sent unencrypted."""
    if is_in_clear(server):
        yield f"{URL_KEY} = {masked_address(server.address)}: the token goes over the network in clear; use https://"


def _client(settings: Settings, is_all: bool) -> Client:  # noqa: ARG001 (nothing of it has a default)
    return Client(warnings=tuple(_in_clear(_server(settings))))


def _describe(settings: Settings) -> str:
    login = "with a token" if settings.openlineage.token else "without log-in"
    return f"openlineage {masked_address(_address(settings))} ({login})"


def _examine(settings: Settings, timeout_seconds: float, driver: Driver | None) -> Iterator[Finding]:  # noqa: ARG001 (as above)
    return _asking(settings, _server(settings), Deadline(timeout_seconds))


def _asking(settings: Settings, server: HttpServer, deadline: Deadline) -> Iterator[Finding]:
    from sac_kafka.transport.diagnostics.findings import finding_of
    from sac_kafka.transport.diagnostics.way import check_http_route

    if not (yield from check_http_route([server], URL_KEY, deadline)):
        return
    failure = EventTransport(server, timeout_seconds=deadline.left()).probe(deadline.left())
    yield finding_of("log-in", failure.reason if failure is not None else "", f"{_describe(settings)} receives events")


SINK = Sink(make=_make, describe=_describe, address=_address, peer=Peer.RECEIVER, client=_client, examine=_examine)
