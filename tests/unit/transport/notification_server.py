"""Atlas' notification endpoint as a server on loopback, which answers as a test wants and keeps what was posted."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATH = "/api/atlas/v2/notification/topic/ATLAS_HOOK"
Reply = tuple[int, dict[str, str], bytes]
HANG = "hang"
"""Used as a reply: no answer until the server ends."""


class NotificationServer(ThreadingHTTPServer):
    """`posted` are the messages in order, of all requests answered 204.

    `replies` are given first, one a request; `HANG` instead of one answers nothing until the server ends, and None cuts
    the connection.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = "http"
        self.posted: list[Any] = []
        self.bodies: list[list[Any]] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.replies: list[Reply | str | None] = []
        self.always: Reply | str | None = (204, {}, b"")
        self.authorization: str | None = None
        self.is_over = threading.Event()
        self.longest_body = 1 << 30
        self.base = ""
        self.fails_on: Callable[[list[Any]], Reply | None] = lambda body: None

    @property
    def address(self) -> str:
        return f"{self.scheme}://localhost:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that go away; the tests make them."""


class _Handler(BaseHTTPRequestHandler):
    server: NotificationServer

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.requests.append((self.command, self.path, dict(self.headers)))
        server.bodies.append(body)
        reply = server.replies.pop(0) if server.replies else server.always
        if isinstance(reply, str):
            server.is_over.wait()
            reply = (204, {}, b"")
        if reply is None:
            self.close_connection = True
            self.connection.close()
            return
        if server.authorization is not None and self.headers.get("Authorization") != server.authorization:
            reply = (401, {}, b"")
        elif int(self.headers["Content-Length"]) > server.longest_body:
            reply = (413, {}, b"")
        elif (failure := server.fails_on(body)) is not None:
            reply = failure
        elif self.path != server.base + PATH:
            reply = (404, {}, b"<html>")
        if reply[0] == 204:
            server.posted += body
        self.send_response(reply[0])
        for name, value in {"Content-Length": str(len(reply[2])), **reply[1]}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply[2])

    def log_message(self, *_arguments: object) -> None:
        """Nothing is logged."""


@contextmanager
def notification_server(tls: ssl.SSLContext | None = None) -> Iterator[NotificationServer]:
    with NotificationServer() as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            server.scheme = "https"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.is_over.set()
            server.shutdown()
            thread.join(10)
