"""Send HTTP requests with a deadline, for `rest`, `purview` and the commands.

Credentials go to the configured address only, as redirects are not followed, and are never part of an error text.
"""

from __future__ import annotations

import base64
import http.client
import json
import re
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from enum import Enum
from typing import Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.http.addresses import is_unencrypted

MAX_RESPONSE_BYTES = 64 * 1024 * 1024
REDIRECTIONS = frozenset({301, 302, 303, 307, 308})
_NO_CONTENT = 204
_LOGIN = re.compile(
    r"log-?_?[io]n|sign-?_?[io]n|\b(?:sso|cas|auth|saml2?)\b|oauth|openid|authori[sz]e|j_security", re.IGNORECASE
)
_MAX_SHOWN = 300
_MAX_LENGTH = 10_000
_MAX_CHALLENGE_LENGTH = 4_096
_ERRORS = (("errorCode", "errorMessage"), ("error", "error_description", "message"))
"""Members of a JSON error response, in order of preference."""
_PARAMETER = re.compile(r'(?:^|[\s,])(error|error_description)="([^"]{1,1000})"')
_SCHEME = re.compile(r"(?:^|,)\s*(Basic|Bearer|Negotiate)\b", re.IGNORECASE)


class UnansweredReason(Enum):
    """Reason why a request got no response."""

    CERTIFICATE = "its certificate is not trusted"
    CERTIFICATE_HOST = "its certificate is for another host"
    CERTIFICATE_DATES = "its certificate has expired, or is not yet valid"
    CERTIFICATE_SELF_SIGNED = "its certificate is self-signed"
    TLS = "no TLS"
    REFUSED = "nothing listens there"
    NO_HOST = "there is no such host"
    TIMEOUT = "no answer in time"
    NO_HTTP = "no HTTP answer"
    OTHER = "the request failed"


_OF_CERTIFICATE = {
    **dict.fromkeys((62, 64), UnansweredReason.CERTIFICATE_HOST),
    **dict.fromkeys((9, 10), UnansweredReason.CERTIFICATE_DATES),
    18: UnansweredReason.CERTIFICATE_SELF_SIGNED,
}
"""By the code of OpenSSL's x509_vfy.h."""


