"""An HTTP server on loopback whose answers are one method, for stand-ins of Atlas, Purview and others."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Reply = tuple[int, Mapping[str, str], bytes]
"""Status, further headers and body."""


class HttpRequest(NamedTuple):
    """A request as received; the names of `headers` are case-insensitive."""

    method: str
    path: str
    headers: Message
    body: bytes


class LoopbackServer(ThreadingHTTPServer):
    """Serves on a free port inside a `with` block.

    Args:
        tls: For TLS; without it in clear.
    """

    daemon_threads = True

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = "https" if tls else "http"
        self.is_over = threading.Event()
        """Set when the block ends; a reply that hangs waits for it."""
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    @property
    def address(self) -> str:
        return f"{self.scheme}://localhost:{self.server_port}"

    def reply(self, request: HttpRequest) -> Reply | None:
        """Return the answer to a request; None cuts the connection."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.is_over.set()
        self.shutdown()
        self.server_close()
        self._thread.join(10)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that go away; the tests make them."""


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        reply = self.server.reply(HttpRequest(self.command, self.path, self.headers, body))
        if reply is None:
            self.close_connection = True
            self.connection.close()
            return
        status, headers, content = reply
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 # as http.server calls them

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""
