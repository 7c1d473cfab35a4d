"""Transport and spool without Spark, against a real broker behind a proxy that fails: nothing is lost, order is kept.

Rounds are short, so that there can be many; whole jobs are in test_chaos.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.spool.spool import Spool
from stack.kafka import KafkaBroker, choose_ports
from stack.proxy import Mode, Proxy
from stack.server_properties import ADVERTISED_HOST, LISTENER_NAMES
from tests.helpers.broker import Broker
from tests.helpers.seeds import seed
from tests.helpers.spool_options import options_in
from tests.helpers.waiting import until

pytestmark = pytest.mark.kafka

MESSAGES = 150
SEED = 400_000
SETTLE_SECONDS = 150
"""Once all is well again; log-ins and handshakes that were broken off may be what a pause of a minute is for."""
FAULTS = ("hole", "slow", "half", "reset", "cut", "refuse", "paused", "killed")
CI_ROUNDS = 8
NIGHTLY_ROUNDS = 80


class Place:
    """A broker behind a proxy."""

    def __init__(self, work: Path) -> None:
        ports = choose_ports()
        self.proxy = Proxy(ports.sasl_ssl).start()
        seen = {"PLAINTEXT": ports.plaintext, "SASL_SSL": self.proxy.port}
        advertised = ",".join(
            f"{name}://{ADVERTISED_HOST}:{seen[protocol]}" for protocol, name in LISTENER_NAMES.items()
        )
        self.broker = KafkaBroker(work, ports=ports, properties={"advertised.listeners": advertised}).start()

    @property
    def settings(self) -> Settings:
        user, password = self.broker.credentials
        jaas = (
            f'org.apache.kafka.common.security.plain.PlainLoginModule required username="{user}" password="{password}";'
        )
        kafka = {
            "bootstrap.servers": f"localhost:{self.proxy.port}",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": jaas,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.broker.ca_file),
            "delivery.timeout.ms": "2000",
            "socket.connection.setup.timeout.ms": "1500",
        }
        return Settings.read({f"atlas.kafka.{key}": text for key, text in kafka.items()}, "test")

    def harm(self, fault: str) -> None:
        if fault == "killed":
            self.broker.kill()
        elif fault == "paused":
            assert self.broker.pid is not None
            os.kill(self.broker.pid, signal.SIGSTOP)
        else:
            self.proxy.set(Mode(fault))

    def heal(self) -> None:
        self.proxy.set(Mode.PASS)
        if self.broker.pid is None:
            self.broker.start()
        else:
            os.kill(self.broker.pid, signal.SIGCONT)

    def close(self) -> None:
        self.heal()
        self.broker.stop()
        self.proxy.stop()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place(tmp_path_factory.mktemp("transport-chaos"))
    yield made
    made.close()


def _round(place: Place, folder: Path, number: int, drawn_from: int) -> str:
    chance = random.Random(drawn_from)
    fault = FAULTS[number % len(FAULTS)]
    topic = f"CHAOS_{number}"
    place.broker.create_topic(topic)
    options = options_in(folder, is_first=chance.random() < 0.5, retry_ms=1000)
    spool = Spool(make_transport(place.settings), options, f"app-{number}")
    begins = chance.randrange(MESSAGES)
    healing = threading.Timer(chance.choice([0.1, 1.0, 3.0, 5.0]), place.heal)
    settled: list[Failure | None] = []
    values = [f'{{"n":{n},"x":"{"x" * chance.choice([10, 2_000, 40_000])}"}}'.encode() for n in range(MESSAGES)]
    for n, value in enumerate(values):
        if n == begins:
            place.harm(fault)
            healing.start()
        spool.send(Record(topic, b"app", (value,)), settled.append)
        if chance.random() < 0.7:
            spool.service(0)
        time.sleep(chance.choice([0, 0, 0.001, 0.05]))
    until(
        lambda: spool.service(0.1) or (len(settled) == MESSAGES and not healing.is_alive()),
        lambda: (spool.problem(), spool.figures, spool.counts, spool.in_flight),
        seconds=SETTLE_SECONDS,
    )
    spool.close(5)
    assert settled == [None] * MESSAGES
    assert spool.figures["records"] == 0
    arrived = Broker(place.broker.bootstrap("PLAINTEXT")).read_all(topic)
    firsts = list(dict.fromkeys(arrived))
    lost = set(values) - set(firsts)
    assert not lost, f"{fault}: {len(lost)} lost"
    assert firsts == values, f"{fault}: not in order"
    return (
        f"round {number}, seed {drawn_from}, {fault}: {len(values)} messages, {len(arrived) - len(firsts)} duplicates"
    )


@pytest.mark.parametrize(
    "number",
    [pytest.param(each, marks=() if each < CI_ROUNDS else pytest.mark.nightly) for each in range(NIGHTLY_ROUNDS)],
)
def test_nothing_is_lost_and_order_is_kept(number: int, place: Place, tmp_path: Path) -> None:
    print(_round(place, tmp_path / "spool", number, seed(SEED) + number))
