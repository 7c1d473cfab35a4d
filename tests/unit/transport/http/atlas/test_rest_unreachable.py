"""The transport to Atlas' notification endpoint while no server answers: deadlines, and the next of several addresses."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass, field

import pytest

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.atlas import RestTransport
from sac_kafka.transport.http.client import Answer, HttpServer, UnansweredError, UnansweredReason
from stack.ports import free_port
from tests.helpers.waiting import LONG_SECONDS, FakeClock
from tests.unit.transport.http.atlas.bench import Sender, record, transport
from tests.unit.transport.notification_server import HANG, PATH, NotificationServer

TIMEOUT = "atlas.hook.spark.rest.timeout.seconds"


def test_nothing_listens(sender: Sender) -> None:
    port = free_port()
    rest = transport(f"http://127.0.0.1:{port}")
    sender.send(rest, record(0))
    rest.service(0)
    [failure] = sender.failures
    assert failure.kind is FailureKind.TRANSIENT
    assert f"127.0.0.1:{port}: nothing listens there: check host and port in atlas.rest.address" in str(failure)


def test_no_such_host(sender: Sender) -> None:
    rest = transport("http://no-such-host.invalid:21000")
    sender.send(rest, record(0))
    rest.service(0)
    assert "there is no such host" in str(sender.failures[0])


def test_a_cut_connection_is_transient(server: NotificationServer, sender: Sender) -> None:
    server.replies = [None]
    rest = transport(server)
    sender.send(rest, record(0))
    rest.service(0)
    assert sender.failures[0].kind is FailureKind.TRANSIENT
    assert "the connection was cut" in str(sender.failures[0])
    sender.send(rest, record(1))
    rest.close(60)
    assert sender.outcomes[-1] == (1, None)


CUT_ANSWERS = {
    "length": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n    ",
    "no body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
    "chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n    ",
    "last chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n    \r\n",
    "headers": b"HTTP/1.1 200 OK\r\nContent-Le",
    "error": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\n{}",
}


@pytest.mark.parametrize("kind", CUT_ANSWERS)
def test_an_answer_that_is_cut_is_no_answer(kind: str, sender: Sender) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 20)
                connection.sendall(CUT_ANSWERS[kind])

        thread = threading.Thread(target=answer)
        thread.start()
        rest = transport(f"http://127.0.0.1:{server.getsockname()[1]}")
        sender.send(rest, record(0))
        rest.service(0)
        thread.join()
    assert [each.kind for each in sender.failures] == [FailureKind.TRANSIENT]
    assert "the connection was cut" in str(sender.failures[0])


def test_an_answer_that_drips_is_no_answer(sender: Sender) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(1 << 20)
                connection.sendall(CUT_ANSWERS["length"])
                while True:
                    connection.sendall(b" ")
                    is_over.wait(0.02)

        is_over = threading.Event()
        thread = threading.Thread(target=drip)
        thread.start()
        rest = transport(f"http://127.0.0.1:{server.getsockname()[1]}", **{TIMEOUT: "0.3"})
        sender.send(rest, record(0))
        rest.service(0)
        thread.join()
    assert "no answer in time" in str(sender.failures[0])


def test_a_slow_server_costs_no_more_than_the_timeout(server: NotificationServer, sender: Sender) -> None:
    server.always = HANG  # until the test has ended: a request without a deadline would hang, too
    rest = transport(server, **{TIMEOUT: "0.1"})
    rest._breaker._clock = lambda: 0.0
    sender.send(rest, record(0))
    rest.service(0)
    assert "no answer in time" in str(sender.failures[0])
    assert rest.retry_after() == 2
    sender.send(rest, record(1))  # not at once again: it would cost as much
    assert len(sender.failures) == 2
    assert len(server.requests) <= 1  # none where the machine took the whole time for itself


def test_a_server_that_drips_costs_no_more_than_the_timeout(sender: Sender) -> None:
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as dripping:

        def drip() -> None:
            connection, _ = dripping.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 ")
                while not stop.wait(0.02):
                    connection.sendall(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        rest = transport(f"http://127.0.0.1:{dripping.getsockname()[1]}", **{TIMEOUT: "0.2"})
        sender.send(rest, record(0))
        try:
            rest.service(0)
        finally:
            stop.set()
            thread.join()
    assert "no answer in time" in str(sender.failures[0])


def test_flush_and_close_keep_their_deadlines_and_give_every_record_its_outcome(
    server: NotificationServer, sender: Sender
) -> None:
    server.always = HANG
    rest = transport(server, **{TIMEOUT: "600"})
    sender.send(rest, record(0))
    assert rest.flush(0) == 1
    rest.close(0.1)
    assert [failure.kind for failure in sender.failures] == [FailureKind.TRANSIENT]
    sender.send(rest, record(1))
    assert "closed" in str(sender.failures[1])
    rest.close(1)
    assert len(sender.outcomes) == 2


def test_unposted_records_have_an_outcome_after_close(server: NotificationServer, sender: Sender) -> None:
    rest = transport(server)
    sender.send(rest, record(0))
    rest.close(0)
    assert "not posted when the transport was closed" in str(sender.failures[0])
    assert server.requests == []


def test_requests_need_no_thread_while_the_interpreter_exits(
    server: NotificationServer, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: threading.Timer) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    rest = transport(server)
    sender.send(rest, record(0))
    monkeypatch.setattr(threading.Timer, "start", refuse)
    rest.close(60)
    assert sender.outcomes == [(0, None)]


def test_a_login_that_does_not_fit_a_header_is_never_shown(server: NotificationServer) -> None:
    client = HttpServer(address=server.address, token="hunter2\nhunter2")
    with pytest.raises(UnansweredError) as caught:
        client.request("GET", "/", None, LONG_SECONDS)
    assert "hunter2" not in str(caught.value) + caught.value.detail


def test_the_next_address_is_tried_if_one_does_not_answer(server: NotificationServer, sender: Sender) -> None:
    port = free_port()
    with NotificationServer() as passive:
        passive.always = (302, {"Location": f"{server.address}{PATH}"}, b"")
        rest = transport(f"http://127.0.0.1:{port}, {passive.address} ,{server.address}")
        for number in range(3):
            sender.send(rest, record(number))
            rest.service(0)
        assert sender.outcomes == [(0, None), (1, None), (2, None)]
        assert len(passive.requests) == 1  # only the one that answers is used from then on
        assert rest.failure_counts == {}


def test_a_transient_failure_counts_if_no_address_accepts(sender: Sender) -> None:
    port = free_port()
    with NotificationServer() as passive:
        passive.always = (302, {"Location": f"http://127.0.0.1:{port}/"}, b"")
        rest = transport(f"{passive.address},http://127.0.0.1:{port}")
        sender.send(rest, record(0))
        rest.service(0)
    assert sender.failures[0].kind is FailureKind.TRANSIENT
    assert "nothing listens there" in str(sender.failures[0])


@dataclass
class Slow:
    """A server that does not answer, and takes so long by a clock that a test has."""

    address: str
    clock: FakeClock
    takes: float
    given: list[float] = field(default_factory=list)
    secrets: tuple[str, ...] = ()

    def request(self, method: str, path: str, body: bytes | None, timeout_seconds: float) -> Answer:
        self.given.append(timeout_seconds)
        self.clock.advance(min(self.takes, timeout_seconds))
        raise UnansweredError(UnansweredReason.TIMEOUT, "")


def test_silent_servers_share_one_timeout(sender: Sender) -> None:
    clock = FakeClock()
    slow = [Slow(f"http://{name}", clock, takes) for name, takes in (("a", 2.0), ("b", 60.0), ("c", 60.0))]
    rest = RestTransport(slow, body_bytes=1000, timeout_seconds=10, clock=clock)
    sender.send(rest, record(0))
    rest.service(0)
    assert [server.given for server in slow] == [[10.0], [8.0], []]
    assert sender.failures[0].kind is FailureKind.TRANSIENT
    clock.advance(rest.retry_after())
    sender.send(rest, record(1))
    rest.close(3)  # as long as that, and no longer
    assert slow[2].given == [3.0]
    assert len(sender.failures) == 2


def test_a_wrong_password_is_tried_at_one_address_only(server: NotificationServer, sender: Sender) -> None:
    server.always = (401, {}, b"")
    with NotificationServer() as other:
        rest = transport(f"{server.address},{other.address}")
        sender.send(rest, record(0))
        rest.service(0)
        assert (len(server.requests), len(other.requests)) == (1, 0)


def test_a_proxy_of_the_environment_is_used(
    server: NotificationServer, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.address)
    rest = transport("http://atlas.invalid:21000")
    sender.send(rest, record(0))
    rest.service(0)
    assert server.requests[0][1] == f"http://atlas.invalid:21000{PATH}"


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (None, "its proxy http://********@127.0.0.1:{port} cannot be reached: correct http_proxy or https_proxy"),
        (407, "the proxy requires a login"),
        (502, "the request went through the proxy http://********@127.0.0.1:{port} of the environment: check it"),
    ],
)
def test_a_failure_names_the_proxy_of_the_environment_without_its_login(
    server: NotificationServer, sender: Sender, monkeypatch: pytest.MonkeyPatch, status: int | None, sentence: str
) -> None:
    port = server.server_address[1] if status else free_port()
    monkeypatch.setenv("http_proxy", f"http://ada:hunter2@127.0.0.1:{port}")
    server.base, server.always = "http://atlas.example.org:21000", (status or 204, {}, b"")
    rest = transport("http://atlas.example.org:21000")
    sender.send(rest, record(0))
    rest.service(0)
    assert sentence.format(port=port) in str(sender.failures[0])
    assert "hunter2" not in str(sender.failures[0])
