"""Sink for Atlas' notification endpoint (`atlas.client.type=rest`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sac_kafka.deadlines import Deadline
from sac_kafka.errors import ConfigurationError
from sac_kafka.log import logger
from sac_kafka.masking import mask_value
from sac_kafka.settings import Settings
from sac_kafka.settings.rest import Rest
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.http.addresses import addresses_of, masked_address, tls_context
from sac_kafka.transport.http.atlas import RestTransport
from sac_kafka.transport.http.client import HttpServer, is_in_clear
from sac_kafka.transport.sinks.sink import Client, Peer, Sink

if TYPE_CHECKING:
    from sac_kafka.transport.diagnostics.findings import Finding

_LOGIN = "atlas.rest.basic.auth.username and .password"


def _make(settings: Settings, driver: Driver | None) -> RestTransport:  # noqa: ARG001 (all sinks have one signature)
    servers = _servers(settings.rest)
    for doubt in _in_clear(settings.rest, servers):
        logger.warning("%s", doubt)
    return _transport(settings.rest, servers)


def _client(settings: Settings, is_all: bool) -> Client:  # noqa: ARG001 (nothing of it has a default)
    return Client(warnings=tuple(_in_clear(settings.rest, _servers(settings.rest))))


def _transport(rest: Rest, servers: list[HttpServer]) -> RestTransport:
    return RestTransport(servers, body_bytes=rest.body_bytes, timeout_seconds=rest.timeout_seconds)


def _servers(rest: Rest) -> list[HttpServer]:
    addresses = addresses_of(rest.address or "", rest.address_key, _LOGIN)
    if not addresses:
        raise ConfigurationError(
            "atlas.client.type = rest: atlas.rest.address is not set; set it to the address of Atlas, as in "
            "https://atlas.example.org:21443"
        )
    if rest.password is not None and rest.user is None:
        raise ConfigurationError(
            "atlas.rest.basic.auth.password is set without atlas.rest.basic.auth.username; set it too"
        )
    if rest.token is not None and not (rest.token.isascii() and rest.token.isprintable()):
        raise ConfigurationError("atlas.hook.spark.rest.token must be one line of ASCII; correct it")
    tls = tls_context(rest.ca_file, "atlas.hook.spark.rest.ca.file")
    return [
        HttpServer(
            address=address,
            user=rest.user,
            password=rest.password,
            token=rest.token,
            tls=tls,
        )
        for address in addresses
    ]


def _in_clear(rest: Rest, servers: list[HttpServer]) -> Iterator[str]:
    """Yield a warning about credentials that are sent unencrypted."""
    if in_clear := [server.address for server in servers if is_in_clear(server)]:
        addresses = ", ".join(in_clear)
        yield f"{rest.address_key} = {addresses}: the password or token goes over the network in clear; use https://"


def _describe(settings: Settings) -> str:
    rest = settings.rest
    addresses = ", ".join(masked_address(each.strip()) for each in (rest.address or "").split(","))
    user_name = mask_value(rest.user or "")
    login = "with a token" if rest.token else f"as {user_name}" if user_name else "without log-in"
    return f"rest {addresses} ({login}), topic {mask_value(settings.sink.topic)}"


def _examine(settings: Settings, timeout_seconds: float, driver: Driver | None) -> Iterator[Finding]:  # noqa: ARG001 (as above)
    return _asking(settings, _servers(settings.rest), Deadline(timeout_seconds))


def _asking(settings: Settings, servers: list[HttpServer], deadline: Deadline) -> Iterator[Finding]:
    from sac_kafka.transport.diagnostics.clocks import CLOCK_SECONDS, clock_of
    from sac_kafka.transport.diagnostics.findings import finding_of
    from sac_kafka.transport.diagnostics.way import check_http_route

    if not (yield from check_http_route(servers, settings.rest.address_key, deadline)):
        return
    failure = _transport(replace(settings.rest, timeout_seconds=deadline.left()), servers).probe(settings.sink.topic)
    yield finding_of("log-in", failure.reason if failure is not None else "", f"{_describe(settings)} accepts messages")
    yield clock_of(servers[0], deadline.left(CLOCK_SECONDS))


SINK = Sink(
    make=_make,
    describe=_describe,
    address=lambda settings: settings.rest.address or "",
    peer=Peer.ATLAS,
    client=_client,
    examine=_examine,
)
