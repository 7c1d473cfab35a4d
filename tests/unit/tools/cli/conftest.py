"""An HTTP server on loopback that stores type definitions as Atlas does, or gives configured responses."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from sac_kafka.tools.cli.main import main
from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply

PATH = "/api/atlas/v2/types/typedefs"
NOTIFICATIONS = "/api/atlas/v2/notification/topic/"
KINDS = ("enumDefs", "structDefs", "classificationDefs", "entityDefs", "relationshipDefs")
LOGIN = "Basic " + base64.b64encode(b"admin:s3cret").decode()
TOKEN = "Bearer t0ken"


class Result(NamedTuple):
    """The result of a command."""

    status: int
    out: str
    err: str

    def check(self, status: int, out: str = "", err: str = "") -> None:
        """Check status and output: a text that ends in a newline is all of it, any other is a part; "" is empty."""
        assert self.status == status, self
        for printed, wanted in ((self.out, out), (self.err, err)):
            assert printed == wanted if wanted == "" or wanted.endswith("\n") else wanted in printed, self

    def text(self, status: int) -> str:
        """Check the status and return the output."""
        assert self.status == status, self
        return self.out

    def json(self, status: int) -> Any:
        """Check the status and return the JSON output."""
        return json.loads(self.text(status))


Cli = Callable[..., Result]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Return a function that runs `sac-kafka …` in this process."""

    def run(*words: object) -> Result:
        status = main([str(each) for each in words])
        return Result(status, *capsys.readouterr())

    return run


class TypesServer(LoopbackServer):
    """`types` is what it has; `answer` (status, headers, body) is given to all requests where it is set.

    `notifications` gives status and body of the answer to messages that are posted; without it there is no such endpoint.
    """

    def __init__(self) -> None:
        super().__init__()
        self.types: dict[str, list[dict]] = {kind: [] for kind in KINDS}
        self.answer: tuple[int, dict[str, str], bytes] | None = None
        self.notifications: Callable[[bytes], tuple[int, bytes]] | None = None
        self.requests: list[tuple[str, str, dict]] = []

    def names(self) -> set[str]:
        return {each["name"] for definitions in self.types.values() for each in definitions}

    def definition(self, name: str) -> dict:
        return next(each for definitions in self.types.values() for each in definitions if each["name"] == name)

    def reply(self, request: HttpRequest) -> Reply:
        body = json.loads(request.body or b"{}")
        self.requests.append((request.method, request.path, dict(request.headers)))
        if self.answer:
            return self.answer
        if request.headers.get("Authorization") not in {LOGIN, TOKEN}:
            return 401, {}, b""
        if request.path.startswith(NOTIFICATIONS) and self.notifications is not None:
            status, response = self.notifications(request.body)
            return status, {}, response
        if request.path != PATH:
            return 404, {}, b""
        given = {kind: {each["name"]: each for each in body.get(kind, ())} for kind in KINDS}
        there = {kind: {each["name"]: each for each in self.types[kind]} for kind in KINDS}
        if request.method == "POST" and (known := [n for kind in KINDS for n in given[kind] if n in there[kind]]):
            error = {"errorCode": "ATLAS-409-00-001", "errorMessage": f"Given type {known[0]} already exists"}
            return 409, {}, json.dumps(error).encode()
        if request.method != "GET":
            self.types = {kind: [*{**there[kind], **given[kind]}.values()] for kind in KINDS}
        return 200, {}, json.dumps(self.types).encode()


@pytest.fixture
def types_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[TypesServer]:
    for name in ("ATLAS_PASSWORD", "ATLAS_TOKEN", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with TypesServer() as server:
        yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """Yield the address of a cluster that librdkafka mocks, which lives as long as the producer that owns it."""
    confluent_kafka = pytest.importorskip("confluent_kafka")
    owner = confluent_kafka.Producer({"bootstrap.servers": "x:1", "test.mock.num.brokers": 1, "log_level": 0})
    brokers = owner.list_topics(timeout=60).brokers.values()
    yield ",".join(f"{broker.host}:{broker.port}" for broker in brokers)
    owner.close()
