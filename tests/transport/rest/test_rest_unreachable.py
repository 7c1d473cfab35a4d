"""Where no server answers: deadlines, and the next of several addresses."""

from __future__ import annotations

import socket
import threading

import pytest

from sac_kafka.transport.base import Trouble
from sac_kafka.transport.http import HttpServer, UnansweredError
from stack.ports import free_port
from tests.transport.notification_server import PATH, NotificationServer, notification_server
from tests.transport.rest.bench import Told, record, transport
from tests.waiting import LONG_SECONDS, seconds_of


def test_nothing_listens(told: Told) -> None:
    port = free_port()
    rest = transport(f"http://127.0.0.1:{port}")
    told.send(rest, record(0))
    rest.service(0)
    [failure] = told.failures
    assert failure.trouble is Trouble.PASSING
    assert f"127.0.0.1:{port}: nothing listens there: check host and port in atlas.rest.address" in str(failure)


def test_no_such_host(told: Told) -> None:
    rest = transport("http://no-such-host.invalid:21000")
    told.send(rest, record(0))
    rest.service(0)
    assert "there is no such host" in str(told.failures[0])


def test_a_connection_that_is_cut_is_passing(server: NotificationServer, told: Told) -> None:
    server.replies = [None]
    rest = transport(server)
    told.send(rest, record(0))
    rest.service(0)
    assert told.failures[0].trouble is Trouble.PASSING
    assert "the connection was cut" in str(told.failures[0])
    told.send(rest, record(1))
    rest.close(60)
    assert told.told[-1] == (1, None)


def test_a_slow_server_costs_no_more_than_the_timeout(server: NotificationServer, told: Told) -> None:
    server.always = 2 * LONG_SECONDS
    rest = transport(server, **{"atlas.hook.spark.rest.timeout.seconds": "0.3"})
    rest._breaker._clock = lambda: 0.0
    told.send(rest, record(0))
    assert seconds_of(lambda: rest.service(0)) < LONG_SECONDS / 2
    assert "no answer in time" in str(told.failures[0])
    assert rest.retry_after() == 2
    told.send(rest, record(1))  # not at once again: it would cost as much
    assert len(told.failures) == 2
    assert len(server.requests) <= 1  # none where this machine took the whole time for itself


def test_a_server_that_drips_costs_no_more_than_the_timeout(told: Told) -> None:
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as dripping:

        def drip() -> None:
            connection, _ = dripping.accept()
            with connection:
                connection.recv(65536)
                try:
                    for each in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000:
                        connection.sendall(bytes((each,)))
                        if stop.wait(0.05):
                            return
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        rest = transport(
            f"http://127.0.0.1:{dripping.getsockname()[1]}", **{"atlas.hook.spark.rest.timeout.seconds": "0.5"}
        )
        told.send(rest, record(0))
        took = seconds_of(lambda: rest.service(0))
        stop.set()
        thread.join(LONG_SECONDS)
    assert took < LONG_SECONDS / 2
    assert "no answer in time" in str(told.failures[0])


def test_flush_and_close_keep_their_deadlines_and_give_every_record_its_outcome(
    server: NotificationServer, told: Told
) -> None:
    server.always = 2 * LONG_SECONDS
    rest = transport(server, **{"atlas.hook.spark.rest.timeout.seconds": str(2 * LONG_SECONDS)})
    told.send(rest, record(0))
    assert rest.flush(0) == 1
    assert seconds_of(lambda: rest.close(0.3)) < LONG_SECONDS / 2
    assert [failure.trouble for failure in told.failures] == [Trouble.PASSING]
    told.send(rest, record(1))
    assert "closed" in str(told.failures[1])
    rest.close(1)
    assert len(told.told) == 2


def test_what_was_never_posted_has_an_outcome_after_close(server: NotificationServer, told: Told) -> None:
    rest = transport(server)
    told.send(rest, record(0))
    rest.close(0)
    assert "not posted when the transport was closed" in str(told.failures[0])
    assert server.requests == []


def test_while_the_interpreter_ends_a_request_needs_no_thread(
    server: NotificationServer, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: threading.Timer) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    rest = transport(server)
    told.send(rest, record(0))
    monkeypatch.setattr(threading.Timer, "start", refuse)
    rest.close(60)
    assert told.told == [(0, None)]


def test_a_login_that_no_header_can_hold_is_in_no_text(server: NotificationServer) -> None:
    asked = HttpServer(address=server.address, token="hunter2\nhunter2")
    with pytest.raises(UnansweredError) as caught:
        asked.ask("GET", "/", None, LONG_SECONDS)
    assert "hunter2" not in str(caught.value) + caught.value.detail


def test_the_next_address_is_asked_where_one_does_not_answer(server: NotificationServer, told: Told) -> None:
    port = free_port()
    with notification_server() as passive:
        passive.always = (302, {"Location": f"{server.address}{PATH}"}, b"")
        rest = transport(f"http://127.0.0.1:{port}, {passive.address} ,{server.address}")
        for number in range(3):
            told.send(rest, record(number))
            rest.service(0)
        assert told.told == [(0, None), (1, None), (2, None)]
        assert len(passive.requests) == 1  # the one that answers is asked from then on
        assert rest.troubles == {}


def test_where_none_takes_messages_the_failure_that_may_pass_counts(told: Told) -> None:
    port = free_port()
    with notification_server() as passive:
        passive.always = (302, {"Location": f"http://127.0.0.1:{port}/"}, b"")
        rest = transport(f"{passive.address},http://127.0.0.1:{port}")
        told.send(rest, record(0))
        rest.service(0)
    assert told.failures[0].trouble is Trouble.PASSING
    assert "nothing listens there" in str(told.failures[0])


def test_servers_that_do_not_answer_take_no_more_than_the_timeout_together(
    server: NotificationServer, told: Told
) -> None:
    with notification_server() as slow, notification_server() as slower:
        slow.always = slower.always = 2 * LONG_SECONDS
        addresses = f"{slow.address},{slower.address},{server.address}"
        rest = transport(addresses, **{"atlas.hook.spark.rest.timeout.seconds": "0.4"})
        told.send(rest, record(0))
        assert seconds_of(lambda: rest.service(0)) < LONG_SECONDS / 2
        assert len(slow.requests) <= 1
        assert len(slower.requests) <= 1
    assert told.failures[0].trouble is Trouble.PASSING
    assert server.requests == []


def test_a_wrong_password_is_tried_at_one_address_only(server: NotificationServer, told: Told) -> None:
    server.always = (401, {}, b"")
    with notification_server() as other:
        rest = transport(f"{server.address},{other.address}")
        told.send(rest, record(0))
        rest.service(0)
        assert (len(server.requests), len(other.requests)) == (1, 0)


def test_a_proxy_of_the_environment_is_used(
    server: NotificationServer, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.address)
    rest = transport("http://atlas.invalid:21000")
    told.send(rest, record(0))
    rest.service(0)
    assert server.requests[0][1] == f"http://atlas.invalid:21000{PATH}"
