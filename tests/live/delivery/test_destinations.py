"""Three destinations of one hook (a real broker, a file, an account): a fault of one delays and loses nothing of another."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.hook.parts import Parts
from sac_kafka.model import Application, Engine, PathDataset, Process, Run
from sac_kafka.settings import Settings
from stack.kafka import KafkaBroker
from tests.helpers.broker import LocalBroker
from tests.helpers.fake_driver import FakeDriver
from tests.helpers.messages import validated
from tests.helpers.waiting import until
from tests.unit.transport.http.data_map_server import TYPES, DataMap, DataMapHttpServer, Reply

pytestmark = [pytest.mark.kafka, pytest.mark.exhaustive]

ROUNDS = 20
SECONDS = 120
LAKE = "abfss://raw@contosolake.dfs.core.windows.net"
APPLICATION = Application(
    job="copy", application_id="local-1", name="copy", user="alice", engine=Engine(version="4.3.0")
)


@pytest.fixture(scope="module")
def own_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """Yield a broker of this module, which is killed."""
    broker = LocalBroker(KafkaBroker(tmp_path_factory.mktemp("kafka")).start())
    yield broker
    broker.close()


def copy(number: int) -> Process:
    """Return a flow between two directories that no other one has."""
    ends = (PathDataset(path=f"{LAKE}/{place}{number}", format="parquet") for place in ("in", "out"))
    source, target = ends
    return Process(
        application=APPLICATION,
        run=Run(execution_id=number, started_ms=number, ended_ms=number),
        inputs=(source,),
        outputs=(target,),
    )


class Hook:
    """The destinations of a hook, without a driver."""

    def __init__(self, keys: dict[str, str]) -> None:
        self.parts: Parts = assemble(FakeDriver(), Settings.read(keys, "a test"), Guard())

    def write(self, number: int) -> None:
        self.parts.worker._take(self.parts.pipeline.add(lambda: [copy(number)]))
        self.parts.worker._take(self.parts.pipeline.drain())
        for destination in self.parts.destinations:
            destination.send_due(everything=True)

    def delivered(self) -> dict[str, int]:
        """Let the destinations work, and return how many messages of each are delivered."""
        for destination in self.parts.destinations:
            destination.flush(0.05)
            destination.serve()
        return {each.name: each.counts["delivered"] for each in self.parts.destinations}

    def wait_for(self, names: set[str], number: int) -> None:
        until(
            lambda: all(count == number for name, count in self.delivered().items() if name in names),
            lambda: (self.parts.stats({}), names),
            SECONDS,
        )


@contextmanager
def killed(broker: LocalBroker, _: DataMap) -> Iterator[str]:
    broker.kill()
    yield ""
    broker.restart()


@contextmanager
def stopped(broker: LocalBroker, _: DataMap) -> Iterator[str]:
    assert isinstance(broker.server, KafkaBroker)
    assert broker.server.pid is not None
    os.kill(broker.server.pid, signal.SIGSTOP)
    yield ""
    os.kill(broker.server.pid, signal.SIGCONT)


def answering(reply: Reply) -> Callable[[LocalBroker, DataMap], AbstractContextManager[str]]:
    @contextmanager
    def fault(_: LocalBroker, account: DataMap) -> Iterator[str]:
        account.always = reply
        yield "purview"
        account.always = None

    return fault


FAULTS = (
    killed,
    answering(Reply(503)),
    stopped,
    answering(Reply(hangs=True)),
    answering(Reply(401, {"error": {"code": "Unauthorized", "message": "no"}})),
)


def test_faults_of_one_destination_in_turn(own_broker: LocalBroker, tmp_path: Path) -> None:
    own_broker.create_topic("destinations")
    account = DataMap(types=TYPES | {"azure_synapse_operation"})
    with DataMapHttpServer(account) as server:
        hook = Hook(
            {
                "atlas.kafka.bootstrap.servers": own_broker.bootstrap,
                "atlas.kafka.security.protocol": "PLAINTEXT",
                "atlas.kafka.delivery.timeout.ms": "3000",
                "atlas.notification.hook.topic.name": "destinations",
                "atlas.hook.spool.dir": str(tmp_path / "spool"),
                "atlas.hook.spool.destination.retry.ms": "500",
                "atlas.also": "archive, purview",
                "atlas.also.archive.client.type": "file",
                "atlas.also.archive.client.file.path": str(tmp_path / "archive.jsonl"),
                "atlas.also.purview.client.type": "purview",
                "atlas.also.purview.rest.address": server.address,
                "atlas.also.purview.hook.spark.rest.token": account.token,
                "atlas.also.purview.hook.spark.rest.timeout.seconds": "2",
            }
        )
        names = {each.name for each in hook.parts.destinations}
        for number in range(ROUNDS):
            with FAULTS[number % len(FAULTS)](own_broker, account) as ill:
                hook.write(number)
                hook.wait_for(names - {ill}, number + 1)
                assert hook.delivered()[ill] == number
            hook.wait_for(names, number + 1)
        hook.parts.dismantle(Guard())
    topic = [json.loads(value)["message"] for value in validated_texts(own_broker)]
    archive = [json.loads(line)["message"] for line in (tmp_path / "archive.jsonl").read_text("utf-8").splitlines()]
    assert topic == archive
    assert len(archive) == ROUNDS
    flows = [name for kind, name in account.stored if kind == "azure_synapse_operation"]
    assert len(flows) == len(set(flows)) == ROUNDS
    assert not [file for file in (tmp_path / "spool").rglob("*") if file.is_file()]


def validated_texts(broker: LocalBroker) -> list[bytes]:
    values = broker.read_all("destinations")
    validated(values)
    return values
