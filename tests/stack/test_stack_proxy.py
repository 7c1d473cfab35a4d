"""The proxy does to a real connection what its modes say."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator

import pytest

from stack.errors import StackError
from stack.proxy import Mode, Proxy
from tests.waiting import LONG_SECONDS, least_seconds, seconds_of, until

SILENT_SECONDS = 0.3


class Echo(socketserver.BaseRequestHandler):
    """Answers each piece with the same in capitals, and keeps what it has read."""

    def handle(self) -> None:
        while data := self.request.recv(1000):
            self.server.heard.append(data)  # type: ignore[attr-defined] the list of the fixture below
            self.request.sendall(data.upper())


@pytest.fixture
def heard() -> list[bytes]:
    return []


@pytest.fixture
def proxy(heard: list[bytes]) -> Iterator[Proxy]:
    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A reset is what the tests do."""

    with Server(("127.0.0.1", 0), Echo) as server:
        server.heard = heard  # type: ignore[attr-defined] read by the handler
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        with Proxy(server.server_address[1], slow_seconds=0.2) as proxy:
            yield proxy
        server.shutdown()


@pytest.fixture
def client(proxy: Proxy) -> Iterator[socket.socket]:
    with connect(proxy) as client:
        assert ask(client, b"hello") == b"HELLO"
        yield client


def connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=LONG_SECONDS)


def ask(client: socket.socket, data: bytes) -> bytes:
    client.sendall(data)
    return client.recv(1000)


def assert_silent(client: socket.socket) -> None:
    client.settimeout(SILENT_SECONDS)
    with pytest.raises(TimeoutError):
        client.recv(1000)
    client.settimeout(LONG_SECONDS)


def test_what_a_hole_holds_back_goes_on_afterwards(proxy: Proxy, client: socket.socket, heard: list[bytes]) -> None:
    proxy.set(Mode.HOLE)
    client.sendall(b"one")
    assert_silent(client)
    with connect(proxy) as second:
        second.sendall(b"two")
        assert_silent(second)
        assert heard == [b"hello"]

        proxy.set(Mode.PASS)

        assert client.recv(1000) == b"ONE"
        assert second.recv(1000) == b"TWO"


def test_a_request_arrives_and_its_answer_is_lost(proxy: Proxy, client: socket.socket, heard: list[bytes]) -> None:
    proxy.set(Mode.HALF)
    client.sendall(b"one")
    until(lambda: proxy.lost)
    assert heard == [b"hello", b"one"]
    assert_silent(client)

    proxy.set(Mode.PASS)  # bytes are missing on this connection: it is of no use any more

    with pytest.raises(ConnectionResetError):
        client.recv(1000)
    with connect(proxy) as second:
        assert ask(second, b"two") == b"TWO"


@pytest.mark.parametrize(("mode", "is_reset"), [(Mode.RESET, True), (Mode.REFUSE, True), (Mode.CUT, False)])
def test_old_connections_end(mode: Mode, is_reset: bool, proxy: Proxy, client: socket.socket) -> None:
    proxy.set(mode)
    if is_reset:
        with pytest.raises(ConnectionResetError):
            client.recv(1000)
    else:
        assert client.recv(1000) == b""


def test_new_connections_end(proxy: Proxy) -> None:
    proxy.set(Mode.CUT)
    with connect(proxy) as client:
        assert client.recv(1000) == b""
    proxy.set(Mode.RESET)
    with pytest.raises(ConnectionResetError), connect(proxy) as client:
        client.recv(1000)
    proxy.set(Mode.REFUSE)
    with pytest.raises(ConnectionRefusedError):
        connect(proxy)
    assert proxy.connections == 2

    proxy.set(Mode.PASS)

    with connect(proxy) as client:
        assert ask(client, b"one") == b"ONE"


def test_slow_is_late_in_both_directions(proxy: Proxy, client: socket.socket) -> None:
    proxy.set(Mode.SLOW)

    def late() -> float:
        taken = seconds_of(lambda: ask(client, b"one"))
        assert taken >= 0.4
        return taken

    assert ask(client, b"one") == b"ONE"
    assert least_seconds(late, below=2) < 2


def test_a_server_that_is_down_resets_the_client() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with Proxy(nobody.getsockname()[1]) as proxy, pytest.raises(ConnectionResetError), connect(proxy) as client:
            client.recv(1000)


def test_a_port_in_use_is_one_clear_error(proxy: Proxy) -> None:
    other = Proxy(proxy.target, proxy.port)
    with pytest.raises(StackError, match=rf"cannot listen on 127\.0\.0\.1:{proxy.port}"):
        other.start()
    other.stop()
