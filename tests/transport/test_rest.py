"""The transport to Atlas' notification endpoint, against a real HTTP server: order, fail-stop, deadlines and sentences."""

from __future__ import annotations

import base64
import json
import logging
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Record, Transport, Trouble
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.http import HttpServer, UnansweredError
from sac_kafka.transport.rest import RestTransport
from stack.certificates import CertificateName, Certificates, make_certificates
from tests.secret_search import used
from tests.transport.notification_server import PATH, NotificationServer, notification_server
from tests.transport.outcomes import Outcomes

PASSWORD = used("s3cret-of-rest")


class Told:
    """An outcome that remembers (number, failure) in order."""

    def __init__(self) -> None:
        self.told: list[tuple[int, Failure | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        transport.send(record, lambda failure: self.told.append((number_of(record), failure)))

    @property
    def failures(self) -> list[Failure]:
        return [failure for _, failure in self.told if failure is not None]


def record(number: int, size: int = 0, parts: int = 1, topic: str = "ATLAS_HOOK") -> Record:
    value = b'{"n": %d, "x": "%s"}' % (number, b"x" * size)
    return Record(topic, b"app", (value,) * parts)


def number_of(sent: Record) -> int:
    number: int = json.loads(sent.values[0])["n"]
    return number


def transport(server: NotificationServer | str, **keys: str) -> RestTransport:
    address = server if isinstance(server, str) else server.address
    properties = {
        "atlas.client.type": "rest",
        "atlas.rest.address": address,
        "atlas.hook.spark.rest.timeout.seconds": "5",
        **{key.replace("__", "."): text for key, text in keys.items()},
    }
    made = make_transport(Settings.read(properties, "here"))
    assert isinstance(made, RestTransport)
    return made


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[NotificationServer]:
    with notification_server() as running:
        yield running


@pytest.fixture
def told() -> Told:
    return Told()


def numbers(server: NotificationServer) -> list[int]:
    return [each["n"] for each in server.posted]


# ---- what is posted


def test_records_that_wait_go_in_one_request_in_order(server: NotificationServer, told: Told) -> None:
    rest = transport(server)
    for number in range(3):
        told.send(rest, record(number))
    assert told.told == []
    rest.service(0)
    assert told.told == [(0, None), (1, None), (2, None)]
    assert [[each["n"] for each in body] for body in server.bodies] == [[0, 1, 2]]
    assert server.requests[0][:2] == ("POST", PATH)
    assert server.requests[0][2]["Content-Type"] == "application/json"
    assert rest.name == f"rest {server.address}"
    assert (rest.problem(), rest.position(), rest.retry_after(), rest.troubles) == (None, None, 0.0, {})


def test_a_body_is_no_longer_than_allowed_but_for_a_single_record(server: NotificationServer, told: Told) -> None:
    rest = transport(server, **{"atlas.notification.rest.body.max.length.bytes": "10000"})
    for number, size in enumerate((4000, 4000, 4000, 20_000, 100, 100)):
        told.send(rest, record(number, size))
    assert rest.flush(10) == 0
    assert [[each["n"] for each in body] for body in server.bodies] == [[0, 1], [2], [3], [4, 5]]
    assert numbers(server) == list(range(6))


def test_a_full_body_is_posted_without_being_asked(server: NotificationServer, told: Told) -> None:
    rest = transport(server, **{"atlas.notification.rest.body.max.length.bytes": "10000"})
    for number in range(4):
        told.send(rest, record(number, 4000))
    assert len(told.told) >= 2
    rest.close(5)
    assert numbers(server) == [0, 1, 2, 3]


def test_parts_of_a_message_go_together(server: NotificationServer, told: Told) -> None:
    rest = transport(server)
    told.send(rest, record(0, parts=3))
    told.send(rest, record(1))
    rest.close(5)
    assert numbers(server) == [0, 0, 0, 1]
    assert told.told == [(0, None), (1, None)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, None),
        (
            {"atlas.rest.basic.auth.username": "ada", "atlas.rest.basic.auth.password": PASSWORD},
            "Basic " + base64.b64encode(f"ada:{PASSWORD}".encode()).decode(),
        ),
        ({"atlas.client.username": "ada", "atlas.client.password": "p"}, "Basic YWRhOnA="),
        ({"atlas.hook.spark.rest.token": PASSWORD}, f"Bearer {PASSWORD}"),
    ],
)
def test_who_posts(server: NotificationServer, told: Told, keys: dict[str, str], expected: str | None) -> None:
    server.authorization = expected
    rest = transport(server, **keys)
    told.send(rest, record(0))
    rest.close(5)
    assert told.failures == []
    assert server.requests[0][2].get("Authorization") == expected
    assert PASSWORD not in repr(vars(rest)) + rest.name


