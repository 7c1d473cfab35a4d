"""Receive events over HTTP: uvicorn serves `http_api` in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sac_kafka.bridge.http_api import Api, Limits, application
from sac_kafka.bridge.intake import Intake
from sac_kafka.errors import ConfigurationError
from sac_kafka.log import logger

if TYPE_CHECKING:
    import uvicorn

_JOIN_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30
_BACKLOG = 64
"""New connections that are accepted at once, before one is refused."""
_WAITING = 2_048
"""New connections that may wait to be accepted."""
_RESERVED_FILES = _BACKLOG + 64
"""Open files that connections leave to the journal, the spool and the client of the server behind."""
_LOCAL = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where to listen, and for whom; without `certificate` (a file) there is no TLS."""

    host: str
    port: int
    token: str = field(default="", repr=False)
    certificate: str | None = None
    key: str | None = None
    limits: Limits = field(default_factory=Limits)


class HttpInput:
    """The HTTP server of a bridge; the address is bound at once, requests are served from `start` on.

    Args:
        listening: Where it listens.

    Attributes:
        counts: Returns the counters of the bridge; set before `start`.

    Raises:
        ConfigurationError: The extra is not installed, the certificate cannot be used, or the address is in use.
    """

    ends = False

    def __init__(self, listening: Listening) -> None:
        try:
            import starlette  # noqa: F401 named in the error
            import uvicorn  # noqa: F401
        except ImportError as error:
            raise ConfigurationError(
                f"--listen needs {error.name}, which is not installed: install the extra, pip install 'sac-kafka[bridge]'"
            ) from error
        self.counts: Callable[[], Mapping[str, int]] = dict
        self._listening = listening
        _check_certificate(listening)
        try:
            family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
            self._socket = socket.create_server((listening.host, listening.port), family=family, backlog=_WAITING)
        except OSError as error:
            raise ConfigurationError(
                f"--listen {listening.host}:{listening.port}: {error.strerror}; name another address"
            ) from error
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        if not listening.token and listening.host not in _LOCAL:
            logger.warning("everybody who reaches %s can send events: set --token-file", self.address)

    @property
    def address(self) -> str:
        """The URL of the server."""
        host, port = self._socket.getsockname()[:2]
        scheme = "https" if self._listening.certificate else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"

    def start(self, intake: Intake) -> None:
        """Serve requests."""
        import uvicorn

        listening = self._listening
        api = Api(
            keep=intake.keep, count=intake.count, counts=self.counts, token=listening.token, limits=listening.limits
        )
        config = uvicorn.Config(
            application(api),
            log_level="critical",
            access_log=False,
            backlog=_BACKLOG,
            server_header=False,
            ws="none",
            lifespan="off",
            http=_protocol(os.sysconf("SC_OPEN_MAX") - _RESERVED_FILES),
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=int(_JOIN_SECONDS / 2),
            ssl_certfile=listening.certificate,
            ssl_keyfile=listening.key,
        )
        try:
            config.load()
        except OSError as error:
            raise ConfigurationError(
                f"--tls-certificate {listening.certificate}: {error.strerror}; name a PEM file"
            ) from error

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                for bound in sockets or ():
                    bound.listen(_WAITING)  # asyncio accepts as many at once as it lets wait

        self._server = Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="sac-kafka-http", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the requests that are running, and the server."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(_JOIN_SECONDS)
        with contextlib.suppress(OSError):
            self._socket.close()


def _protocol(most: int) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with what it lacks: it refuses more connections than these, and closes idle new ones."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class Protocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type] # one of two classes with these attributes
        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            if len(self.connections) > max(most, 1):
                transport.abort()
            else:
                self.loop.call_later(_KEEP_ALIVE_SECONDS, self.close_without_request)

        def close_without_request(self) -> None:
            """Close the connection unless the header of a request has arrived; from then on uvicorn has limits."""
            if self.cycle is None:
                self.transport.close()

    return Protocol


def _check_certificate(listening: Listening) -> None:
    if listening.certificate is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(listening.certificate, listening.key)
    except (OSError, ssl.SSLError) as error:
        raise ConfigurationError(
            f"--tls-certificate {listening.certificate}: {error}; name PEM files of a certificate and its key"
        ) from error
