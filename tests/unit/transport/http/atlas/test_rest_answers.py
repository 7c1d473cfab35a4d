"""Answers of the server: the failure that each means for a record and for those behind it."""

from __future__ import annotations

import logging
import time
from email.message import Message
from email.utils import formatdate

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.client import Answer, _lower
from tests.unit.transport.http.atlas.bench import Sender, numbers, record, transport
from tests.unit.transport.notification_server import NotificationServer

ANSWERS = {
    "wrong password": (
        (401, {}, b""),
        FailureKind.NEEDS_ACTION,
        "HTTP 401: the login is refused: no log-in is configured: set atlas.rest.basic.auth.user",
    ),
    "no permission": (
        (403, {}, b'{"errorCode":"ATLAS-403-00-001","errorMessage":"ada is\\nnot allowed"}'),
        FailureKind.NEEDS_ACTION,
        "service-notification-post (the server says: ATLAS-403-00-001 ada is not allowed)",
    ),
    "older Atlas": ((404, {}, b"<html>"), FailureKind.NEEDS_ACTION, "Atlas 2.4 or newer has one"),
    "newer Atlas": ((404, {}, b""), FailureKind.NEEDS_ACTION, "with port and path, as in https://HOST:41000/rest"),
    "no such method": ((405, {}, b""), FailureKind.NEEDS_ACTION, "no notification endpoint"),
    "wrong topic": (
        (400, {}, b'{"errorCode":"ATLAS-400-00-101","errorMessage":"Unsupported topic name : X"}'),
        FailureKind.NEEDS_ACTION,
        "the server has no topic ATLAS_HOOK: set atlas.notification.hook.topic.name",
    ),
    "bad message": ((400, {}, b'{"errorCode":"ATLAS-400-00-001"}'), FailureKind.REJECTED, "rejects the message"),
    "too large": ((413, {}, b""), FailureKind.REJECTED, "too large: lower atlas.notification.message.max.length.bytes"),
    "too many": ((429, {}, b""), FailureKind.TRANSIENT, "fewer requests"),
    "broken": (
        (500, {}, b'{"errorCode":"ATLAS-500-00-018","errorMessage":"password=hunter2"}'),
        FailureKind.TRANSIENT,
        "ATLAS-500-00-018 password=****",
    ),
    "older Atlas that answers 500": (
        (500, {}, b"<html>"),
        FailureKind.TRANSIENT,
        "a server before Atlas 2.4, which has no notification",
    ),
    "passive": ((503, {}, b""), FailureKind.TRANSIENT, "the server failed"),
    "redirected": (
        (302, {"Location": "https://u:hunter2@sso.example.org/login;id=1?ticket=hunter2"}, b""),
        FailureKind.TRANSIENT,
        "redirects to the log-in page https://sso.example.org/login: no log-in is configured: set atlas.rest.basic.auth.user",
    ),
    "led elsewhere": (
        (307, {"Location": "https://u:hunter2@atlas2.example.org/api?ticket=hunter2"}, b""),
        FailureKind.NEEDS_ACTION,
        "redirects to https://atlas2.example.org/api: give that address in atlas.rest.address",
    ),
    "a proxy": ((407, {}, b""), FailureKind.TRANSIENT, "the proxy requires a login: add it to the proxy's address"),
    "a page": (
        (200, {"Content-Type": "text/html"}, b"<!DOCTYPE html><form action=/login>hunter2"),
        FailureKind.TRANSIENT,
        "answered with a web page, not as Atlas: check whether a log-in page or proxy is in between, and set atlas.rest",
    ),
    "a page without its type": ((200, {}, b"\n <html>"), FailureKind.TRANSIENT, "answered with a web page"),
    "a page of another status": (
        (201, {"content-type": "TEXT/HTML; charset=x"}, b""),
        FailureKind.TRANSIENT,
        "a web page",
    ),
    "a text": (
        (200, {"Content-Type": "text/plain"}, b"please log in"),
        FailureKind.TRANSIENT,
        "a web page, not as Atlas",
    ),
    "strange": ((304, {}, b""), FailureKind.NEEDS_ACTION, "does not accept messages"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_maps_to_a_failure_kind_and_sentence(
    server: NotificationServer, sender: Sender, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.always, kind, sentence = ANSWERS[name]
    rest = transport(server)
    with caplog.at_level(logging.WARNING, "sac_kafka"):
        sender.send(rest, record(0))
        rest.service(0)
    [(number, failure)] = sender.outcomes
    assert (number, failure and failure.kind) == (0, kind)
    assert sentence in str(failure)
    assert str(failure).startswith(server.address)
    assert "\n" not in str(failure)
    assert "hunter2" not in str(failure) + caplog.text
    assert rest.problem() == str(failure)
    assert sum(rest.failure_counts.values()) == 1
    assert len(server.requests) == 1  # a redirection is not followed
    assert [each.getMessage() for each in caplog.records] == [str(failure)]


BY_TOKEN = {"atlas__hook__spark__rest__token": "Bearer hunter2"}
BY_PASSWORD = {"atlas__rest__basic__auth__username": "ada", "atlas__rest__basic__auth__password": "hunter2"}
_EXPIRED = b'{"error":"invalid_token","error_description":"hunter2: Jwt\\nexpired"}'
_CHALLENGE = 'Bearer realm="x", error="invalid_token", error_description="The token expired"'
_LED = {"Location": "https://sso.example.org/login"}
LOGINS = {
    "a token": (BY_TOKEN, (401, {}, b""), "the token of atlas.hook.spark.rest.token is not accepted"),
    "OAuth says why": (BY_TOKEN, (401, {}, _EXPIRED), "(the server says: invalid_token ********: Jwt expired)"),
    "so does the header": (
        BY_TOKEN,
        (401, {"WWW-Authenticate": _CHALLENGE}, b"<html>"),
        "expired: set a new one (the server says: invalid_token The token expired)",
    ),
    "Spring says why": (
        BY_TOKEN,
        (401, {}, b'{"error":"Unauthorized","message":"Expired"}'),
        "says: Unauthorized Expired)",
    ),
    "a password": (
        BY_PASSWORD,
        (401, {}, b""),
        "user and password are not accepted: correct atlas.rest.basic.auth.username and",
    ),
    "Kerberos": (
        BY_PASSWORD,
        (401, {"WWW-Authenticate": "Negotiate"}, b""),
        "the server offers Kerberos only (Negotiate), which rest does not support: use atlas.client.type = kafka",
    ),
    "a login page": (
        BY_TOKEN,
        (302, _LED, b""),
        "/login: the token of atlas.hook.spark.rest.token is not accepted, perhaps",
    ),
}


@pytest.mark.parametrize("name", LOGINS)
def test_a_refused_login_names_the_method_and_quotes_the_server(
    server: NotificationServer, sender: Sender, name: str
) -> None:
    keys, server.always, sentence = LOGINS[name]
    rest = transport(server, **keys)
    sender.send(rest, record(0))
    rest.service(0)
    [failure] = sender.failures
    assert sentence in str(failure)
    assert "hunter2" not in str(failure)
    assert ("Kerberos" in str(failure)) == (name == "Kerberos")
    assert server.requests[0][2]["Authorization"].count("Bearer") == (keys is BY_TOKEN)


def test_a_server_that_offers_passwords_and_kerberos_is_described_correctly() -> None:
    headers = Message()
    headers["WWW-Authenticate"] = "Negotiate"
    headers["WWW-Authenticate"] = 'Basic realm="atlas"'
    both = _lower(headers)
    assert not Answer(401, both, b"").wants_kerberos
    assert Answer(401, {"www-authenticate": "Negotiate, NTLM"}, b"").wants_kerberos


@pytest.mark.parametrize("reply", [(200, {"Content-Type": "application/json"}, b"{}"), (200, {}, b""), (204, {}, b"")])
def test_a_successful_answer_may_be_empty(
    server: NotificationServer, sender: Sender, reply: tuple[int, dict[str, str], bytes]
) -> None:
    server.always = reply
    rest = transport(server)
    sender.send(rest, record(0))
    rest.service(0)
    assert sender.outcomes == [(0, None)]


def test_records_get_through_once_a_login_page_is_gone(
    server: NotificationServer, sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    server.always = (200, {"Content-Type": "text/html"}, b"<html>")
    rest = transport(server)
    rest._clock = rest._breaker._clock = lambda: now[0]
    for number in range(3):
        sender.send(rest, record(number))
        rest.service(0)
        now[0] += 600
    assert (rest.failure_counts, len(caplog.records)) == ({"log-in page": 3}, 1)
    server.always = (204, {}, b"")
    sender.send(rest, record(3))
    rest.service(0)
    assert (sender.outcomes[-1], rest.problem()) == ((3, None), None)


def test_each_kind_of_failure_is_logged_once(
    server: NotificationServer, sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    server.always = (500, {}, b"")
    rest = transport(server)
    for number in range(3):
        sender.send(rest, record(number))
        rest.service(0)
    assert rest.failure_counts == {"http 500": 3}
    assert len(caplog.records) == 1


def test_a_failure_fails_all_waiting_records_in_order_and_the_next_is_tried(
    server: NotificationServer, sender: Sender
) -> None:
    server.replies = [(503, {}, b"")]
    rest = transport(server, **{"atlas.notification.rest.body.max.length.bytes": "10000"})
    for number in range(3):
        sender.send(rest, record(number, 4500))
    assert [number for number, _ in sender.outcomes] == [0, 1, 2]
    assert len(sender.failures) == 3
    assert len(server.requests) == 1
    sender.send(rest, record(3))
    rest.service(0)
    assert sender.outcomes[-1] == (3, None)
    assert rest.problem() is None


@pytest.mark.parametrize("path", ["/rest", "/rest/", "/gateway/default/atlas"])
def test_the_path_of_an_address_is_the_base(server: NotificationServer, sender: Sender, path: str) -> None:
    """As a newer server's own `…:41000/rest/api/atlas/v2/notification/topic/NAME`, and a gateway's."""
    server.base = path.rstrip("/")
    rest = transport(f"{server.address}{path}")
    sender.send(rest, record(0))
    rest.service(0)
    assert sender.outcomes == [(0, None)]
    assert server.requests[0][1] == f"{path.rstrip('/')}/api/atlas/v2/notification/topic/ATLAS_HOOK"


def test_an_address_with_the_endpoint_path_reports_the_fix(server: NotificationServer) -> None:
    with pytest.raises(ConfigurationError, match="give the part before /api/atlas"):
        transport(f"{server.address}/rest/api/atlas/v2/notification/topic/ATLAS_HOOK")


def test_a_record_that_the_server_fails_on_is_isolated(server: NotificationServer, sender: Sender) -> None:
    """The message may be the cause: Atlas answers 500 if its Kafka refuses one."""
    server.fails_on = lambda body: (500, {}, b"") if any(each["n"] == 1 for each in body) else None
    rest = transport(server)
    for number in range(3):
        sender.send(rest, record(number))
    rest.flush(60)
    assert [number for number, failure in sender.outcomes if failure is None] == [0]
    assert [(number, failure.is_ambiguous) for number, failure in sender.outcomes if failure] == [(1, True), (2, True)]


@pytest.mark.parametrize(("status", "is_ambiguous"), [(500, True), (502, False), (503, False), (504, False)])
def test_an_error_of_a_proxy_does_not_blame_the_message(
    server: NotificationServer, sender: Sender, status: int, is_ambiguous: bool
) -> None:
    server.always = (status, {}, b"")
    rest = transport(server)
    sender.send(rest, record(0))
    rest.service(0)
    assert [failure.is_ambiguous for failure in sender.failures] == [is_ambiguous]


def test_a_blocked_server_is_not_retried_for_a_while(server: NotificationServer, sender: Sender) -> None:
    now = [0.0]
    server.always = (401, {}, b"")
    rest = transport(server)
    rest._clock = rest._breaker._clock = lambda: now[0]
    for number in range(20):
        sender.send(rest, record(number))
        rest.service(0)
    assert len(server.requests) == 1
    assert len(sender.failures) == 20
    assert len({str(failure) for failure in sender.failures}) == 1
    assert rest.retry_after() == 30
    now[0] = 31
    sender.send(rest, record(20))
    rest.service(0)
    assert (len(server.requests), rest.retry_after()) == (2, 60)
    now[0], server.always = 100, (204, {}, b"")
    sender.send(rest, record(21))
    rest.service(0)
    assert sender.outcomes[-1] == (21, None)
    assert rest.retry_after() == 0


@pytest.mark.parametrize(
    ("header", "least", "most"), [("2", 1, 2), ("date", 60, 125), ("soon", 0, 2), ("-1", 0, 2), ("", 0, 2)]
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_respected(
    server: NotificationServer, sender: Sender, status: int, header: str, least: float, most: float
) -> None:
    server.always = (status, {"Retry-After": formatdate(time.time() + 120) if header == "date" else header}, b"")
    rest = transport(server)
    rest._clock = rest._breaker._clock = lambda: 0.0
    sender.send(rest, record(0))
    rest.service(0)
    assert least <= rest.retry_after() <= most
    sender.send(rest, record(1))
    rest.service(0)
    assert [failure.kind for failure in sender.failures] == [FailureKind.TRANSIENT] * 2
    assert len(server.requests) == (1 if least or status == 429 else 2)


def test_a_rejected_record_does_not_fail_others(server: NotificationServer, sender: Sender) -> None:
    server.longest_body = 3000
    rest = transport(server)
    for number, size in enumerate((10, 1000, 5000, 20, 30)):
        sender.send(rest, record(number, size))
    assert rest.flush(60) == 0
    assert [number for number, _ in sender.outcomes] == list(range(5))
    assert [(number, failure.kind) for number, failure in sender.outcomes if failure] == [(2, FailureKind.REJECTED)]
    assert numbers(server) == [0, 1, 3, 4]
    sender.send(rest, record(5))
    sender.send(rest, record(6))
    rest.service(0)
    assert [each["n"] for each in server.bodies[-1]] == [5, 6]  # together again