def test_the_topic_is_part_of_the_address(server: NotificationServer, told: Told) -> None:
    rest = transport(server)
    told.send(rest, record(0, topic="A/B ä"))
    told.send(rest, record(1))
    rest.service(0)
    assert server.requests[0][1] == "/api/atlas/v2/notification/topic/A%2FB%20%C3%A4"
    assert len(server.requests) == 1  # topics do not share a request


# ---- what goes wrong

ANSWERS = {
    "wrong password": (
        (401, {}, b""),
        Trouble.BLOCKED,
        "HTTP 401: the login is refused: set atlas.rest.basic.auth.user",
    ),
    "no permission": (
        (403, {}, b'{"errorCode":"ATLAS-403-00-001","errorMessage":"ada is\\nnot allowed"}'),
        Trouble.BLOCKED,
        "service-notification-post (the server says: ATLAS-403-00-001 ada is not allowed)",
    ),
    "older Atlas": ((404, {}, b"<html>"), Trouble.BLOCKED, "Atlas 2.4 or newer has one"),
    "newer Atlas": ((404, {}, b""), Trouble.BLOCKED, "with port and path, as in https://HOST:41000/rest"),
    "no such method": ((405, {}, b""), Trouble.BLOCKED, "no notification endpoint"),
    "wrong topic": (
        (400, {}, b'{"errorCode":"ATLAS-400-00-101","errorMessage":"Unsupported topic name : X"}'),
        Trouble.BLOCKED,
        "the server has no topic ATLAS_HOOK: set atlas.notification.hook.topic.name",
    ),
    "bad message": ((400, {}, b'{"errorCode":"ATLAS-400-00-001"}'), Trouble.REJECTED, "does not take the message"),
    "too large": ((413, {}, b""), Trouble.REJECTED, "too large: lower atlas.notification.message.max.length.bytes"),
    "too many": ((429, {}, b""), Trouble.PASSING, "fewer requests"),
    "broken": (
        (500, {}, b'{"errorCode":"ATLAS-500-00-018","errorMessage":"password=hunter2"}'),
        Trouble.PASSING,
        "ATLAS-500-00-018 password=****",
    ),
    "passive": ((503, {}, b""), Trouble.PASSING, "the server is in trouble"),
    "redirected": (
        (302, {"Location": "https://u:hunter2@sso.example.org/login;id=1?ticket=hunter2"}, b""),
        Trouble.BLOCKED,
        "redirects to https://sso.example.org/login: give that address in atlas.rest.address",
    ),
    "strange": ((304, {}, b""), Trouble.BLOCKED, "does not take messages"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_has_its_trouble_and_sentence(
    server: NotificationServer, told: Told, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.always, trouble, sentence = ANSWERS[name]
    rest = transport(server)
    with caplog.at_level(logging.WARNING, "sac_kafka"):
        told.send(rest, record(0))
        rest.service(0)
    [(number, failure)] = told.told
    assert (number, failure and failure.trouble) == (0, trouble)
    assert sentence in str(failure)
    assert str(failure).startswith(server.address)
    assert "\n" not in str(failure)
    assert "hunter2" not in str(failure) + caplog.text
    assert rest.problem() == str(failure)
    assert sum(rest.troubles.values()) == 1
    assert len(server.requests) == 1  # a redirection is not followed
    assert [each.getMessage() for each in caplog.records] == [str(failure)]


def test_each_kind_of_trouble_is_logged_once(
    server: NotificationServer, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    server.always = (500, {}, b"")
    rest = transport(server)
    for number in range(3):
        told.send(rest, record(number))
        rest.service(0)
    assert rest.troubles == {"http 500": 3}
    assert len(caplog.records) == 1


def test_after_a_failure_all_that_wait_fail_in_order_and_the_next_may_get_through(
    server: NotificationServer, told: Told
) -> None:
    server.replies = [(503, {}, b"")]
    rest = transport(server, **{"atlas.notification.rest.body.max.length.bytes": "10000"})
    for number in range(3):
        told.send(rest, record(number, 4500))
    assert [number for number, _ in told.told] == [0, 1, 2]
    assert len(told.failures) == 3
    assert len(server.requests) == 1
    told.send(rest, record(3))
    rest.service(0)
    assert told.told[-1] == (3, None)
    assert rest.problem() is None


@pytest.mark.parametrize("path", ["/rest", "/rest/", "/gateway/default/atlas"])
def test_the_path_of_an_address_is_the_base(server: NotificationServer, told: Told, path: str) -> None:
    """As a newer server's own `…:41000/rest/api/atlas/v2/notification/topic/NAME`, and a gateway's."""
    server.base = path.rstrip("/")
    rest = transport(f"{server.address}{path}")
    told.send(rest, record(0))
    rest.service(0)
    assert told.told == [(0, None)]
    assert server.requests[0][1] == f"{path.rstrip('/')}/api/atlas/v2/notification/topic/ATLAS_HOOK"


def test_a_whole_endpoint_as_address_is_told_to_be_cut(server: NotificationServer) -> None:
    with pytest.raises(ConfigurationError, match="give the part before /api/atlas"):
        transport(f"{server.address}/rest/api/atlas/v2/notification/topic/ATLAS_HOOK")


def test_one_that_the_server_fails_on_is_singled_out(server: NotificationServer, told: Told) -> None:
    """It may be the message: Atlas says 500 where its Kafka refuses one."""
    server.fails_on = lambda body: (500, {}, b"") if any(each["n"] == 1 for each in body) else None
    rest = transport(server)
    for number in range(3):
        told.send(rest, record(number))
    rest.flush(5)
    assert [number for number, failure in told.told if failure is None] == [0]
    assert [(number, failure.is_vague) for number, failure in told.told if failure] == [(1, True), (2, True)]


@pytest.mark.parametrize(("status", "is_vague"), [(500, True), (502, False), (503, False), (504, False)])
def test_what_a_proxy_says_is_not_about_a_message(
    server: NotificationServer, told: Told, status: int, is_vague: bool
) -> None:
    server.always = (status, {}, b"")
    rest = transport(server)
    told.send(rest, record(0))
    rest.service(0)
    assert [failure.is_vague for failure in told.failures] == [is_vague]


def test_what_is_blocked_is_not_tried_again_for_a_while(server: NotificationServer, told: Told) -> None:
    now = [0.0]
    server.always = (401, {}, b"")
    rest = transport(server)
    rest._clock = rest._breaker._clock = lambda: now[0]
    for number in range(20):
        told.send(rest, record(number))
        rest.service(0)
    assert len(server.requests) == 1
    assert len(told.failures) == 20
    assert len({str(failure) for failure in told.failures}) == 1
    assert rest.retry_after() == 30
    now[0] = 31
    told.send(rest, record(20))
    rest.service(0)
    assert (len(server.requests), rest.retry_after()) == (2, 60)
    now[0], server.always = 100, (204, {}, b"")
    told.send(rest, record(21))
    rest.service(0)
    assert told.told[-1] == (21, None)
    assert rest.retry_after() == 0


@pytest.mark.parametrize(
    ("header", "least", "most"), [("2", 1, 2), ("date", 60, 125), ("soon", 0, 2), ("-1", 0, 2), ("", 0, 2)]
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_server_may_ask_to_wait(
    server: NotificationServer, told: Told, status: int, header: str, least: float, most: float
) -> None:
    server.always = (status, {"Retry-After": formatdate(time.time() + 120) if header == "date" else header}, b"")
    rest = transport(server)
    told.send(rest, record(0))
    rest.service(0)
    assert least <= rest.retry_after() <= most
    told.send(rest, record(1))
    rest.service(0)
    assert [failure.trouble for failure in told.failures] == [Trouble.PASSING] * 2
    assert len(server.requests) == (1 if least or status == 429 else 2)


def test_one_that_is_refused_costs_no_other(server: NotificationServer, told: Told) -> None:
    server.longest_body = 3000
    rest = transport(server)
    for number, size in enumerate((10, 1000, 5000, 20, 30)):
        told.send(rest, record(number, size))
    assert rest.flush(10) == 0
    assert [number for number, _ in told.told] == list(range(5))
    assert [(number, failure.trouble) for number, failure in told.told if failure] == [(2, Trouble.REJECTED)]
    assert numbers(server) == [0, 1, 3, 4]
    told.send(rest, record(5))
    told.send(rest, record(6))
    rest.service(0)
    assert [each["n"] for each in server.bodies[-1]] == [5, 6]  # together again


def test_nothing_listens(told: Told) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
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
    rest.close(5)
    assert told.told[-1] == (1, None)


def test_a_slow_server_costs_no_more_than_the_timeout(server: NotificationServer, told: Told) -> None:
    server.always = 3.0
    rest = transport(server, **{"atlas.hook.spark.rest.timeout.seconds": "0.3"})
    told.send(rest, record(0))
    start = time.monotonic()
    rest.service(0)
    assert time.monotonic() - start < 1.5
    assert "no answer in time" in str(told.failures[0])
    told.send(rest, record(1))  # not at once again: it would cost as much
    assert len(told.failures) == 2
    assert 0 < rest.retry_after() <= 2


def test_a_server_that_drips_costs_no_more_than_the_timeout(told: Told) -> None:
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as dripping:

        def drip() -> None:
            connection, _ = dripping.accept()
            with connection:
                connection.recv(65536)
                try:
                    for each in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000:
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
        start = time.monotonic()
        rest.service(0)
        took = time.monotonic() - start
        stop.set()
        thread.join(10)
    assert took < 2
    assert "no answer in time" in str(told.failures[0])


def test_flush_and_close_keep_their_deadlines_and_give_every_record_its_outcome(
    server: NotificationServer, told: Told
) -> None:
    server.always = 5.0
    rest = transport(server)
    told.send(rest, record(0))
    assert rest.flush(0) == 1
    start = time.monotonic()
    rest.close(0.3)
    assert time.monotonic() - start < 1.5
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
    rest.close(5)
    assert told.told == [(0, None)]


def test_a_login_that_no_header_can_hold_is_in_no_text(server: NotificationServer) -> None:
    asked = HttpServer(address=server.address, token="hunter2\nhunter2")
    with pytest.raises(UnansweredError) as caught:
        asked.ask("GET", "/", None, 2)
    assert "hunter2" not in str(caught.value) + caught.value.detail


# ---- several addresses


def test_the_next_address_is_asked_where_one_does_not_answer(server: NotificationServer, told: Told) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
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
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
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
        slow.always = slower.always = 3.0
        addresses = f"{slow.address},{slower.address},{server.address}"
        rest = transport(addresses, **{"atlas.hook.spark.rest.timeout.seconds": "0.4"})
        told.send(rest, record(0))
        start = time.monotonic()
        rest.service(0)
        assert time.monotonic() - start < 1.5
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


# ---- TLS


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def tls_server(certificates: Certificates) -> Iterator[NotificationServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.key_store("broker"))
    with notification_server(context) as running:
        yield running


def test_tls_with_a_trusted_authority(tls_server: NotificationServer, certificates: Certificates, told: Told) -> None:
    rest = transport(tls_server, **{"atlas.hook.spark.rest.ca.file": str(certificates.ca)})
    told.send(rest, record(0))
    rest.close(5)
    assert told.told == [(0, None)]


@pytest.mark.parametrize("trusted", ["the system's", "another"])
def test_a_certificate_that_is_not_trusted(
    tls_server: NotificationServer, certificates: Certificates, told: Told, trusted: str
) -> None:
    keys = {"atlas.hook.spark.rest.ca.file": str(certificates.other_ca)} if trusted == "another" else {}
    rest = transport(tls_server, **keys)
    told.send(rest, record(0))
    rest.service(0)
    [failure] = told.failures
    assert failure.trouble is Trouble.BLOCKED
    assert "its certificate is not trusted" in str(failure)
    assert "atlas.hook.spark.rest.ca.file" in str(failure)


@pytest.mark.parametrize("name", ["wrong_host", "expired"])
def test_a_certificate_that_is_wrong(certificates: Certificates, told: Told, name: CertificateName) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.key_store(name))
    with notification_server(context) as wrong:
        rest = transport(wrong, **{"atlas.hook.spark.rest.ca.file": str(certificates.ca)})
        told.send(rest, record(0))
        rest.service(0)
    assert told.failures[0].trouble is Trouble.BLOCKED
    said = {"wrong_host": "Hostname mismatch", "expired": "certificate has expired"}[name]
    assert f"its certificate is not trusted ({said}" in str(told.failures[0])


@pytest.mark.parametrize("direction", ["tls to plain", "plain to tls"])
def test_the_wrong_scheme(
    server: NotificationServer, tls_server: NotificationServer, told: Told, direction: str
) -> None:
    address = (
        server.address.replace("http:", "https:")
        if direction == "tls to plain"
        else tls_server.address.replace("https:", "http:")
    )
    rest = transport(address)
    told.send(rest, record(0))
    rest.service(0)
    [failure] = told.failures
    assert ("is atlas.rest.address an http:// address?" in str(failure)) is (direction == "tls to plain")


# ---- settings


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, "atlas.rest.address is not set"),
        ({"atlas.rest.address": " , "}, "atlas.rest.address is not set"),
        ({"atlas.rest.address": "ftp://atlas"}, "is no address"),
        ({"atlas.rest.address": "http://a b"}, "is no address"),
        (
            {"atlas.rest.address": "http://ada:hunter2@atlas"},
            "holds a user name or password: give them in atlas.rest.basic",
        ),
        ({"atlas.rest.address": "http://atlas?token=hunter2"}, "without parameters"),
        ({"atlas.rest.address": "http://atlas:port"}, "is no address"),
        ({"atlas.rest.address": "http://ada:hunter2"}, r"atlas\.rest\.address = http://ada:\*+: is no address"),
        ({"atlas.rest.address": "http://ada:hun/ter2@b"}, r"atlas\.rest\.address = http://\*+@b: holds a user name"),
        ({"atlas.rest.address": "https://ada:h#n?t/r2@b:1"}, r"= https://\*{8}@b:1: holds a user name"),
        ({"atlas.rest.address": "ada:ter2,ter2@b"}, r"= \*{8}@b: holds a user name"),
        ({"atlas.rest.address": "ada:ter2://x@b"}, r"= \*{8}@b: holds a user name"),
        (
            {"atlas.hook.rest.notification.address": "x:y@b"},
            r"^here: atlas\.hook\.rest\.notification\.address = \*+@b: holds",
        ),
        ({"atlas.rest.address": "http://a", "atlas.hook.spark.rest.ca.file": "/no/such"}, "/no/such: holds no PEM"),
        (
            {"atlas.rest.address": "http://a", "atlas.rest.basic.auth.password": "hunter2"},
            "without atlas.rest.basic.auth.u",
        ),
    ],
)
def test_wrong_settings_are_one_error(keys: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as caught:
        make_transport(Settings.read({"atlas.client.type": "rest", **keys}, "here"))
    for piece in ("hunter2", "ter2", "t/r2"):
        assert piece not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "keys", "in_clear"),
    [
        ("atlas:21000", {"atlas.rest.basic.auth.username": "ada"}, "http://atlas:21000"),
        ("http://atlas,https://b", {"atlas.hook.spark.rest.token": "t0ken"}, "http://atlas"),
        ("http://10.0.0.1", {"atlas.hook.spark.rest.token": "t0ken"}, "http://10.0.0.1"),
        ("https://atlas", {"atlas.rest.basic.auth.username": "ada"}, None),
        ("atlas", {}, None),
        ("localhost:21000,http://127.1.2.3:1,http://[::1]:1", {"atlas.rest.basic.auth.username": "ada"}, None),
    ],
)
def test_a_login_in_clear_is_one_warning(
    caplog: pytest.LogCaptureFixture, address: str, keys: dict[str, str], in_clear: str | None
) -> None:
    make_transport(Settings.read({"atlas.client.type": "rest", "atlas.rest.address": address, **keys}, "here"))
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == (in_clear is not None)
    for line in said:
        assert line.startswith(f"atlas.rest.address = {in_clear}: the password or token goes over")
        assert "t0ken" not in line


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (
            {"atlas.hook.rest.notification.enabled": "true", "atlas.rest.address": "atlas:21000"},
            "rest http://atlas:21000",
        ),
        (
            {
                "atlas.client.type": "rest",
                "atlas.rest.address": "http://server",
                "atlas.hook.rest.notification.address": "https://one:1,https://two:2/",
            },
            "rest https://one:1, https://two:2/",
        ),
        ({"atlas.hook.rest.notification.enabled": "true", "atlas.client.type": "console"}, "console"),
    ],
)
def test_the_keys_of_atlas_hooks_mean_the_same(keys: dict[str, str], name: str) -> None:
    assert make_transport(Settings.read(keys, "here")).name == name


def test_outcomes_of_the_contract(server: NotificationServer, outcomes: Outcomes) -> None:
    rest = transport(server)
    outcomes.send(rest, record(0))
    rest.close(5)
    assert outcomes.reasons == [None]