class UnansweredError(SacKafkaError):
    """A request got no response; `detail` is the library's text, without secrets."""

    def __init__(self, reason: UnansweredReason, detail: str) -> None:
        super().__init__(f"{reason.value}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response with any status."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def error_text(self) -> str:
        """The error of the response in one line, "" if it has none.

        That is Atlas' `{"errorCode": …, "errorMessage": …}`, else the `error` and `error_description` of OAuth (RFC 6750), in
        the body or in `WWW-Authenticate`, or the `error` and `message` of a gateway.
        """
        challenge = dict(_PARAMETER.findall(self.headers.get("www-authenticate", "")[:_MAX_CHALLENGE_LENGTH]))
        for source in (json_of(self), challenge):
            for names in _ERRORS:
                parts = [
                    source[name] for name in names if isinstance(source.get(name), (str, int)) and source.get(name)
                ]
                if parts:
                    return " ".join(" ".join(str(part).split()) for part in parts)[:_MAX_SHOWN]
        return ""

    @property
    def wants_kerberos(self) -> bool:
        """True if the server offers Kerberos (`Negotiate`) and neither Basic nor Bearer."""
        offered = {
            each.lower() for each in _SCHEME.findall(self.headers.get("www-authenticate", "")[:_MAX_CHALLENGE_LENGTH])
        }
        return "negotiate" in offered and not offered & {"basic", "bearer"}

    @property
    def location(self) -> str:
        """Target of a redirect, without user info and parameters, which may identify a session."""
        parts = urllib.parse.urlsplit(self.headers.get("location", ""))
        host = parts.netloc.rpartition("@")[2]
        return f"{f'{parts.scheme}://{host}' if host else ''}{parts.path.partition(';')[0]}" or "nowhere"

    @property
    def is_success(self) -> bool:
        """True for a status of success; a log-in page may have sent it (`is_foreign`)."""
        return 200 <= self.status < 300

    @property
    def is_foreign(self) -> bool:
        """True if a successful response is not JSON, but from a log-in page or proxy in front of the server."""
        if not self.is_success or self.status == _NO_CONTENT:
            return False
        body = self.body.strip()
        return "html" in self.headers.get("content-type", "").lower() or (bool(body) and not _is_json(body))

    @property
    def leads_to_login(self) -> bool:
        """True for a redirect to a log-in page."""
        return self.status in REDIRECTIONS and _LOGIN.search(self.location) is not None


def json_of(answer: Answer) -> Mapping[str, Any]:
    """Return the JSON object of a response; an empty one if it has none."""
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def error_of(answer: Answer) -> tuple[str, str]:
    """Return code and message of an error, in Atlas' form or that of Azure's gateways; "" for a missing one.

    A successful response may contain one, too.
    """
    found = json_of(answer)
    inner = found.get("error")
    if isinstance(inner, dict):
        return _line(inner.get("code")), _line(inner.get("message"))
    return _line(found.get("errorCode")), _line(found.get("errorMessage") or (inner if found.get("errorCode") else ""))


def _line(value: object) -> str:
    return " ".join(str(value or "")[:_MAX_LENGTH].split())


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServer:
    """Address of a server and its credentials: `user` with `password`, or `token`. `tls` holds the trusted CAs.

    `content_type` is that of the bodies of requests.
    """

    address: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    tls: ssl.SSLContext | None = None
    content_type: str = "application/json"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts to mask in the server's responses, longest first."""
        given = (self.token, bare_token(self.token) if self.token else None, self.password)
        return tuple(sorted(filter(None, given), key=len, reverse=True))

    def request(self, method: str, path: str, body: bytes | None, timeout_seconds: float) -> Answer:
        """Send a request and read the response within the timeout (except for the resolution of the host name).

        Raises:
            UnansweredError: There is no response.
        """
        url = self.address.rstrip("/") + path
        request = urllib.request.Request(url, data=body, method=method, headers=self._headers())  # noqa: S310 # checked
        with _Watch(timeout_seconds) as watch:
            opener = urllib.request.build_opener(_NoRedirection, _Http(watch), _Https(watch, self.tls))
            try:
                with opener.open(request, timeout=timeout_seconds) as answer:
                    return Answer(answer.status, _lower(answer.headers), _body_of(answer))
            except urllib.error.HTTPError as error:
                try:
                    with error:
                        return Answer(error.code, _lower(error.headers), _body_of(error))
                except (OSError, http.client.HTTPException, ValueError) as cut:
                    raise _as_unanswered_error(cut, watch) from None
            except urllib.error.URLError as error:
                raise _as_unanswered_error(error.reason, watch) from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise _as_unanswered_error(error, watch) from None

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json", "Content-Type": self.content_type, "User-Agent": "sac-kafka"}
        if self.token:
            headers["Authorization"] = f"Bearer {bare_token(self.token)}"
        elif self.user is not None:
            login = base64.b64encode(f"{self.user}:{self.password or ''}".encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        return headers


def bare_token(text: str) -> str:
    """Return a token without the scheme of the header, which is often copied with it.

    >>> bare_token("Bearer eyJhbGci"), bare_token("eyJhbGci")
    ('eyJhbGci', 'eyJhbGci')
    """
    scheme, blank, rest = text.strip().partition(" ")
    return rest.strip() if blank and scheme.lower() == "bearer" else text


def is_in_clear(server: HttpServer) -> bool:
    """Return whether credentials go unencrypted to another machine."""
    return bool(server.token or server.user is not None) and is_unencrypted(server.address)


def _is_json(body: bytes) -> bool:
    """Return whether a body looks like JSON. A long body is not parsed: that would hold the GIL for too long."""
    if body[:1] in (b"{", b"[", b'"'):
        return True
    try:
        json.loads(body[:_MAX_SHOWN])
    except ValueError:
        return False
    return True


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:  # noqa: ANN401 # whatever urllib gives
        return None


class _Watch:
    """Timer that cuts the connection at the deadline: the timeout of a socket applies to each single read."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self._socket: socket.socket | None = None

    def __enter__(self) -> _Watch:
        with suppress(RuntimeError):  # No thread starts while the interpreter exits: the socket's timeout must do.
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._deadline

    def over(self, connected: socket.socket) -> None:
        self._socket = connected
        if self.is_over:
            raise TimeoutError

    def _cut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # Already disconnected.
                self._socket.shutdown(socket.SHUT_RDWR)


class _Lines:
    """Read the head of a response; `http.client` takes a cut connection for the blank line that ends it."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401 # a buffered socket
        self._file = file
        self.last = b""

    def readline(self, limit: int) -> bytes:
        self.last = self._file.readline(limit)
        return self.last

    def close(self) -> None:
        self._file.close()


class _Response(http.client.HTTPResponse):
    def begin(self) -> None:
        file: Any = self.fp
        lines: Any = _Lines(file)
        self.fp = lines
        try:
            super().begin()
        finally:
            if self.fp is lines:
                self.fp = file
        if lines.last.strip(b"\r\n") or not lines.last:
            raise http.client.IncompleteRead(b"")


class _Connection(http.client.HTTPConnection):
    response_class = _Response

    def __init__(self, host: str, watch: _Watch, **arguments: Any) -> None:  # noqa: ANN401 # whatever urllib gives
        super().__init__(host, **arguments)
        self._watch = watch

    def connect(self) -> None:
        super().connect()
        self._watch.over(self.sock)


class _TlsConnection(_Connection, http.client.HTTPSConnection):
    """HTTPS connection with the same watch; `_Connection.connect` calls that of `HTTPSConnection`."""


class _Http(urllib.request.HTTPHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, req, watch=self._watch)  # type: ignore[arg-type]  # of a subclass


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, watch: _Watch, tls: ssl.SSLContext | None) -> None:
        super().__init__(context=tls)
        self._watch = watch
        self._tls = tls

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        arguments = {"watch": self._watch, "context": self._tls}
        return self.do_open(_TlsConnection, req, **arguments)  # type: ignore[arg-type]  # of a subclass


def _lower(headers: Message) -> dict[str, str]:
    """Return headers with lower-case names; values of a repeated header are joined by commas (RFC 9110)."""
    return {name.lower(): ", ".join(headers.get_all(name, ())) for name in headers}


def _body_of(answer: Any) -> bytes:  # noqa: ANN401 # http.client's response, or the error that wraps one
    """Read a body; a limited read of `http.client` reports no connection that was cut before the promised length.

    Raises:
        IncompleteRead: The body is shorter than `Content-Length` promises.
    """
    body: bytes = answer.read(MAX_RESPONSE_BYTES)
    missing = getattr(answer, "length", None)
    if missing and len(body) < MAX_RESPONSE_BYTES:
        raise http.client.IncompleteRead(body, missing)
    return body


def _as_unanswered_error(reason: object, watch: _Watch) -> UnansweredError:
    if watch.is_over:
        return UnansweredError(UnansweredReason.TIMEOUT, "")
    match reason:
        case http.client.IncompleteRead():
            return UnansweredError(UnansweredReason.OTHER, "the connection was cut within the answer")
        case ssl.SSLCertVerificationError():
            return UnansweredError(
                _OF_CERTIFICATE.get(reason.verify_code, UnansweredReason.CERTIFICATE), reason.verify_message
            )
        case ssl.SSLError():
            return UnansweredError(UnansweredReason.TLS, str(reason.reason or reason))
        case ConnectionRefusedError():
            return UnansweredError(UnansweredReason.REFUSED, "")
        case socket.gaierror():
            return UnansweredError(UnansweredReason.NO_HOST, "")
        case TimeoutError():
            return UnansweredError(UnansweredReason.TIMEOUT, "")
        case ConnectionError():  # Includes RemoteDisconnected, which is an HTTPException, too.
            return UnansweredError(UnansweredReason.OTHER, "the connection was cut")
        case http.client.HTTPException():
            return UnansweredError(UnansweredReason.NO_HTTP, type(reason).__name__)
        case ValueError():  # An invalid header: the text may contain the credentials.
            return UnansweredError(UnansweredReason.OTHER, f"the request cannot be written ({type(reason).__name__})")
    return UnansweredError(UnansweredReason.OTHER, str(reason))
