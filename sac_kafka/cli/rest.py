"""An Atlas server's REST interface, as far as the commands need it: JSON over HTTP, every failure with its cure."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sac_kafka.errors import ConfigurationError, SacKafkaError
from sac_kafka.transport.http import (
    REDIRECTIONS,
    WITH_LOGIN,
    Answer,
    HttpServer,
    UnansweredError,
    Why,
    address_problem,
    shown_address,
    trusting,
)

TYPEDEFS = "/api/atlas/v2/types/typedefs"

_CURES = {
    Why.CERTIFICATE: "its certificate is not trusted ({detail}): name the authority's PEM by --ca-file",
    Why.TLS: "no TLS ({detail}): is it an http:// address?",
    Why.REFUSED: "nothing listens there: check the host and the port of --server, and that the server runs",
    Why.NO_HOST: "there is no such host: check --server",
    Why.TIMEOUT: "no answer within {timeout:g} s: check --server, or give more by --timeout",
    Why.NO_HTTP: "no HTTP answer ({detail}): is it an https:// address?",
    Why.OTHER: "it cannot be asked: {detail}",
}
_REFUSALS = {
    401: "give --user with ATLAS_PASSWORD or --password-file, or ATLAS_TOKEN; those that were given are refused",
    403: "the user may not do this: it needs the rights of an administrator of types",
    404: "this is no Atlas server, or --server has a wrong path: give the part before /api/atlas",
}


class RestError(SacKafkaError):
    """The server did not do what was asked; the message names the address, what happened and the cure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where the server is and who asks; `ca_file` is a PEM file of certificates to trust, `timeout` in seconds."""

    address: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    timeout: float = 60

    def __post_init__(self) -> None:
        """Raise ConfigurationError if this is no address that credentials may go to."""
        problem = address_problem(self.address)
        if problem is not None:
            cure = ": give them by --user and ATLAS_PASSWORD" if problem == WITH_LOGIN else ""
            raise ConfigurationError(f"--server {shown_address(self.address)}: {problem}{cure}")

    def get(self, path: str) -> dict[str, Any]:
        """The answer to a GET."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401 # whatever JSON can say
        """The answer to a POST."""
        return self._ask("POST", path, body)

    def put(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401
        """The answer to a PUT."""
        return self._ask("PUT", path, body)

    def _ask(self, method: str, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401
        url = self.address.rstrip("/") + path
        server = HttpServer(
            address=self.address, user=self.user, password=self.password, token=self.token, tls=self._tls()
        )
        try:
            answer = server.ask(method, path, None if body is None else json.dumps(body).encode(), self.timeout)
        except UnansweredError as error:
            cure = _CURES[error.why].format(detail=error.detail, timeout=self.timeout)
            raise RestError(f"{url}: {cure}") from None
        if not 200 <= answer.status < 300:
            raise RestError(f"{method} {url}: HTTP {answer.status}: {_refusal(answer)}")
        return _object(answer.body, url)

    def _tls(self) -> ssl.SSLContext:
        try:
            return trusting(self.ca_file)
        except OSError as error:
            raise ConfigurationError(f"--ca-file {self.ca_file} holds no certificates: {error}") from None


def _refusal(answer: Answer) -> str:
    if answer.status in REDIRECTIONS:
        return f"it leads elsewhere ({answer.location}): give that address, or log in"
    cure = _REFUSALS.get(answer.status)
    if cure is None:
        return answer.said or "see the server's log"
    return f"{cure}{f' (the server says: {answer.said})' if answer.said else ''}"


def _object(data: bytes, url: str) -> dict[str, Any]:
    try:
        found = json.loads(data) if data else {}
    except ValueError:
        found = None
    if not isinstance(found, dict):
        shown = data[:80].decode("utf-8", "replace").strip()
        raise RestError(
            f"{url}: the answer is not a JSON object but {shown!r}: is this an Atlas server, or a login page?"
        )
    return found
