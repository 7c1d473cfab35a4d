"""The proxy that chaos is made with does something: chaos through one that does nothing would be green, too.

Modes that end connections, or let nothing through, are seen by tests/live/delivery/test_error_sentences.py.
"""

from __future__ import annotations

import asyncio
import socket
import socketserver
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from stack.proxy import SLOW_SECONDS, Mode, Proxy
from tests.helpers.waiting import until


class Echo(socketserver.BaseRequestHandler):
    """Answers each piece with the same in capitals."""

    def handle(self) -> None:
        while data := self.request.recv(1000):
            self.request.sendall(data.upper())


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        with Proxy(server.server_address[1]) as proxy:
            yield proxy
        server.shutdown()


def exchange(client: socket.socket, data: bytes) -> bytes:
    client.sendall(data)
    return client.recv(1000)


def test_a_request_arrives_and_its_answer_is_lost(proxy: Proxy) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port)) as client:
        assert exchange(client, b"hello") == b"HELLO"
        proxy.set(Mode.HALF)
        client.sendall(b"one")
        until(lambda: proxy.lost == 1)  # the server has answered
        proxy.set(Mode.PASS)  # bytes are missing on this connection: it is of no use any more
        with pytest.raises(ConnectionResetError):
            client.recv(1000)
    with socket.create_connection(("127.0.0.1", proxy.port)) as second:
        assert exchange(second, b"two") == b"TWO"


def test_slow_is_late_in_both_directions(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    with socket.create_connection(("127.0.0.1", proxy.port)) as client:
        with monkeypatch.context() as patched:
            patched.setattr("stack.proxy.asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": sleep}))
            proxy.set(Mode.SLOW)
            assert exchange(client, b"one") == b"ONE"
        assert waited == [SLOW_SECONDS, SLOW_SECONDS]
