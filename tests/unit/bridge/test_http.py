"""Requests of OpenLineage clients: what is accepted, and what is refused with a reason. A real server on loopback."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.bridge.http_api import Limits, prometheus_text
from sac_kafka.bridge.http_input import HttpInput, Listening
from sac_kafka.bridge.intake import Intake
from sac_kafka.bridge.journal import Journal
from sac_kafka.errors import ConfigurationError
from tests.unit.openlineage.small_events import dataset, event

EVENT = json.dumps(event(inputs=[dataset("a.x")], outputs=[dataset("a.y")])).encode()
LIMITS = Limits(body_bytes=100_000, expanded_bytes=200_000, batch=3, seconds=0.5)


class Server:
    """A bridge's HTTP server, and what its journal has."""

    def __init__(self, folder: Path, token: str = "", max_bytes: int = 1_000_000) -> None:
        self.folder = folder
        self.intake = Intake(0, Journal(folder, max_bytes))
        self.input = HttpInput(Listening(host="127.0.0.1", port=0, token=token, limits=LIMITS))
        self.input.counts = lambda: {"events": 3, 'odd "reason"\\': 1}
        self.input.start(self.intake)
        self.port = int(self.input.address.rpartition(":")[2])

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def request(
        self, body: Any = None, path: str = "/api/v1/lineage", method: str = "POST", **headers: str
    ) -> tuple[int, bytes, Mapping[str, str]]:
        connection = self.connection()
        connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        result = answer.status, answer.read(), dict(answer.getheaders())
        connection.close()
        return result

    def kept(self) -> list[Any]:
        files = sorted(self.folder.glob("*.events"))
        return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.input.stop()


@pytest.mark.parametrize("path", ["/api/v1/lineage", "/", "/base/path/api/v1/lineage", "/api/v1/lineage?x=1"])
def test_event_is_in_the_journal_when_it_is_confirmed(server: Server, path: str) -> None:
    assert server.request(EVENT, path)[0] == 201
    assert server.kept() == [json.loads(EVENT)]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_and_chunked_bodies(server: Server, encoding: str) -> None:
    body = gzip.compress(EVENT) if encoding == "gzip" else zlib.compress(EVENT)
    assert server.request(iter([body[:10], body[10:]]), Content_Encoding=encoding)[0] == 201
    assert server.kept() == [json.loads(EVENT)]


def test_event_of_an_unknown_producer_with_unknown_facets(server: Server) -> None:
    value = {**event(namespace="own://x"), "producer": "nobody", "new": 1}
    assert server.request(json.dumps(value))[0] == 201
    assert server.request(json.dumps({"dataset": {}, "eventTime": "2026-11-20T06:00:00Z"}))[0] == 201
    assert len(server.kept()) == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"", 400),
        (b"\xff\xfe", 400),
        (b"3", 400),
        (b"{}", 400),
        (b'{"run": {}}', 400),
        (b"[" * 50_000, 400),
    ],
)
def test_what_is_no_event_is_refused_with_a_reason(server: Server, body: bytes, status: int) -> None:
    found, text, _ = server.request(body)
    assert found == status
    assert json.loads(text)["error"]
    assert server.kept() == []


def test_bodies_and_what_they_expand_to_are_limited(server: Server) -> None:
    assert server.request(b" " * (LIMITS.body_bytes + 1))[0] == 413
    bomb = gzip.compress(b" " * (LIMITS.expanded_bytes + 1))
    assert server.request(bomb, Content_Encoding="gzip")[0] == 413
    assert server.request(b"not gzip", Content_Encoding="gzip")[0] == 400
    assert server.request(gzip.compress(EVENT)[:-9], Content_Encoding="gzip")[0] == 400
    assert server.request(EVENT, Content_Encoding="br")[0] == 415
    assert server.request(EVENT)[0] == 201


def test_body_that_does_not_arrive_is_given_up(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as slow:
        slow.sendall(b"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        assert b" 408 " in slow.recv(1_000)


def test_batch_states_which_events_were_refused(server: Server) -> None:
    good = json.loads(EVENT)
    status, text, _ = server.request(json.dumps([good, {}, good]), "/api/v1/lineage/batch")
    answer = json.loads(text)
    assert (status, answer["status"]) == (200, "partial_success")
    assert answer["summary"] == {"received": 3, "successful": 2, "failed": 1, "retriable": 0, "non_retriable": 1}
    assert [each["index"] for each in answer["failed_events"]] == [1]
    assert server.request(json.dumps([good]), "/api/v1/lineage/batch")[:2] == (204, b"")
    assert server.kept() == [good] * 3
    assert server.request(json.dumps(good), "/api/v1/lineage/batch")[0] == 400
    assert server.request(json.dumps([good] * 4), "/api/v1/lineage/batch")[0] == 413


def test_token_is_needed_for_all_but_health(tmp_path: Path) -> None:
    server = Server(tmp_path, token="s3cret")
    try:
        for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic s3cret"}):
            status, _, headers = server.request(EVENT, **header)
            assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert server.request(EVENT, Authorization="Bearer s3cret")[0] == 201
        assert server.request(path="/metrics", method="GET")[0] == 401
        assert server.request(path="/health", method="GET")[0] == 200
        assert "s3cret" not in repr(server.input._listening)
    finally:
        server.input.stop()


def test_full_journal_is_the_only_reason_to_try_again(tmp_path: Path) -> None:
    server = Server(tmp_path, max_bytes=len(EVENT) + 10)
    try:
        assert server.request(EVENT)[0] == 201
        status, text, headers = server.request(EVENT)
        assert (status, headers["retry-after"]) == (503, "10")
        assert "bytes" in json.loads(text)["error"]
    finally:
        server.input.stop()


def test_health_metrics_and_description(server: Server) -> None:
    assert json.loads(server.request(path="/health", method="GET")[1])["status"] == "ok"
    metrics = server.request(path="/metrics", method="GET")[1].decode()
    assert 'sac_kafka_bridge_total{reason="events"} 3\n' in metrics
    assert 'reason="odd \\"reason\\"\\\\"' in metrics
    paths = json.loads(server.request(path="/openapi.json", method="GET")[1])["paths"]
    assert {"/api/v1/lineage", "/api/v1/lineage/batch", "/health", "/metrics"} == set(paths)
    assert server.request(path="/api/v1/lineage", method="GET")[0] == 405


def test_idle_connections_do_not_stop_others(server: Server) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(200)]
    try:
        threads = [threading.Thread(target=server.request, args=(EVENT,)) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(server.kept()) == 8
    finally:
        for each in idle:
            each.close()


def test_address_in_use_is_an_error(server: Server) -> None:
    with pytest.raises(ConfigurationError, match="name another address"):
        HttpInput(Listening(host="127.0.0.1", port=server.port))


def test_certificate_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "cert.pem"
    file.write_text("no certificate", "utf-8")
    with pytest.raises(ConfigurationError, match="tls-certificate"):
        HttpInput(Listening(host="127.0.0.1", port=0, certificate=str(file)))


def test_counters_without_any_are_valid() -> None:
    assert prometheus_text({}).endswith("counter\n")
