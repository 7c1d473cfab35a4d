"""An Atlas server's REST interface, as far as the commands need it: JSON over HTTP, every failure with its cure."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sac_kafka.cli.configured import Configured
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
    Why.CERTIFICATE: "its certificate is not trusted ({detail}): name the authority's PEM by {ca_file}",
    Why.TLS: "no TLS ({detail}): is it an http:// address?",
    Why.REFUSED: "nothing listens there: check host and port of {server}, and that the server runs",
    Why.NO_HOST: "there is no such host: check {server}",
    Why.TIMEOUT: "no answer within {timeout:g} s: check {server}, or give more by --timeout",
    Why.NO_HTTP: "no HTTP answer ({detail}): is it an https:// address?",
    Why.OTHER: "it cannot be asked: {detail}",
}
_REFUSALS = {
    401: "the log-in is missing or refused: give {login}",
    403: "the user may not do this: it needs the rights of an administrator of types",
    404: "this is no Atlas server, or {server} has a wrong path: give the part before /api/atlas",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What errors call the ways by which a server is named."""

    server: str
    ca_file: str
    login: str


ON_THE_COMMAND_LINE = Words("--server", "--ca-file", "--user with ATLAS_PASSWORD or --password-file, or ATLAS_TOKEN")
IN_THE_CONFIGURATION = Words(
    "atlas.rest.address",
    "atlas.hook.spark.rest.ca.file",
    "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password, or atlas.hook.spark.rest.token",
)


class RestError(SacKafkaError):
    """The server did not do what was asked; the message names the address, what happened and the cure.

    `status` is that of its answer, None where there was none.
    """

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where the server is and who asks; `ca_file` is a PEM file of certificates to trust, `timeout` in seconds.

    `words` are what errors call all this.
    """

    address: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    timeout: float = 60
    words: Words = ON_THE_COMMAND_LINE

    def __post_init__(self) -> None:
        """Raise ConfigurationError if this is no address that credentials may go to."""
        problem = address_problem(self.address)
        if problem is not None:
            cure = f": give them by {self.words.login}" if problem == WITH_LOGIN else ""
            raise ConfigurationError(f"{self.words.server} {shown_address(self.address)}: {problem}{cure}")

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
            address=self.address, user=self.user, password=self.password, token=self.token, tls=self.tls()
        )
        try:
            answer = server.ask(method, path, None if body is None else json.dumps(body).encode(), self.timeout)
        except UnansweredError as error:
            names = {"server": self.words.server, "ca_file": self.words.ca_file}
            cure = _CURES[error.why].format(detail=error.detail, timeout=self.timeout, **names)
            raise RestError(f"{url}: {cure}") from None
        if not 200 <= answer.status < 300:
            text = f"{method} {url}: HTTP {answer.status}: {_refusal(answer, self.words)}"
            raise RestError(text, answer.status)
        return _object(answer.body, url)

    def tls(self) -> ssl.SSLContext:
        """Whom to trust; raises ConfigurationError."""
        try:
            return trusting(self.ca_file)
        except OSError as error:
            raise ConfigurationError(
                f"{self.words.ca_file} {self.ca_file}: {_why(error)}; name a PEM file of certificates"
            ) from None


def _why(error: OSError) -> str:
    """Why certificates cannot be read: OpenSSL speaks of a file that is no PEM in its own way."""
    return "it holds no certificate" if isinstance(error, ssl.SSLError) else (error.strerror or str(error))


def _refusal(answer: Answer, words: Words) -> str:
    if answer.status in REDIRECTIONS:
        return f"it redirects to {answer.location}: give that address, or log in"
    cure = _REFUSALS.get(answer.status)
    if cure is None:
        return answer.said or "see the server's log"
    cure = cure.format(server=words.server, login=words.login)
    return f"{cure}{f' (the server says: {answer.said})' if answer.said else ''}"


def _object(data: bytes, url: str) -> dict[str, Any]:
    try:
        found = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        shown = data[:80].decode("utf-8", "replace").strip()
        raise RestError(
            f"{url}: the answer is not a JSON object but {shown!r}: is this an Atlas server, or a login page?"
        )
    return found


def server_of(configured: Configured, timeout_seconds: float) -> Server | None:
    """Give the Atlas of a configuration, None where it names none."""
    settings = configured.settings
    named = configured.configuration.values.get("atlas.rest.address", "") or settings.rest.address or ""
    address = named.partition(",")[0].strip()
    if not address:
        return None
    return Server(
        address=address if "://" in address else f"http://{address}",
        user=settings.rest.user if settings.rest.password else None,
        password=settings.rest.password,
        token=settings.rest.token,
        ca_file=Path(settings.rest.ca_file) if settings.rest.ca_file else None,
        timeout=timeout_seconds,
        words=IN_THE_CONFIGURATION,
    )
