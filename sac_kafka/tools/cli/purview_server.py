"""Read and create type definitions of a Purview account over the Data Map's REST interface.

Source: Microsoft's REST reference of the Data Map, `Type` (2023-09-01).
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from sac_kafka.catalog.errors import RestError, json_object, unanswered_error
from sac_kafka.catalog.server import JsonServer
from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_text
from sac_kafka.tools.cli.output import print_masked
from sac_kafka.transport.http.addresses import (
    HAS_CREDENTIALS,
    account_of,
    address_problem,
    is_unencrypted,
    masked_address,
)
from sac_kafka.transport.http.client import Answer, UnansweredError
from sac_kafka.transport.http.data_map.requests import API_VERSION, DataMapCall
from sac_kafka.transport.http.data_map.server import DataMapServer
from sac_kafka.transport.http.entra.errors import EntraError
from sac_kafka.transport.http.failures import EXAMPLE, HttpAttempt, OptionNames, Use, retry_after_of

_DOMAINS = (".purview.azure.com", ".purview.azure.cn", ".purview.azure.us", ".purview-service.microsoft.com")
"""Domains of accounts, and of the portal for all accounts of a tenant."""
_BUSY = frozenset({429, 503})
_PAUSE_SECONDS = 5.0  # without a Retry-After header
_MAX_PAUSE_SECONDS = 60.0
_ATTEMPTS = 6


def is_purview(address: str) -> bool:
    """Return whether an address belongs to a Purview account.

    >>> is_purview("https://contoso.purview.azure.com/catalog"), is_purview("https://atlas.example.org:21443")
    (True, False)
    """
    try:
        host = urlsplit(address if "://" in address else f"https://{address}").hostname or ""
    except ValueError:
        return False
    return host.endswith(_DOMAINS)


def account_address(name: str) -> str:
    """Return the address of the account with this name.

    Raises:
        ConfigurationError: The name is invalid.
    """
    if not all(each.isascii() and (each.isalnum() or each == "-") for each in name) or not name:
        raise ConfigurationError(
            f"--account {mask_text(name)}: must be the name only, ACCOUNT in {EXAMPLE}; for an address use --server"
        )
    return f"https://{name.lower()}.purview.azure.com"


def checked_address(text: str, place: str) -> str:
    """Return an address without the path that the portal shows.

    Raises:
        ConfigurationError: The address is invalid, or a token must not be sent to it.
    """
    bare = account_of(text)
    problem = address_problem(bare)
    if problem is not None:
        remedy = ": use a token instead" if problem == HAS_CREDENTIALS else ""
        raise ConfigurationError(f"{place} {masked_address(bare)}: {problem}{remedy}; use {EXAMPLE}")
    if is_unencrypted(bare):
        raise ConfigurationError(f"{place} {bare}: the token would be sent unencrypted: use {EXAMPLE}")
    return bare


class PurviewServer(JsonServer):
    """Purview account as a server of type definitions; waits and retries when the account throttles requests."""

    def __init__(self, server: DataMapServer, timeout_seconds: float, names: OptionNames) -> None:
        self._server = server
        self._timeout = timeout_seconds
        self._names = names

    def request(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        """Send a request and return the answer; `path` is the path on an Atlas server."""
        call = DataMapCall(method, f"{path.removeprefix('/api')}?api-version={API_VERSION}", body)
        # The path on the account differs from the one given, so errors do not show it.
        asked = HttpAttempt(use=Use.TYPES, server=self._server.http, names=self._names, method=method)
        answer = self._answer(call, asked)
        for _ in range(_ATTEMPTS - 1):
            if answer.status not in _BUSY:
                break
            pause = min(retry_after_of(answer) or _PAUSE_SECONDS, _MAX_PAUSE_SECONDS)
            print_masked(f"Purview throttles requests: retrying in {pause:g} s")
            time.sleep(pause)
            answer = self._answer(call, asked)
        return json_object(asked, answer)

    def _answer(self, call: DataMapCall, asked: HttpAttempt) -> Answer:
        try:
            return self._server.request(call, self._timeout)
        except EntraError as error:
            raise RestError(str(error)) from None
        except UnansweredError as error:
            raise unanswered_error(asked, error) from None
