"""Read and create type definitions of a Purview account over the Data Map's REST interface.

Source: Microsoft's REST reference of the Data Map, `Type` (2023-09-01).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_text
from sac_kafka.tools.catalog.errors import (
    UNANSWERED_REMEDIES,
    OptionNames,
    RestError,
    RestRequest,
    json_object,
    unanswered_error,
)
from sac_kafka.tools.catalog.server import JsonServer
from sac_kafka.tools.cli.output import print_masked
from sac_kafka.transport.http.addresses import (
    HAS_CREDENTIALS,
    account_of,
    address_problem,
    is_unencrypted,
    masked_address,
    proxy_of,
)
from sac_kafka.transport.http.client import REDIRECTIONS, Answer, UnansweredError, UnansweredReason
from sac_kafka.transport.http.data_map.errors import is_no_data_map
from sac_kafka.transport.http.data_map.requests import API_VERSION, DataMapCall, error_of
from sac_kafka.transport.http.data_map.server import DataMapServer, NoTokenError
from sac_kafka.transport.http.failures import retry_after_of

_DOMAINS = (".purview.azure.com", ".purview.azure.cn", ".purview.azure.us", ".purview-service.microsoft.com")
"""Domains of accounts, and of the portal for all accounts of a tenant."""
_EXAMPLE = "https://ACCOUNT.purview.azure.com"
_BUSY = frozenset({429, 503})
_PAUSE_SECONDS = 5.0  # without a Retry-After header
_MAX_PAUSE_SECONDS = 60.0
_ATTEMPTS = 6
_FIREWALL = ("public network", "private endpoint", "private link", "firewall", "ip address", "networkaccess")

_UNANSWERED = {
    **UNANSWERED_REMEDIES,
    UnansweredReason.REFUSED: "nothing listens there: check the account's name, and that a firewall lets HTTPS through",
    UnansweredReason.NO_HOST: "there is no such host: check the account's name; with a private endpoint your DNS must know it",
    UnansweredReason.TIMEOUT: "no answer within {timeout:.3g} s: check firewall and private endpoint, or increase {more}",
}
_REFUSED = {
    401: "token rejected: check the login (atlas.hook.spark.entra.*, AZURE_CLIENT_ID …, or a token in ATLAS_TOKEN)",
    403: "this identity may not change types: grant it the role Data Curator on the root collection",
    429: "too many requests: try again in a few minutes",
}
_CODES = {
    "ATLAS-400-00-01A": "Purview rejects a type definition: see its message",
    "ATLAS-400-00-036": "Purview rejects a relationship definition: the types of its ends must exist and be entity types",
    "ATLAS-404-00-001": "a type refers to another type that does not exist: apply its family, too",
    "ATLAS-409-00-001": "another client has just created the type: try again",
    "ATLAS-409-00-002": "the type is in use: attributes can be added, but not changed",
}
_NETWORK_DENIED = (
    "access denied by a firewall or the account's network settings: allow your network, or use its private endpoint"
)


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
            f"--account {mask_text(name)}: must be the name only, ACCOUNT in {_EXAMPLE}; for an address use --server"
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
        raise ConfigurationError(f"{place} {masked_address(bare)}: {problem}{remedy}; use {_EXAMPLE}")
    if is_unencrypted(bare):
        raise ConfigurationError(f"{place} {bare}: the token would be sent unencrypted: use {_EXAMPLE}")
    return bare


class PurviewServer(JsonServer):
    """Purview account as a server of type definitions; waits and retries when the account throttles requests.

    Args:
        server: The Data Map of the account.
        timeout_seconds: Maximum duration of a request.
        names: Names of the options or settings, for errors.
        sleep: Sleeps, in seconds.
    """

    def __init__(
        self,
        server: DataMapServer,
        timeout_seconds: float,
        names: OptionNames,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = server
        self._timeout = timeout_seconds
        self._names = names
        self._sleep = sleep

    def request(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        """Send a request and return the answer; `path` is the path on an Atlas server."""
        call = DataMapCall(method, f"{path.removeprefix('/api')}?api-version={API_VERSION}", body)
        asked = RestRequest(
            method=method,
            address=self._server.address,
            path="",  # the path on the account differs from the one given
            names=self._names,
            timeout_seconds=self._timeout,
            proxy=proxy_of(self._server.address),
            kind="a Purview account",
        )
        answer = self._answer(call, asked)
        for _ in range(_ATTEMPTS - 1):
            if answer.status not in _BUSY:
                break
            pause = min(retry_after_of(answer) or _PAUSE_SECONDS, _MAX_PAUSE_SECONDS)
            print_masked(f"Purview throttles requests: retrying in {pause:g} s")
            self._sleep(pause)
            answer = self._answer(call, asked)
        if answer.is_success:
            return json_object(asked, answer)
        raise RestError(f"{method} {asked.place}: HTTP {answer.status}: {_refusal(answer)}", answer.status)

    def _answer(self, call: DataMapCall, asked: RestRequest) -> Answer:
        try:
            return self._server.request(call, self._timeout)
        except NoTokenError as error:
            raise RestError(str(error)) from None
        except UnansweredError as error:
            raise unanswered_error(asked, error, _UNANSWERED) from None


def _refusal(answer: Answer) -> str:
    """Return a remedy for an error answer, with Purview's own message."""
    code, message = error_of(answer)
    text = mask_text(f"{code} {message}".strip())[:300]
    details = f" (Purview says: {text})" if text else ""
    if answer.status in REDIRECTIONS:
        return f"redirected to {answer.location}: use that address, or {_EXAMPLE}"
    if is_no_data_map(answer):
        return f"no Data Map at this address: use {_EXAMPLE}, without a path{details}"
    if answer.status == 403 and any(word in f"{code} {message}".lower() for word in _FIREWALL):
        return f"{_NETWORK_DENIED}{details}"
    remedy = _CODES.get(code) or _REFUSED.get(answer.status)
    if remedy is None:
        remedy = "Purview server error: try again" if answer.status >= 500 else "Purview rejects the request"
    return f"{remedy}{details}"
