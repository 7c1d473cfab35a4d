"""Answers of the Data Map, and missing ones: the failure that each means for a message and for those behind it."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable
from email.utils import formatdate, parsedate_to_datetime
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http import failures
from sac_kafka.transport.http.client import Answer, HttpServer, error_of
from sac_kafka.transport.http.data_map.requests import found_names, missing_in_answer
from stack.certificates import CertificateName, Certificates
from stack.ports import free_port
from tests.helpers.waiting import FakeClock
from tests.helpers.work import assert_linear
from tests.unit.transport.http.data_map.bench import Sender, creation, flow, path, transport
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer, Reply

SECRET = "hunter2zX9Qv"
ATTEMPT = failures.HttpAttempt(
    use=failures.Use.DATA_MAP,
    server=HttpServer(address="https://a"),
    names=failures.ACCOUNT_SETTINGS,
    collection="collection",
)


def atlas(code: str, text: str) -> dict[str, str]:
    return {"requestId": "r", "errorCode": code, "errorMessage": text}


def gateway(code: str, text: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": text}}


ANSWERS: dict[str, tuple[Reply, FailureKind, str]] = {
    "token": (Reply(401), FailureKind.NEEDS_ACTION, "HTTP 401: the token is refused: check atlas.hook.spark.entra.*"),
    "role": (
        Reply(403, gateway("Unauthorized", "Not authorized to access account")),
        FailureKind.NEEDS_ACTION,
        "Data Curator on the collection (the root one where atlas.hook.spark.purview.collection is not set), and on those of the "
        "assets that it has lineage of; if it has that role, check the account's network settings (Purview says: Unauthorized "
        "Not authorized to access account)",
    ),
    "role of Atlas": (
        Reply(403, atlas("ATLAS-403-00-001", "x is not authorized to perform create entity")),
        FailureKind.NEEDS_ACTION,
        "give it the role Data Curator",
    ),
    "firewall": (
        Reply(403, gateway("PublicNetworkAccessDenied", "disabled")),
        FailureKind.NEEDS_ACTION,
        "allow its network, or give it a private endpoint",
    ),
    "firewall by its words": (
        Reply(403, gateway("Forbidden", "Public network access is not allowed, use a Private Endpoint")),
        FailureKind.NEEDS_ACTION,
        "keep this machine out",
    ),
    "no Data Map": (Reply(404), FailureKind.NEEDS_ACTION, "https://ACCOUNT.purview.azure.com, without a path"),
    "no method": (Reply(405), FailureKind.NEEDS_ACTION, "there is no Data Map: check atlas.rest.address"),
    "proxy": (Reply(407), FailureKind.NEEDS_ACTION, "Purview does not accept it"),
    "redirected": (
        Reply(302, None, {"Location": f"https://u:{SECRET}@sso.example.org/login;id=1?ticket={SECRET}"}),
        FailureKind.TRANSIENT,
        "redirects to the log-in page https://sso.example.org/login: check atlas.rest.address and atlas.hook.spark.entra",
    ),
    "led elsewhere": (
        Reply(302, None, {"Location": "https://portal.example.org/x"}),
        FailureKind.NEEDS_ACTION,
        "redirects to https://portal.example.org/x: check atlas.rest.address",
    ),
    "a page": (
        Reply(200, "<!DOCTYPE html>", {"Content-Type": "text/html"}),
        FailureKind.TRANSIENT,
        "a web page answered, not Purview: check atlas.rest.address, and whether a log-in page or proxy is in between",
    ),
    "too many": (Reply(429), FailureKind.TRANSIENT, "asks for fewer requests: no action needed"),
    "slow": (Reply(408), FailureKind.TRANSIENT, "asks for fewer requests"),
    "conflict": (Reply(409, atlas("ATLAS-409-00-001", "locked")), FailureKind.TRANSIENT, "it will be retried"),
    "broken": (
        Reply(500, atlas("ATLAS-500-00-001", f"password={SECRET}")),
        FailureKind.TRANSIENT,
        "ATLAS-500-00-001 password=****",
    ),
    "unavailable": (Reply(503), FailureKind.TRANSIENT, "Purview failed"),
    "gateway": (
        Reply(504),
        FailureKind.TRANSIENT,
        "Purview took too long: lower atlas.notification.message.max.length",
    ),
    "bad": (
        Reply(400, atlas("ATLAS-400-00-014", "bad")),
        FailureKind.REJECTED,
        "Purview does not accept it: see its message",
    ),
    "long name": (Reply(414), FailureKind.REJECTED, "Purview does not accept it"),
    "long header": (Reply(431), FailureKind.REJECTED, "Purview does not accept it"),
    "large": (Reply(413), FailureKind.REJECTED, "lower atlas.notification.message.max.length.bytes"),
    "unknown type": (
        Reply(404, atlas("ATLAS-404-00-001", "Given typename azure_datalake_gen2_path was invalid")),
        FailureKind.REJECTED,
        "add it (sac-kafka types apply), or set atlas.hook.spark.purview.process.types = built-in",
    ),
    "an error behind a success": (
        Reply(200, atlas("ATLAS-400-00-036", "invalid relationshipDef")),
        FailureKind.REJECTED,
        "inputs and outputs must be of types below DataSet",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_maps_to_a_failure_kind_and_sentence(
    account: DataMap, server: DataMapHttpServer, sender: Sender, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    account.always, kind, sentence = ANSWERS[name]
    sent = transport(server, account)
    with caplog.at_level(logging.WARNING, "sac_kafka"):
        sender.send(sent, creation(path("orders")))
        sent.service(0)
    [failure] = sender.failures
    assert failure.kind is kind
    assert sentence in str(failure)
    assert str(failure).startswith(server.address)
    assert "\n" not in str(failure)
    assert SECRET not in str(failure) + caplog.text
    assert account.token not in str(failure) + caplog.text
    assert sent.problem() == str(failure)
    assert [each.getMessage() for each in caplog.records] == [str(failure)]


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("form", ["seconds", "fraction", "date"])
def test_a_requested_pause_is_kept_without_waiting(
    account: DataMap,
    server: DataMapHttpServer,
    sender: Sender,
    status: int,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever waits for the end of the pause hangs: it is longer than a test may take."""
    now = 1_800_000_000
    monkeypatch.setattr(failures, "time", SimpleNamespace(time=lambda: now))
    after = {"seconds": "500", "fraction": "500.5", "date": formatdate(now + 501, usegmt=True)}[form]
    account.replies = [Reply(status, None, {"Retry-After": after})]
    sent = transport(server, account)
    sent._clock = sent._breaker._clock = FakeClock()
    sender.send(sent, creation(path("a")))
    sent.service(0)
    sender.send(sent, creation(path("b")))
    sent.close(600)
    assert [failure.kind for failure in sender.failures] == [FailureKind.TRANSIENT] * 2
    assert sent.retry_after() == {"seconds": 500, "fraction": 500.5, "date": 501}[form]
    assert len(account.requests) == 1


