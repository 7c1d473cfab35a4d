"""A Purview account's type definitions over the Data Map's REST interface, every failure with its cure.

Source: Microsoft's REST reference of the Data Map, `Type` (2023-09-01).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from sac_kafka.asking.errors import UNANSWERED_REMEDIES, RestError, RestRequest, json_object, unanswered_error
from sac_kafka.asking.option_names import OptionNames
from sac_kafka.asking.server import JsonServer
from sac_kafka.cli.output import print_masked
from sac_kafka.config.secrets import mask_text
from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.data_map.addresses import account_of
from sac_kafka.transport.data_map.answers import error_of
from sac_kafka.transport.data_map.errors import is_no_data_map
from sac_kafka.transport.data_map.requests import API_VERSION, DataMapCall
from sac_kafka.transport.data_map.server import DataMapServer, NoTokenError
from sac_kafka.transport.http import (
    HAS_CREDENTIALS,
    REDIRECTIONS,
    Answer,
    UnansweredError,
    UnansweredReason,
    address_problem,
    is_unencrypted,
    masked_address,
)
from sac_kafka.transport.proxies import proxy_of
from sac_kafka.transport.rest_errors import retry_after_of

_DOMAINS = (".purview.azure.com", ".purview.azure.cn", ".purview.azure.us", ".purview-service.microsoft.com")
"""Of accounts, and of the portal that has all accounts of a tenant."""
_EXAMPLE = "https://ACCOUNT.purview.azure.com"
_BUSY = frozenset({429, 503})
_PAUSE_SECONDS = 5.0  # where the account does not say how long
_LONGEST_PAUSE_SECONDS = 60.0
_ATTEMPTS = 6
_FIREWALL = ("public network", "private endpoint", "private link", "firewall", "ip address", "networkaccess")

_UNANSWERED = {
    **UNANSWERED_REMEDIES,
    UnansweredReason.REFUSED: "nothing listens there: check the account's name, and that a firewall lets HTTPS through",
    UnansweredReason.NO_HOST: "there is no such host: check the account's name; with a private endpoint your DNS must know it",
    UnansweredReason.TIMEOUT: (
        "no answer within {timeout:.3g} s: check the network (firewall, private endpoint), or give more by {more}"
    ),
}
_REFUSED = {
    401: "the token is refused: check who logs in (atlas.hook.spark.entra.*, AZURE_CLIENT_ID …, or a token in ATLAS_TOKEN)",
    403: "this log-in may not change types: give it the role Data Curator on the root collection",
    429: "it still asks for fewer requests: run it again in some minutes",
}
_CODES = {
    "ATLAS-400-00-01A": "a definition is not as Purview wants it: it says which",
    "ATLAS-400-00-036": "a relationship is not as Purview wants it: its types must be there, and of the right kind",
    "ATLAS-404-00-001": "a type that another one is made of is not there: apply its family, too",
    "ATLAS-409-00-001": "somebody else has just made the type: run it again",
    "ATLAS-409-00-002": "the type is in use: it can be added to, but not changed",
}
_KEPT_OUT = (
    "a firewall or the account's network settings keep you out: allow your network, or go by its private endpoint"
)


def is_purview(address: str) -> bool:
    """Say whether an address is that of a Purview account.

    >>> is_purview("https://contoso.purview.azure.com/catalog"), is_purview("https://atlas.example.org:21443")
    (True, False)
    """
    try:
        host = urlsplit(address if "://" in address else f"https://{address}").hostname or ""
    except ValueError:
        return False
    return host.endswith(_DOMAINS)


def account_address(name: str) -> str:
    """Give the address of an account by its name.

    Raises:
        ConfigurationError: It is no name of an account.
    """
    if not all(each.isascii() and (each.isalnum() or each == "-") for each in name) or not name:
        raise ConfigurationError(
            f"--account {mask_text(name)}: must be the name alone, as in {_EXAMPLE}; else give --server"
        )
    return f"https://{name.lower()}.purview.azure.com"


def checked_address(text: str, place: str) -> str:
    """Give an address without what the portal shows behind it.

    Raises:
        ConfigurationError: It is no address that a token may go to.
    """
    bare = account_of(text)
    problem = address_problem(bare)
    if problem is not None:
        cure = ": log in with a token" if problem == HAS_CREDENTIALS else ""
        raise ConfigurationError(f"{place} {masked_address(bare)}: {problem}{cure}; give {_EXAMPLE}")
    if is_unencrypted(bare):
        raise ConfigurationError(f"{place} {bare}: the token would go over the network in clear: give {_EXAMPLE}")
    return bare


class PurviewServer(JsonServer):
    """Asks for types and gives them; waits where the account asks for fewer requests.

    Args:
        server: The Data Map of the account.
        timeout_seconds: How long a request may take.
        names: Names of the options or settings, for errors.
        sleep: Waits so many seconds.
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
            path="",  # there are two, of which the account knows one
            names=self._names,
            timeout_seconds=self._timeout,
            proxy=proxy_of(self._server.address),
            kind="a Purview account",
        )
        answer = self._answer(call, asked)
        for _ in range(_ATTEMPTS - 1):
            if answer.status not in _BUSY:
                break
            pause = min(retry_after_of(answer) or _PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS)
            print_masked(f"Purview asks for fewer requests: going on in {pause:g} s")
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
    """What an answer of failure means, with what the account says."""
    code, message = error_of(answer)
    said = mask_text(f"{code} {message}".strip())[:300]
    heard = f" (Purview says: {said})" if said else ""
    if answer.status in REDIRECTIONS:
        return f"it redirects to {answer.location}: give that address, or {_EXAMPLE}"
    if is_no_data_map(answer):
        return f"there is no Data Map: the address is {_EXAMPLE}, without a path{heard}"
    if answer.status == 403 and any(word in f"{code} {message}".lower() for word in _FIREWALL):
        return f"{_KEPT_OUT}{heard}"
    cure = _CODES.get(code) or _REFUSED.get(answer.status)
    if cure is None:
        cure = (
            "Purview is in trouble: run it again"
            if answer.status >= 500
            else "Purview does not take it: see what it says"
        )
    return f"{cure}{heard}"
