"""The sink `openlineage`: one request per event, and what becomes of an event that is not taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.factory import make_transport, sink_of
from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply

URL, TOKEN = "atlas.hook.spark.openlineage.url", "atlas.hook.spark.openlineage.token"
CREATED: Reply = (201, {}, b"")


class Receiver(LoopbackServer):
    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, str, str | None, bytes]] = []
        self.answer: Reply | None = CREATED

    def reply(self, request: HttpRequest) -> Reply | None:
        self.requests.append((request.method, request.path, request.headers.get("Authorization"), request.body))
        return self.answer


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


def settings(url: str, **more: str) -> Settings:
    return Settings.read({"atlas.client.type": "openlineage", URL: url, **more}, "test")


def post(settings: Settings, *values: bytes) -> list[Failure | None]:
    outcomes: list[Failure | None] = []
    transport = make_transport(settings)
    for value in values:
        transport.send(Record("", b"app", (value,)), outcomes.append)
    assert transport.flush(60) == 0
    transport.close(60)
    return outcomes


def test_each_event_is_a_request_in_order_with_the_token(receiver: Receiver) -> None:
    outcomes = post(settings(receiver.address, **{TOKEN: "t-1"}), b'{"n":1}', b'{"n":2}')
    assert outcomes == [None, None]
    assert receiver.requests == [
        ("POST", "/api/v1/lineage", "Bearer t-1", b'{"n":1}'),
        ("POST", "/api/v1/lineage", "Bearer t-1", b'{"n":2}'),
    ]


@pytest.mark.parametrize("path", ["/openapi/openlineage/api/v1/lineage", "/lineage"])
def test_a_path_in_the_url_is_the_endpoint(receiver: Receiver, path: str) -> None:
    post(settings(receiver.address + path), b"{}")
    assert [each[1] for each in receiver.requests] == [path]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ((400, {}, b"{}"), FailureKind.REJECTED, "rejects the event"),
        ((422, {}, b'{"message":"no run"}'), FailureKind.REJECTED, "no run"),
        ((413, {}, b""), FailureKind.REJECTED, "too large"),
        ((401, {}, b""), FailureKind.NEEDS_ACTION, TOKEN),
        ((403, {}, b""), FailureKind.NEEDS_ACTION, "may not post"),
        ((404, {}, b""), FailureKind.NEEDS_ACTION, URL),
        ((301, {"Location": "https://x.example/y"}, b""), FailureKind.NEEDS_ACTION, URL),
        ((429, {}, b""), FailureKind.TRANSIENT, "fewer requests"),
        ((500, {}, b""), FailureKind.TRANSIENT, "failed"),
        ((503, {}, b""), FailureKind.TRANSIENT, "failed"),
        ((200, {"Content-Type": "text/html"}, b"<html>log in</html>"), FailureKind.TRANSIENT, "web page"),
        (None, FailureKind.TRANSIENT, "connection was cut"),
    ],
)
def test_an_event_that_is_not_taken_has_a_reason_and_a_fix(
    receiver: Receiver, answer: Any, kind: FailureKind, words: str
) -> None:
    receiver.answer = answer
    (failure,) = post(settings(receiver.address), b"{}")
    assert failure is not None
    assert (failure.kind, words in failure.reason) == (kind, True), failure.reason


def test_a_rejected_event_does_not_keep_the_next_one_back(receiver: Receiver) -> None:
    receiver.answer = (400, {}, b"")
    first, second = post(settings(receiver.address), b"1", b"2")
    assert [each and each.kind for each in (first, second)] == [FailureKind.REJECTED] * 2
    assert len(receiver.requests) == 2


@pytest.mark.parametrize("body", [b"ok", b"", b'{"status":"success"}'])
def test_any_answer_of_success_that_is_no_page_is_one(receiver: Receiver, body: bytes) -> None:
    receiver.answer = (200, {"Content-Type": "text/plain"}, body)
    assert post(settings(receiver.address), b"{}") == [None]


def test_nothing_that_listens_is_explained() -> None:
    with Receiver() as gone:
        address = gone.address
    (failure,) = post(settings(address), b"{}")
    assert failure is not None
    assert (failure.kind, URL in failure.reason) == (FailureKind.TRANSIENT, True)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "is not set"),
        ("http://ada:pw@host", "user name or password"),
        ("ftp://x", "no address"),
        ("http://[", "no address"),
    ],
)
def test_a_wrong_url_is_an_error_without_its_secrets(url: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words) as error:
        make_transport(settings(url))
    assert URL in str(error.value)
    assert "pw@" not in str(error.value)


def test_the_doctor_asks_the_endpoint(receiver: Receiver) -> None:
    here = settings(receiver.address)
    examine = sink_of(here).examine
    assert examine is not None
    receiver.answer = (400, {}, b"{}")
    *_, good = examine(here, 60.0, None)
    receiver.answer = (401, {}, b"")
    *_, bad = examine(here, 60.0, None)
    assert ["receives events" in good.text, TOKEN in bad.text] == [True, True]


def test_a_token_in_clear_is_warned_of() -> None:
    here = settings("http://marquez.example.org:5000", **{TOKEN: "t-1"})
    client = sink_of(here).client
    assert client is not None
    (warning,) = client(here, False).warnings
    assert "in clear" in warning
    assert "t-1" not in warning
