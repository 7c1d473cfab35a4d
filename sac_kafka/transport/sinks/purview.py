"""Sink for the Data Map of Microsoft Purview (`atlas.client.type=purview`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sac_kafka.deadlines import Deadline
from sac_kafka.errors import ConfigurationError
from sac_kafka.log import logger
from sac_kafka.masking import mask_value
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.http.addresses import (
    HAS_CREDENTIALS,
    account_of,
    address_problem,
    is_unencrypted,
    masked_address,
    tls_context,
)
from sac_kafka.transport.http.client import HttpServer
from sac_kafka.transport.http.data_map.server import DataMapServer
from sac_kafka.transport.http.data_map.transport import DataMapTransport
from sac_kafka.transport.http.entra.identity import identity_of
from sac_kafka.transport.http.entra.tokens import EntraTokenSource
from sac_kafka.transport.sinks.sink import Client, Peer, Sink

if TYPE_CHECKING:
    from sac_kafka.transport.diagnostics.findings import Finding

_MAX_BODY_BYTES = 1_000_000
_SEVERAL = "is several addresses, and an account has one"
_EXAMPLE = "https://ACCOUNT.purview.azure.com (or https://TENANT-api.purview-service.microsoft.com)"


def _make(settings: Settings, driver: Driver | None) -> DataMapTransport:  # noqa: ARG001 (all sinks have one signature)
    for doubt in _in_clear(settings):
        logger.warning("%s", doubt)
    return DataMapTransport(
        data_map_of(settings),
        collection=settings.purview.collection,
        body_bytes=min(settings.rest.body_bytes, _MAX_BODY_BYTES),
        timeout_seconds=settings.rest.timeout_seconds,
    )


def _client(settings: Settings, is_all: bool) -> Client:  # noqa: ARG001 (nothing of it has a default)
    data_map_of(settings)
    return Client(warnings=tuple(_in_clear(settings)))


def data_map_of(settings: Settings) -> DataMapServer:
    """Return the client for the Data Map of the settings.

    Raises:
        ConfigurationError: The settings are invalid.
    """
    token = settings.rest.token
    if token is not None and not (token.isascii() and token.isprintable()):
        raise ConfigurationError("atlas.hook.spark.rest.token must be one line of ASCII; correct it")
    tokens = EntraTokenSource.of(settings.entra) if token is None else None
    return DataMapServer(_server_of(settings), tokens)


def _server_of(settings: Settings) -> HttpServer:
    rest = settings.rest
    tls = tls_context(rest.ca_file, "atlas.hook.spark.rest.ca.file")
    return HttpServer(address=_address_of(settings), token=rest.token, tls=tls)


def _in_clear(settings: Settings) -> Iterator[str]:
    """Yield a warning about a token that is sent unencrypted."""
    address = _address_of(settings)
    if is_unencrypted(address):
        yield f"{settings.rest.address_key} = {address}: the token goes over the network in clear; use https://"


def _address_of(settings: Settings) -> str:
    key, text = settings.rest.address_key, settings.rest.address
    if not text:
        raise ConfigurationError(f"atlas.client.type = purview: {key} is not set; set it to {_EXAMPLE}")
    address = _address(settings)
    problem = _SEVERAL if "," in text and "@" not in text else address_problem(address)
    if problem is not None:
        fix = ": log in with a token" if problem == HAS_CREDENTIALS else f"; give {_EXAMPLE}"
        raise ConfigurationError(f"{key} = {masked_address(address)}: {problem}{fix}")
    return address


def _address(settings: Settings) -> str:
    """Return the account's address with a scheme, and without the suffixes shown in the portal."""
    bare = account_of(settings.rest.address or "")
    return bare if "://" in bare or not bare else f"https://{bare}"


def _describe(settings: Settings) -> str:
    collection = settings.purview.collection
    place = f"collection {mask_value(collection)}" if collection else "the root collection"
    return f"purview {masked_address(_address(settings))} ({_identity(settings)}), into {place}"


def _identity(settings: Settings) -> str:
    if settings.rest.token is not None:
        return "with a token"
    try:
        return f"as {mask_value(identity_of(settings.entra).summary)}"
    except ConfigurationError:  # `_make` raises it.
        return "without log-in"


def _examine(settings: Settings, timeout_seconds: float, driver: Driver | None) -> Iterator[Finding]:  # noqa: ARG001 (as above)
    return _asking(settings, data_map_of(settings), Deadline(timeout_seconds))


def _asking(settings: Settings, server: DataMapServer, deadline: Deadline) -> Iterator[Finding]:
    from sac_kafka.transport.diagnostics.clocks import CLOCK_SECONDS, clock_of
    from sac_kafka.transport.diagnostics.findings import finding_of
    from sac_kafka.transport.diagnostics.way import check_http_route
    from sac_kafka.transport.http.data_map.server import probe

    asked = _server_of(settings)
    if not (yield from check_http_route([asked], settings.rest.address_key, deadline)):
        return
    for name, failure, good in probe(server, settings.purview.collection, deadline.left):
        yield finding_of(name, failure.reason if failure is not None else "", good)
        if failure is not None:
            break
    yield clock_of(asked, deadline.left(CLOCK_SECONDS))


SINK = Sink(
    make=_make,
    describe=_describe,
    address=_address,
    peer=Peer.PURVIEW,
    joins_parts=lambda _: False,
    client=_client,
    examine=_examine,
)
