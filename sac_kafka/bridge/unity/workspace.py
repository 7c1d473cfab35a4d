"""Send requests to the REST interfaces of a workspace: with a token that is renewed, and again after a pause if it is busy.

Sources: docs.databricks.com, Authorize service principal access with OAuth; Limits of REST API rates (429, Retry-After).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urlencode

from sac_kafka.errors import ConfigurationError, SacKafkaError
from sac_kafka.log import logger
from sac_kafka.masking import MASK
from sac_kafka.settings import Settings
from sac_kafka.settings.unity import Unity
from sac_kafka.transport.http.addresses import address_of, is_unencrypted, tls_context
from sac_kafka.transport.http.client import REDIRECTIONS, Answer, HttpServer, UnansweredError, UnansweredReason, json_of
from sac_kafka.transport.http.entra.tokens import EntraTokenSource
from sac_kafka.transport.http.failures import retry_after_of

OPTION = "--unity-catalog"
_LOGIN = "atlas.bridge.unity.token, or atlas.bridge.unity.client.id and .client.secret"
_ENTRA_SCOPE = "2ff814a6-3304-4ab8-835c-9c4d6d8ee4f5/.default"
"""The application of Azure Databricks in Microsoft Entra ID."""
_BUSY = frozenset({408, 429, 500, 502, 503, 504})
_FINAL = frozenset(
    each for each in UnansweredReason if each.name.startswith("CERTIFICATE") or each is UnansweredReason.NO_HTTP
)
_MAX_TRIES = 8
_LOGGED_TRY = 3
_MAX_PAUSE_SECONDS = 60.0
_TIMEOUT_SECONDS = 120.0
_RENEW_SECONDS = 60.0
_FIXES: Mapping[int, str] = {
    HTTPStatus.UNAUTHORIZED: f"correct {_LOGIN}",
    HTTPStatus.FORBIDDEN: "grant its identity CAN USE on the SQL warehouse, and check the workspace's access lists",
    HTTPStatus.NOT_FOUND: f"check the address after {OPTION}, and atlas.bridge.unity.warehouse",
}

Pause = Callable[[float], bool]
"""Wait for some seconds; return True if the bridge ends."""


class WorkspaceError(SacKafkaError):
    """A request has failed for good; `status` is that of the answer, None without one."""

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


class EndingError(SacKafkaError):
    """The bridge ends while a request waits."""


class Login(Protocol):
    """What provides tokens."""

    def token(self) -> str:
        """Return a token, a new one if the last one is about to expire.

        Raises:
            SacKafkaError: No token is available.
        """

    def forget(self) -> None:
        """Discard the token, which was refused."""


@dataclass(frozen=True, slots=True)
class FixedToken:
    """A configured token."""

    text: str

    def token(self) -> str:
        """Return it."""
        return self.text

    def forget(self) -> None:
        """Do nothing: there is no other one."""


@dataclass(frozen=True, slots=True)
class EntraLogin:
    """Tokens of Microsoft Entra ID."""

    tokens: EntraTokenSource

    def token(self) -> str:
        """Return a token."""
        return self.tokens.token(_ENTRA_SCOPE).text

    def forget(self) -> None:
        """Discard it."""
        self.tokens.forget()


class ServicePrincipal:
    """Tokens of a service principal, by OAuth's client credentials.

    Args:
        server: The workspace with the client id and the secret.
        pause: Waits between tries.
    """

    def __init__(self, server: HttpServer, pause: Pause) -> None:
        self._server = server
        self._pause = pause
        self._token = ""
        self._renew_at = 0.0

    def token(self) -> str:
        """Return a token that is valid for a minute at least."""
        if not self._token or time.monotonic() >= self._renew_at:
            body = urlencode({"grant_type": "client_credentials", "scope": "all-apis"}).encode()
            try:
                answer = send(lambda: self._server, "POST", "/oidc/v1/token", body, self._pause)
            except WorkspaceError as error:
                raise WorkspaceError(str(error)) from None  # the status is not that of the request that needs the token
            found = json_of(answer)
            token, seconds = found.get("access_token"), found.get("expires_in")
            if not isinstance(token, str) or not token:
                raise WorkspaceError(
                    f"{self._server.address}/oidc/v1/token: the answer has no token: check the address"
                )
            self._token = token
            life = float(seconds) if isinstance(seconds, (int, float)) else 0.0
            self._renew_at = time.monotonic() + life - min(_RENEW_SECONDS, life / 2)
        return self._token

    def forget(self) -> None:
        """Discard it."""
        self._token = ""


class DatabricksWorkspace:
    """A workspace.

    Args:
        address: Its address.
        login: Provides tokens.
        ca_file: The PEM file of trusted certificates; None for those of the system.
        pause: Waits between tries.

    Raises:
        ConfigurationError: The file cannot be used.
    """

    def __init__(self, address: str, login: Login, ca_file: str | None, pause: Pause) -> None:
        self.address = address
        self.pause = pause
        self._login = login
        self._tls = tls_context(ca_file, "atlas.bridge.unity.ca.file")

    @property
    def host(self) -> str:
        """Its host, as names of Purview have it."""
        return self.address.partition("://")[2].partition("/")[0].partition(":")[0].lower()

    def get(self, path: str) -> dict[str, Any]:
        """Return the answer to a GET request.

        Raises:
            SacKafkaError: It has failed.
        """
        return dict(json_of(self._send("GET", path, None)))

    def post(self, path: str, body: object) -> dict[str, Any]:
        """Return the answer to a POST request; raises as `get` does."""
        return dict(json_of(self._send("POST", path, json.dumps(body).encode())))

    def id(self) -> str:
        """Return the id of the workspace, which every answer has in a header; raises as `get` does."""
        answer = self._send("GET", "/api/2.0/preview/scim/v2/Me", None)
        found = answer.headers.get("x-databricks-org-id", "").strip()
        if not found:
            raise WorkspaceError(f"{self.address}: no answer of a workspace: check the address after {OPTION}")
        return found

    def download(self, link: str) -> list[Any]:
        """Return the rows that a presigned link leads to. The link is a secret, and gets no credentials.

        Raises:
            SacKafkaError: It has failed.
        """
        if is_unencrypted(link):
            raise WorkspaceError("a link to a result is not https: check the proxy between here and the workspace")
        answer = send(
            lambda: HttpServer(address=link, tls=self._tls), "GET", "", None, self.pause, "a link to a result"
        )
        try:
            rows = json.loads(answer.body)
        except (ValueError, RecursionError):
            rows = None
        if not isinstance(rows, list):
            raise WorkspaceError(
                "a link to a result leads to no JSON array: check the proxy between here and the storage"
            )
        return rows

    def _send(self, method: str, path: str, body: bytes | None) -> Answer:
        try:
            return send(self._server, method, path, body, self.pause)
        except WorkspaceError as error:
            if error.status != HTTPStatus.UNAUTHORIZED:
                raise
        self._login.forget()
        return send(self._server, method, path, body, self.pause)

    def _server(self) -> HttpServer:
        return HttpServer(address=self.address, token=self._login.token(), tls=self._tls)


def send(
    server: Callable[[], HttpServer], method: str, path: str, body: bytes | None, pause: Pause, place: str = ""
) -> Answer:
    """Send a request until it is answered.

    Args:
        server: Returns the server with its credentials.
        method: The method.
        path: The path.
        body: The body.
        pause: Waits between tries.
        place: What errors name instead of address and path, which is a secret.

    Raises:
        WorkspaceError: The answer is an error, or no answer has come after several tries.
        EndingError: The bridge ends.
    """
    tries = 0
    while True:
        tries += 1
        to = server()
        shown = place or f"{to.address}{path.partition('?')[0]}"
        try:
            answer = to.request(method, path, body, _TIMEOUT_SECONDS)
        except UnansweredError as error:
            if error.reason in _FINAL or tries == _MAX_TRIES:
                fix = (
                    "name its authority's PEM in atlas.bridge.unity.ca.file" if error.reason in _FINAL else "try later"
                )
                raise WorkspaceError(f"{shown}: {error}; {fix}, and check the proxy") from None
            problem, wait = str(error), 0.0
        else:
            if answer.is_success and not answer.is_foreign:
                return answer
            if answer.status not in _BUSY or tries == _MAX_TRIES:
                raise WorkspaceError(f"{shown}: {_problem(answer, to)}", answer.status)
            problem, wait = f"HTTP {answer.status}", retry_after_of(answer)
        if tries == _LOGGED_TRY:
            logger.warning("%s: %s; it is tried again", shown, problem)
        if pause(wait or min(_MAX_PAUSE_SECONDS, 2.0 ** (tries - 1))):
            raise EndingError("the bridge ends")


def _problem(answer: Answer, server: HttpServer) -> str:
    text = answer.error_text
    for secret in server.secrets:
        text = text.replace(secret, MASK)
    is_page = answer.is_foreign or answer.status in REDIRECTIONS
    fix = "is this the address of a workspace, or a log-in page?" if is_page else _FIXES.get(answer.status)
    return f"HTTP {answer.status}{f' ({text})' if text else ''}: {fix or 'try later'}"


def workspace_of(text: str, unity: Unity, settings: Settings, pause: Pause) -> DatabricksWorkspace:
    """Return the workspace of an address or host, with the configured log-in, without any request.

    Raises:
        ConfigurationError: The address is invalid, or a setting is wrong or missing.
    """
    address = address_of(text if "://" in text else f"https://{text}", OPTION, _LOGIN).rstrip("/")
    if is_unencrypted(address):
        raise ConfigurationError(f"{OPTION} {address}: the token would be sent unencrypted: use https")
    return DatabricksWorkspace(address, _login(address, unity, settings, pause), unity.ca_file, pause)


def _login(address: str, unity: Unity, settings: Settings, pause: Pause) -> Login:
    if unity.token:
        return FixedToken(unity.token)
    if unity.client or unity.client_secret:
        if not (unity.client and unity.client_secret):
            raise ConfigurationError("set both atlas.bridge.unity.client.id and atlas.bridge.unity.client.secret")
        form = "application/x-www-form-urlencoded"
        tls = tls_context(unity.ca_file, "atlas.bridge.unity.ca.file")
        server = HttpServer(
            address=address, user=unity.client, password=unity.client_secret, tls=tls, content_type=form
        )
        return ServicePrincipal(server, pause)
    if settings.entra == type(settings.entra)() and not address.endswith(".azuredatabricks.net"):
        raise ConfigurationError(f"no log-in for {OPTION} {address}: set {_LOGIN}")
    return EntraLogin(EntraTokenSource.of(settings.entra))
