"""Turn a failed request to an Atlas server into an error with the address, the status and a remedy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.masking import MASK, mask_text
from sac_kafka.transport.http.addresses import masked_address
from sac_kafka.transport.http.client import REDIRECTIONS, Answer, UnansweredError, UnansweredReason
from sac_kafka.transport.http.failures import proxy_hint, proxy_problem, retry_after_of


@dataclass(frozen=True, slots=True)
class OptionNames:
    """Names of the options or settings for the server's address, CA certificates, login and timeout."""

    server: str
    ca_file: str
    login: str
    timeout: str = "--timeout"


COMMAND_OPTIONS = OptionNames("--server", "--ca-file", "--user with ATLAS_PASSWORD or --password-file, or ATLAS_TOKEN")
CONFIGURATION_KEYS = OptionNames(
    "atlas.rest.address",
    "atlas.hook.spark.rest.ca.file",
    "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password, or atlas.hook.spark.rest.token",
)
"""Settings, and the option `--timeout` of a command."""
DRIVER_SETTINGS = replace(CONFIGURATION_KEYS, timeout="atlas.hook.spark.rest.timeout.seconds")
ACCOUNT_OPTIONS = replace(COMMAND_OPTIONS, server="the account's address", login="ATLAS_TOKEN")
"""Microsoft Purview accepts tokens only, no users."""
CONFIGURED_ACCOUNT = replace(ACCOUNT_OPTIONS, ca_file=CONFIGURATION_KEYS.ca_file)


TYPEDEFS = "/api/atlas/v2/types/typedefs"

UNANSWERED_REMEDIES: Mapping[UnansweredReason, str] = {
    UnansweredReason.CERTIFICATE: "its certificate is not trusted ({detail}): name the authority's PEM by {ca_file}",
    UnansweredReason.TLS: "no TLS ({detail}): is it an http:// address?",
    UnansweredReason.REFUSED: "nothing listens there: check host and port of {server}, and that the server runs",
    UnansweredReason.NO_HOST: "there is no such host: check {server}",
    UnansweredReason.TIMEOUT: "no answer within {timeout:.3g} s: check {server} and the server's load, or increase {more}",
    UnansweredReason.NO_HTTP: "no HTTP answer ({detail}): is it an https:// address?",
    UnansweredReason.OTHER: "the request failed ({detail}): check {server}, and proxies and firewalls on the way",
}
_STATUS_REMEDIES: Mapping[int, str] = {
    404: "not an Atlas server, or {server} has a wrong path: give the part before /api/atlas",
    407: "the proxy requires a login: add it to the proxy's address (http_proxy, https_proxy)",
    429: "too many requests: try again {later}",
    502: "the gateway cannot reach the server: check that the server runs",
    503: "the server is starting, passive or overloaded: try again {later}",
    504: "the gateway got no answer from the server in time: check the server's load",
}
_FORBIDDEN_REMEDIES: tuple[tuple[str, bool, str], ...] = (
    (TYPEDEFS, True, "the user may not change types: grant the privileges type-create and type-update"),
    (TYPEDEFS, False, "the user may not read types: grant the privilege type-read"),
    ("", False, "the user may not read entities: grant the privilege entity-read"),
)
"""Path, whether the request changes something, remedy. Source: Atlas' `org.apache.atlas.authorize.AtlasPrivilege`."""
_KERBEROS = "; Kerberos (SPNEGO) is not supported"
_MAX_SHOWN_BYTES = 80
_NO_CONTENT = 204


class RestError(SacKafkaError):
    """Failed request to a catalog server; the text has the address, what happened and a remedy.

    Args:
        text: The error text.
        status: The HTTP status; None without an answer.
        code: Atlas' error code, "" without one.
        is_elsewhere: Another address of the same server (high availability) may succeed.
    """

    def __init__(self, text: str, status: int | None = None, *, code: str = "", is_elsewhere: bool = False) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.is_elsewhere = is_elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class RestRequest:
    """Description of a request for error texts; `secrets` are masked in all of them."""

    method: str
    address: str
    path: str
    names: OptionNames
    timeout_seconds: float
    proxy: str | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    kind: str = "an Atlas server"

    @property
    def place(self) -> str:
        """Address and path without parameters."""
        return f"{masked_address(self.address)}{self.path.partition('?')[0]}"

    def without_secrets(self, text: str) -> str:
        """Return a text with secrets masked, in case the server repeats them."""
        for each in self.secrets:
            text = text.replace(each, MASK)
        return mask_text(text)


def unanswered_error(
    request: RestRequest, error: UnansweredError, remedies: Mapping[UnansweredReason, str] = UNANSWERED_REMEDIES
) -> RestError:
    """Return the error for a request without an answer."""
    names = request.names
    remedy = remedies[error.reason].format(
        detail=request.without_secrets(error.detail),
        server=names.server,
        ca_file=names.ca_file,
        timeout=request.timeout_seconds,
        more=names.timeout,
    )
    if (missing := proxy_problem(request.proxy, error.reason)) is not None:
        return RestError(f"{request.place}: {missing}", is_elsewhere=True)
    return RestError(f"{request.place}: {remedy}{proxy_hint(request.proxy)}", is_elsewhere=True)


def failure_of(request: RestRequest, answer: Answer) -> RestError | None:
    """Return the error for an answer; None for a success."""
    status = answer.status
    if answer.is_success:
        return None
    message = request.without_secrets(answer.error_text)
    if status in REDIRECTIONS:
        remedy = f"it redirects to {answer.location}: give that address by {request.names.server}, or log in"
    elif status == 401:
        what = "login rejected: correct" if request.secrets else "login missing: set"
        remedy = f"{what} {request.names.login}{_KERBEROS if answer.wants_kerberos else ''}"
    elif status == 403:
        is_change = request.method != "GET"
        remedy = next(
            each
            for path, changes, each in _FORBIDDEN_REMEDIES
            if request.path.startswith(path) and changes <= is_change
        )
    elif status in _STATUS_REMEDIES:
        pause = retry_after_of(answer)
        later = f"in {pause:.0f} s" if pause else "later"
        remedy = _STATUS_REMEDIES[status].format(server=request.names.server, later=later)
    else:
        remedy = "server error: see its log" if status >= 500 else "the server rejects the request: see its log"
    details = f" (the server says: {message})" if message else proxy_hint(request.proxy)
    return RestError(
        f"{request.method} {request.place}: HTTP {status}: {remedy}{details}",
        status,
        code=answer.error_text.partition(" ")[0],
        is_elsewhere=status >= 500 or status in REDIRECTIONS,
    )


def json_object(request: RestRequest, answer: Answer) -> dict[str, Any]:
    """Return the JSON object in a successful answer; {} for status 204 (no content).

    Raises:
        RestError: The body is not a JSON object.
    """
    try:
        found = {} if answer.status == _NO_CONTENT else json.loads(answer.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        shown = request.without_secrets(answer.body[:_MAX_SHOWN_BYTES].decode("utf-8", "replace").strip())
        raise RestError(
            f"{request.place}: HTTP {answer.status}: the answer is not a JSON object but {repr(shown) if shown else 'empty'}: "
            f"is this {request.kind}, or a login page? Check {request.names.server}{proxy_hint(request.proxy)}",
            answer.status,
            is_elsewhere=answer.is_foreign,
        )
    return found
