"""Three destinations of one hook (a real broker, a file, an account): a fault of one delays and loses nothing of another."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.hook.parts import Parts
from sac_kafka.model import Application, Engine, PathDataset, Process, Run
from sac_kafka.settings import Settings
from sac_kafka.tools.cli.main import main
from stack.kafka import KafkaBroker
from tests.helpers.broker import LocalBroker
from tests.helpers.fake_driver import FakeDriver
from tests.helpers.messages import validated
from tests.helpers.waiting import until
from tests.live.delivery.chaos_faults import SpoolDisk
from tests.unit.transport.http.data_map_server import TYPES, DataMap, DataMapHttpServer, Reply

pytestmark = [pytest.mark.kafka, pytest.mark.exhaustive]

ROUNDS = 20
SECONDS = 120
TOPIC = "destinations"
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
        self.before = {each.name: each.counts for each in self.parts.destinations}
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

    def wait_for(self, delivered: dict[str, int], state: str = "", ill: str = "") -> None:
        """Wait until these numbers are delivered; and something of one destination is in a state."""

        def is_done() -> bool:
            counts = {each.name: each.counts for each in self.parts.destinations}
            return self.delivered() == delivered and (not state or counts[ill][state] > self.before[ill][state])

        until(is_done, lambda: (self.parts.stats({}), delivered, state, ill), SECONDS)


class World:
    """What the destinations are reached by: a broker, an account, and the small disk of a file."""

    def __init__(self, broker: LocalBroker, account: DataMap, folder: Path) -> None:
        self.broker = broker
        self.account = account
        self.disk = SpoolDisk(folder / "disk")
        self.file = self.disk.folder / "archive.jsonl"

    def limit_topic(self, max_bytes: int) -> None:
        """Let the broker refuse longer messages."""
        entry = ConfigEntry("max.message.bytes", str(max_bytes), incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ConfigResource.Type.TOPIC, TOPIC, incremental_configs=[entry])
        admin = AdminClient({"bootstrap.servers": self.broker.bootstrap})
        for future in admin.incremental_alter_configs([resource]).values():
            future.result(SECONDS)


@contextmanager
def killed(world: World) -> Iterator[str]:
    world.broker.kill()
    yield ""
    world.broker.restart()


@contextmanager
def stopped(world: World) -> Iterator[str]:
    server = world.broker.server
    assert isinstance(server, KafkaBroker)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    yield ""
    os.kill(server.pid, signal.SIGCONT)


def answering(reply: Reply) -> Callable[[World], AbstractContextManager[str]]:
    @contextmanager
    def fault(world: World) -> Iterator[str]:
        world.account.always = reply
        yield "purview"
        world.account.always = None

    return fault


@contextmanager
def full(world: World) -> Iterator[str]:
    """Fill the disk of the file; where nothing can be mounted, it is a device that is always full."""
    aside = world.file.with_suffix(".aside")
    if world.disk.is_mounted:
        world.disk.fill(None)
    else:
        world.file.rename(aside)
        world.file.symlink_to("/dev/full")
    yield "archive"
    if world.disk.is_mounted:
        world.disk.empty()
    else:
        world.file.unlink()
        aside.rename(world.file)


@contextmanager
def refused_by_the_broker(world: World) -> Iterator[str]:
    world.limit_topic(100)
    yield ""
    world.limit_topic(1_000_000)


@contextmanager
def refused_by_the_account(world: World) -> Iterator[str]:
    world.account.refuses = lambda _: (400, "ATLAS-400-00-01D", "invalid value")
    yield "purview"
    world.account.refuses = lambda _: None


FAULTS = (
    killed,
    answering(Reply(503)),
    full,
    refused_by_the_broker,
    stopped,
    answering(Reply(hangs=True)),
    refused_by_the_account,
    answering(Reply(401, {"error": {"code": "Unauthorized", "message": "no"}})),
)
REFUSALS = (refused_by_the_broker, refused_by_the_account)


@pytest.fixture
def world(own_broker: LocalBroker, tmp_path: Path) -> Iterator[World]:
    own_broker.create_topic(TOPIC)
    world = World(own_broker, DataMap(types=TYPES | {"azure_synapse_operation"}), tmp_path)
    yield world
    world.disk.close()


def test_faults_of_one_destination_in_turn(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    account = world.account
    with DataMapHttpServer(account) as server:
        keys = {
            "atlas.kafka.bootstrap.servers": world.broker.bootstrap,
            "atlas.kafka.security.protocol": "PLAINTEXT",
            "atlas.kafka.delivery.timeout.ms": "3000",
            "atlas.notification.hook.topic.name": TOPIC,
            "atlas.hook.spool.dir": str(tmp_path / "spool"),
            "atlas.hook.spool.destination.retry.ms": "500",
            "atlas.also": "archive, purview",
            "atlas.also.archive.client.type": "file",
            "atlas.also.archive.client.file.path": str(world.file),
            "atlas.also.purview.client.type": "purview",
            "atlas.also.purview.rest.address": server.address,
            "atlas.also.purview.hook.spark.rest.token": account.token,
            "atlas.also.purview.hook.spark.rest.timeout.seconds": "2",
        }
        hook = Hook(keys)
        expected = {each.name: 0 for each in hook.parts.destinations}
        for number in range(ROUNDS):
            fault = FAULTS[number % len(FAULTS)]
            with fault(world) as ill:
                hook.write(number)
                for name in expected:
                    expected[name] += name != ill
                hook.wait_for(expected, "rejected" if fault in REFUSALS else "spooled", ill)
            if fault not in REFUSALS:
                expected[ill] += 1
            hook.wait_for(expected)
        hook.parts.dismantle(Guard())
        refused = ROUNDS - expected[""], ROUNDS - expected["purview"]
        assert min(refused) >= 2
        assert expected["archive"] == ROUNDS
        conf = tmp_path / "atlas-application.properties"
        conf.write_text("".join(f"{key}={value}\n" for key, value in keys.items()))
        assert not [*_files(tmp_path / "spool", is_rejected=False)]
        assert main(["spool", "replay", "--rejected", "--conf-file", str(conf)]) == 0
        printed = capsys.readouterr().out
        for name, count in zip(("first destination", "purview"), refused, strict=True):
            assert f"{name}: {count} messages delivered, 0 dropped, 0 rejected, 0 left" in printed
    archive = processes_in(world.file.read_text("utf-8").splitlines())
    assert len(archive) == len(set(archive)) == ROUNDS
    topic = processes_in(validated_texts(world.broker))
    assert set(topic) == set(archive)
    # A stopped broker that goes on has what was given up, too: at least once.
    late = [number for number in range(ROUNDS) if FAULTS[number % len(FAULTS)] is stopped]
    assert all(any(f"/out{number}:" in name for number in late) for name in (Counter(topic) - Counter(archive)))
    flows = [name for kind, name in account.stored if kind == "azure_synapse_operation"]
    assert len(flows) == len(set(flows)) == ROUNDS
    assert not [*_files(tmp_path / "spool", is_rejected=True)]


def processes_in(messages: Iterable[str | bytes]) -> list[str]:
    """Return the names of the processes; after a refusal a message has what the refused one described, too."""
    entities = [each for text in messages for each in json.loads(text)["message"]["entities"]["entities"]]
    return [each["attributes"]["qualifiedName"] for each in entities if each["typeName"] == "spark_process"]


def _files(spool: Path, *, is_rejected: bool) -> Iterator[Path]:
    return (file for file in spool.rglob("*.avro") if (file.parent.name == "rejected") == is_rejected)


def validated_texts(broker: LocalBroker) -> list[bytes]:
    values = broker.read_all(TOPIC)
    validated(values)
    return values
