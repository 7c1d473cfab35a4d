"""Servers on loopback with one typical fault each: sockets in clear and in TLS."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

Serving = Callable[[socket.socket], None]
_TLS = b"\x16"
"""The first bytes of a TLS client; a server in clear answers them at once."""


def says_nothing(connection: socket.socket) -> None:
    """Read without ever answering, until the other side ends the connection."""
    while connection.recv(4096):
        pass


def hangs_up(connection: socket.socket) -> None:
    """Close after the first bytes, as Kafka does for unreadable requests."""
    connection.recv(4096)


def answers(status: str, body: bytes = b"", **headers: str) -> Serving:
    """Answer each request over HTTP with this; `_` in a header's name is a hyphen."""
    lines = (f"{name.replace('_', '-')}: {value}" for name, value in headers.items())
    head = "\r\n".join((f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *lines))

    def serve(connection: socket.socket) -> None:
        heard = b""
        while b"\r\n\r\n" not in heard and not heard.startswith(_TLS) and (part := connection.recv(65536)):
            heard += part
        connection.sendall(f"{head}\r\n\r\n".encode() + body)

    return serve


def leave(connection: socket.socket) -> None:
    """Close a connection cleanly: with unread bytes it would be reset, and the answer might be lost."""
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):
        pass


@contextlib.contextmanager
def server(serve: Serving, key_store: Path | None = None) -> Iterator[int]:
    """Listen on a port of 127.0.0.1, with this key and certificate in TLS; yield the port."""
    context = None
    if key_store is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(key_store)
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.05)
    is_over = threading.Event()

    def handle(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            if context is None:
                serve(connection)
                leave(connection)
                return
            with context.wrap_socket(connection, server_side=True) as secured:
                serve(secured)
                leave(secured)

    def accept() -> None:
        while not is_over.is_set():
            with contextlib.suppress(TimeoutError):
                connection, _ = listening.accept()
                threading.Thread(target=handle, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        is_over.set()
        thread.join()
        listening.close()
