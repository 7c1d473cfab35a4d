"""The spool before a real broker that is killed, restarted, and refuses a password; drivers are separate processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sac_kafka.tools.cli.main import main
from stack.kafka import KafkaBroker
from stack.properties import atlas_properties
from tests.helpers.broker import Broker, LocalBroker
from tests.helpers.processes import environment
from tests.helpers.spooled import kept
from tests.helpers.waiting import until

pytestmark = pytest.mark.kafka

DRIVER = "tests.live.delivery.spooling_driver"
SECONDS = 120
DELIVERY = "atlas.kafka.delivery.timeout.ms"


@pytest.fixture(scope="module")
def own_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Yield a broker of this module, which is killed."""
    broker = LocalBroker(KafkaBroker(tmp_path_factory.mktemp("kafka")).start())
    yield broker
    broker.close()


class Driver:
    """A process that sends messages through the spool on command."""

    def __init__(self, file: Path, name: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", DRIVER, str(file), name],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def command(self, *words: object) -> dict[str, int]:
        """Tell it something; gives the counts that it answers."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def wait_for(self, is_so: Callable[[dict[str, int]], bool]) -> dict[str, int]:
        counts: dict[str, int] = {}

        def is_over() -> bool:
            counts.update(self.command("serve", 10))
            return is_so(counts)

        until(is_over, lambda: counts, seconds=SECONDS)
        return counts

    def end(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(SECONDS) == 0

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)


@contextmanager
def driver(folder: Path, topic: str, bootstrap: str, name: str, **more: str) -> Iterator[Driver]:
    folder.mkdir(exist_ok=True)
    file = folder / "atlas-application.properties"
    file.write_text(
        atlas_properties(
            {
                "atlas.kafka.bootstrap.servers": bootstrap,
                "atlas.notification.hook.topic.name": topic,
                DELIVERY: "3000",
                "atlas.hook.spool.dir": str(folder / "spool"),
                "atlas.hook.spool.destination.retry.ms": "2000",
                **{key.replace("_", "."): value for key, value in more.items()},
            }
        )
    )
    started = Driver(file, name)
    try:
        yield started
    finally:
        for stream in (started.process.stdin, started.process.stdout):
            stream.close()
        if started.process.poll() is None:
            started.process.kill()
        started.process.wait(60)


def arrived(broker: Broker, topic: str) -> list[str]:
    return [json.loads(value)["message"] for value in broker.read_all(topic)]


def names(name: str, *numbers: range) -> list[str]:
    return [f"{name} {number}" for each in numbers for number in each]


def test_a_broker_is_killed_and_restarted(own_broker: Broker, tmp_path: Path) -> None:
    own_broker.create_topic("back")
    with driver(tmp_path, "back", own_broker.bootstrap, "a") as a:
        assert a.command("send", 20)
        a.wait_for(lambda counts: counts["delivered"] == 20)
        own_broker.kill()
        a.command("send", 30)
        a.wait_for(lambda counts: counts["spooled"] == 30)
        a.command("send", 10)
        own_broker.restart()
        a.wait_for(lambda counts: counts["delivered"] == 60)
        a.end()
    assert list(dict.fromkeys(arrived(own_broker, "back"))) == names("a", range(60))
    assert list((tmp_path / "spool").iterdir()) == []


def test_messages_left_by_a_driver_go_before_those_of_the_next(own_broker: Broker, tmp_path: Path) -> None:
    own_broker.create_topic("next")
    own_broker.kill()
    with driver(tmp_path, "next", own_broker.bootstrap, "a") as a:
        a.command("send", 150)
        a.end()
    assert len(kept(tmp_path / "spool")) == 150
    own_broker.restart()
    with driver(tmp_path, "next", own_broker.bootstrap, "b") as b:
        b.command("send", 10)
        counts = b.wait_for(lambda counts: counts["delivered"] == 10)
        assert counts["replayed"] == 150
        b.end()
    assert list(dict.fromkeys(arrived(own_broker, "next"))) == names("a", range(150)) + names("b", range(10))
    assert list((tmp_path / "spool").iterdir()) == []


def test_spool_first_loses_nothing_when_the_driver_is_killed(own_broker: Broker, tmp_path: Path) -> None:
    own_broker.create_topic("killed")
    more = {"atlas.hook.spark.durability": "spool-first"}
    for round_ in range(3):
        with driver(tmp_path, "killed", own_broker.bootstrap, f"round{round_}", **more) as a:
            a.command("send", 40)
            a.command("serve", round_)
            a.command("send", 40)
            a.kill()
    assert main(["spool", "replay", "--conf-file", str(tmp_path / "atlas-application.properties")]) == 0
    found = list(dict.fromkeys(arrived(own_broker, "killed")))
    assert found == [name for round_ in range(3) for name in names(f"round{round_}", range(80))]


def test_many_drivers_replay_everything_once(own_broker: Broker, tmp_path: Path) -> None:
    own_broker.create_topic("many")
    own_broker.kill()
    for name in "abcd":
        with driver(tmp_path, "many", own_broker.bootstrap, name) as each:
            each.command("send", 25)
            each.kill() if name == "d" else each.end()
    waiting = len(kept(tmp_path / "spool"))
    own_broker.restart()
    file = tmp_path / "atlas-application.properties"
    # A message whose acknowledgement comes too late is sent again: none does here.
    file.write_text(file.read_text().replace(f"{DELIVERY}=3000", f"{DELIVERY}=120000"))
    command = [sys.executable, "-m", "sac_kafka.tools.cli.main", "spool", "replay", "--conf-file", str(file)]
    replays = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outputs = [replay.communicate(timeout=SECONDS)[0] for replay in replays]
    # Status 1: some were left, to another of these processes.
    for replay, output in zip(replays, outputs, strict=True):
        assert replay.returncode == int("in use by other processes" in output), outputs
    assert 0 in [replay.returncode for replay in replays]
    found = arrived(own_broker, "many")
    assert len(found) == waiting >= 75
    # Each application's in order; who takes over whose files, and so who comes first, is chance.
    for name in "abc":
        assert [each for each in found if each[0] == name] == names(name, range(25))


def test_a_wrong_password_costs_no_message(broker: Broker, tmp_path: Path) -> None:
    topic = f"password-{tmp_path.name}"
    broker.create_topic(topic)
    secure = broker.sasl_ssl

    def settings(password: str) -> dict[str, str]:
        module = "org.apache.kafka.common.security.plain.PlainLoginModule"
        return {
            "atlas.kafka.security.protocol": "SASL_SSL",
            "atlas.kafka.sasl.mechanism": "PLAIN",
            "atlas.kafka.sasl.jaas.config": f'{module} required username="{secure.username}" password="{password}";',
            "atlas.kafka.ssl.truststore.type": "PEM",
            "atlas.kafka.ssl.truststore.location": str(secure.ca_file),
        }

    with driver(tmp_path, topic, secure.bootstrap, "a", **settings("wrong-and-secret")) as a:
        a.command("send", 5)
        a.wait_for(lambda counts: counts["spooled"] == 5)
        a.command("send", 5)
        a.end()
    assert not any(b"wrong-and-secret" in file.read_bytes() for file in (tmp_path / "spool").iterdir())
    with driver(tmp_path, topic, secure.bootstrap, "b", **settings(secure.password)) as b:
        b.command("send", 1)
        b.wait_for(lambda counts: counts["replayed"] == 10 and counts["delivered"] == 1)
        b.end()
    assert list(dict.fromkeys(arrived(broker, topic))) == [*names("a", range(10)), "b 0"]