def test_a_pause_ends_on_time(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    account.replies = [Reply(429, None, {"Retry-After": "1"})]
    sent, clock = transport(server, account), FakeClock()
    sent._clock = sent._breaker._clock = clock
    sender.send(sent, creation(path("a")))
    sent.service(0)
    clock.advance(0.9)
    sender.send(sent, creation(path("a")))
    assert len(account.requests) == len(sender.failures) - 1 == 1
    clock.advance(sent.retry_after())
    sender.send(sent, creation(path("a")))
    sent.close(60)
    assert sender.outcomes[-1] is None
    assert sent.retry_after() == 0.0


def test_throttling_without_a_pause_makes_growing_pauses(account: DataMap, server: DataMapHttpServer) -> None:
    clock = [0.0]
    from sac_kafka.transport.http.data_map.server import DataMapServer
    from sac_kafka.transport.http.data_map.transport import DataMapTransport

    client = DataMapServer(HttpServer(address=server.address, token=account.token))
    sent = DataMapTransport(client, body_bytes=1_000_000, timeout_seconds=5, clock=lambda: clock[0])
    account.always = Reply(429)
    pauses = []
    for _ in range(8):
        sent.send(creation(path("a")), lambda failure: None)
        sent.service(0)
        pauses.append(sent.retry_after())
        clock[0] += pauses[-1]
    assert pauses == [2, 4, 8, 16, 32, 60, 60, 60]
    account.always = None
    sent.send(creation(path("a")), lambda failure: None)
    sent.service(0)
    account.always = Reply(429)
    sent.send(creation(path("a")), lambda failure: None)
    sent.service(0)
    assert sent.retry_after() == 2


@pytest.mark.parametrize("text", ["", "soon", "-1", "1e9", "nan", "inf", "Mon, 99", "9", "1.9", "Mon, "])
@pytest.mark.parametrize("times", [1, 20_000])
def test_an_invalid_pause_is_ignored(text: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def recording(function: Callable[[str], Any]) -> Callable[[str], Any]:
        return lambda text: (read.append(text), function(text))[1]

    monkeypatch.setattr(failures, "float", recording(float), raising=False)
    monkeypatch.setattr("email.utils.parsedate_to_datetime", recording(parsedate_to_datetime))
    assert 0.0 <= failures.retry_after_of(Answer(429, {"retry-after": text * times}, b"")) <= 600.0
    assert max(map(len, read)) <= 100


def test_a_slow_account_costs_no_more_than_the_timeout(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.always = Reply(hangs=True)  # until the test has ended: a request without a deadline would hang, too
    sent = transport(server, account, **{"atlas.hook.spark.rest.timeout.seconds": "0.1"})
    sent._breaker._clock = lambda: 0.0
    sender.send(sent, creation(path("a")), creation(path("b")))
    sent.service(0)
    assert "no answer in time: check that this machine's network reaches it (firewall, private endpoint)" in str(
        sender.failures[0]
    )
    assert len(sender.failures) == 2
    assert len(account.requests) <= 1  # none where the machine took the whole time for itself
    assert sent.retry_after() == 2


def test_nothing_listens_and_no_such_host(account: DataMap, sender: Sender) -> None:
    port = free_port()
    for address in (f"http://127.0.0.1:{port}", "https://no-such-account.invalid"):
        sent = transport(address, account)
        sender.send(sent, creation(path("a")))
        sent.service(0)
    refused, unknown = sender.failures
    assert "nothing listens there: check atlas.rest.address, and that a firewall lets HTTPS through" in str(refused)
    assert "with a private endpoint this machine's DNS must know it" in str(unknown)
    assert {refused.kind, unknown.kind} == {FailureKind.TRANSIENT}


@pytest.mark.parametrize("name", ["other authority", "wrong_host", "expired", "plain"])
def test_a_wrong_certificate_or_port_needs_action(
    account: DataMap, certificates: Certificates, sender: Sender, name: CertificateName
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.key_store("broker" if name in ("other authority", "plain") else name))
    ca = certificates.other_ca if name == "other authority" else certificates.ca
    with DataMapHttpServer(account, None if name == "plain" else context) as server:
        sent = transport(server.address.replace("http:", "https:"), account, ca)
        sender.send(sent, creation(path("a")))
        sent.service(0)
    [failure] = sender.failures
    assert failure.kind is FailureKind.NEEDS_ACTION
    fixes = {
        "plain": "no TLS",
        "wrong_host": "give a host name of the certificate",
        "expired": "set this machine's clock",
    }
    fix = fixes.get(name, "name its authority's PEM in atlas.hook.spark.rest.ca.file")
    assert fix in str(failure)
    assert account.requests == []


def test_a_failure_that_needs_action_is_not_retried_at_once(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.expired = True
    sent = transport(server, account)
    for _ in range(5):
        sender.send(sent, creation(path("a")))
        sent.service(0)
    sent.close(60)
    assert len(account.requests) == 1  # a token that was given is never another
    assert sent.failure_counts == {"http 401": 1}
    assert [failure.kind for failure in sender.failures] == [FailureKind.NEEDS_ACTION] * 5


STRANGE: tuple[Callable[[int], bytes], ...] = (
    lambda size: b"[" * (50 * size),
    lambda size: b'{"mutatedEntities": 1, "guidAssignments": [], "partialUpdatedEntities": {"a": 1}}' + b" " * size,
    lambda size: b'{"mutatedEntities": {"CREATE": [1, {"attributes": 2}%s]}}' % (b', {"typeName": {}}' * size),
    lambda size: b'{"entities": [%s]}' % b", ".join([b'{"typeName": "t", "attributes": {}}'] * size),
    *(
        lambda size, each=each: (
            b'{"entities": %s, "partialUpdatedEntities": %s, "mutatedEntities": {"A": %s}}' % (each, each, each)
        )
        for each in (b"3", b'"x"', b'{"a": 1}', b'[1, {"attributes": 3}, {"attributes": [1], "typeName": {}}]')
    ),
    lambda size: b'{"error": ' * size + b"1" + b"}" * size,
    lambda size: b'{"errorCode": {"a": 1}, "errorMessage": ["' + b"x " * size + b'"]}',
    lambda size: b"\xff\xfe" * size,
)


@pytest.mark.slow
@pytest.mark.parametrize("body", STRANGE)
def test_hostile_answers_are_read_in_linear_time(body: Callable[[int], bytes]) -> None:
    entities = tuple(flow("daily"))

    def reading(size: int) -> Callable[[], object]:
        answers = [Answer(status, {}, body(size)) for status in (200, 400, 403, 404, 500)]
        return lambda: [_read(each, entities) for each in answers]

    assert_linear(reading, 50)
    reading(2_000)()


def _read(answer: Answer, entities: tuple[Any, ...]) -> None:
    error_of(answer)
    found_names(answer)
    found = failures.explain_answer(ATTEMPT, answer)
    assert found is None or len(found.failure.reason) < 1_000
    assert len(missing_in_answer(answer, entities)) == 3
