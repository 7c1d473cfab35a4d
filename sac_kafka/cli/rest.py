"""An Atlas server's REST interface, as far as the commands need it: JSON over HTTP, every failure with its cure.

Credentials go to the given address only: redirections are not followed. They are in no error text.
"""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sac_kafka.errors import ConfigurationError, SacKafkaError

TYPEDEFS = "/api/atlas/v2/types/typedefs"
LONGEST_ANSWER = 64 * 1024 * 1024
SHOWN = 300


class RestError(SacKafkaError):
    """The server did not do what was asked; the message names the address, what happened and the cure."""


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:  # noqa: ANN401 # whatever urllib gives
        return None


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
        try:
            parts = urllib.parse.urlsplit(self.address)
            _ = parts.port
        except ValueError as error:
            raise ConfigurationError(f"--server is not an address: {error}") from None
        if "@" in parts.netloc:
            raise ConfigurationError("--server holds a user name or password: give them by --user and ATLAS_PASSWORD")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigurationError(
                f"--server {self.address!r} is no address: it is like https://atlas.example.org:21443"
            )
        if parts.query or parts.fragment:
            raise ConfigurationError(
                "--server must be an address without parameters, like https://atlas.example.org:21443"
            )

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
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method, headers=self._headers())  # noqa: S310 # checked
        try:
            with self._opener().open(request, timeout=self.timeout) as answer:
                return _object(answer.read(LONGEST_ANSWER), url)
        except urllib.error.HTTPError as error:
            with error:
                raise RestError(self._refusal(method, url, error)) from None
        except urllib.error.URLError as error:
            raise RestError(f"{url}: {self._failure(error.reason)}") from None
        except (OSError, http.client.HTTPException) as error:
            raise RestError(f"{url}: {self._failure(error)}") from None

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "sac-kafka"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        elif self.user is not None:
            login = base64.b64encode(f"{self.user}:{self.password or ''}".encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        return headers

    def _opener(self) -> urllib.request.OpenerDirector:
        try:
            context = ssl.create_default_context(cafile=str(self.ca_file) if self.ca_file else None)
        except (OSError, ssl.SSLError) as error:
            raise ConfigurationError(f"--ca-file {self.ca_file} holds no certificates: {error}") from None
        return urllib.request.build_opener(_NoRedirection, urllib.request.HTTPSHandler(context=context))

    def _refusal(self, method: str, url: str, error: urllib.error.HTTPError) -> str:
        said = _said(error)
        match error.code:
            case 401:
                cure = "give --user with ATLAS_PASSWORD or --password-file, or ATLAS_TOKEN; those that were given are refused"
            case 403:
                cure = "the user may not do this: it needs the rights of an administrator of types"
            case 404:
                cure = "this is no Atlas server, or --server has a wrong path: give the part before /api/atlas"
            case 301 | 302 | 303 | 307 | 308:
                cure = f"it leads elsewhere ({_place(error.headers.get('Location'))}): give that address, or log in"
            case _:
                cure = said or "see the server's log"
                said = ""
        return f"{method} {url}: HTTP {error.code}: {cure}{f' (the server says: {said})' if said else ''}"

    def _failure(self, reason: object) -> str:
        match reason:
            case ssl.SSLCertVerificationError():
                return (
                    f"its certificate is not trusted ({reason.verify_message}): name the authority's PEM by --ca-file"
                )
            case ssl.SSLError():
                return f"no TLS ({reason.reason or reason}): is it an http:// address?"
            case ConnectionRefusedError():
                return "nothing listens there: check the host and the port of --server, and that the server runs"
            case socket.gaierror():
                return "there is no such host: check --server"
            case TimeoutError():
                return f"no answer within {self.timeout:g} s: check --server, or give more by --timeout"
            case http.client.HTTPException():
                return f"no HTTP answer ({type(reason).__name__}): is it an https:// address?"
        return f"it cannot be asked: {reason}"


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


def _said(error: urllib.error.HTTPError) -> str:
    """AtlasBaseException as JSON: {"errorCode": …, "errorMessage": …}."""
    try:
        found = json.loads(error.read(LONGEST_ANSWER))
    except (ValueError, OSError, http.client.HTTPException):
        return ""
    parts = [found.get("errorCode"), found.get("errorMessage")] if isinstance(found, dict) else []
    return " ".join(str(part) for part in parts if part)[:SHOWN]


def _place(location: str | None) -> str:
    """Where a redirection leads, without what a session might be stolen by."""
    parts = urllib.parse.urlsplit(location or "")
    host = parts.netloc.rpartition("@")[2]
    return f"{f'{parts.scheme}://{host}' if host else ''}{parts.path.partition(';')[0]}" or "nowhere"
