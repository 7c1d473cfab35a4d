"""Examples of `sac-kafka replay` in docs/tools.md: to another cluster (another topic stands for it) and to a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.settings import Settings
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, MessageKind, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool
from tests.project.docs.blocks import ROOT, blocks
from tests.project.docs.commands import own_commands, shown
from tests.unit.transport.notification_server import NotificationServer

if TYPE_CHECKING:
    from tests.helpers.broker import Broker

HERE, THERE = "REPLAYED_HERE", "REPLAYED_THERE"
MESSAGES = [
    json.dumps(
        json.loads((ROOT / "tests" / "unit" / "atlas" / "golden" / f"{name}.json").read_text()), separators=(",", ":")
    )
    for name in ("first_sight", "second_run")
]


class NoBroker(MemoryTransport):
    """Fails whatever it is given."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        outcome(Failure(FailureKind.TRANSIENT, "no broker"))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)


def command(number: int) -> list[str]:
    """Return the arguments of the first or second of the two commands, as the page has them."""
    (block,) = (each for each in blocks(ROOT / "docs" / "tools.md") if "--to-conf-file other/" in each.text)
    (found,) = own_commands(shown(block.text, is_console=True)[number].command)
    return found


def write(folder: Path, **settings: str) -> None:
    folder.mkdir(exist_ok=True)
    lines = (f"atlas.{key}={value}\n" for key, value in settings.items())
    (folder / "atlas-application.properties").write_text("".join(lines))


@pytest.mark.kafka
def test_a_topic_goes_to_another_cluster(broker: Broker, tmp_path: Path) -> None:
    for folder, topic in ((tmp_path, HERE), (tmp_path / "other", THERE)):
        write(folder, **{"kafka.bootstrap.servers": broker.bootstrap, "notification.hook.topic.name": topic})
        broker.create_topic(topic)
    (tmp_path / "messages.jsonl").write_text("".join(f"{each}\n" for each in MESSAGES))
    assert main(["replay", "messages.jsonl", "--to", "kafka"]) == 0
    assert main(command(0)) == 0
    there = broker.read_all(THERE)
    assert there == broker.read_all(HERE)
    assert len(there) == len(MESSAGES)


def test_a_spool_goes_to_a_server(tmp_path: Path) -> None:
    write(tmp_path, **{"hook.spool.dir": str(tmp_path / "spool")})
    settings = Settings.read({"atlas.hook.spool.dir": str(tmp_path / "spool")}, "test")
    spool = Spool(NoBroker(), options_of(settings), "application_7")
    for message in MESSAGES:
        record = Record("ATLAS_HOOK", b"k", (message.encode(),), MessageKind.FLOW, 1_800_000_000_000)
        spool.send(record, lambda _: None)
    spool.close(0)
    with NotificationServer() as server:
        words = [word.replace("https://atlas.example.org:21443", server.address) for word in command(1)]
        assert main(words) == 0
        assert len(server.posted) == len(MESSAGES)
