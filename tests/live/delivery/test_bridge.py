"""Events on their way from HTTP clients and a real Kafka through bridges that are killed: nothing is lost, nothing is made up."""

from __future__ import annotations

import json
import random
import signal
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from stack import topics
from tests.helpers.bridges import BridgeProcess, flows
from tests.helpers.broker import Broker
from tests.helpers.openlineage_client import LABEL, send
from tests.helpers.waiting import until
from tests.unit.openlineage.small_events import dataset, event

pytestmark = pytest.mark.kafka

LONGEST_SECONDS = 1.5
PAUSE_SECONDS = 0.01


def start_of(name: str, *outputs: Any) -> Any:
    return event("START", run=name, job=f"load {name}", second=1, inputs=[dataset("raw.a")], outputs=outputs)


def end_of(name: str, *inputs: Any) -> Any:
    outputs = [dataset(f"mart.{name}")]
    return event(
        "COMPLETE", run=name, job=f"load {name}", second=2, inputs=[dataset("raw.b"), *inputs], outputs=outputs
    )


def label(name: str) -> str:
    return f"prod/load {name}: raw.a, raw.b -> mart.{name}"


class Senders:
    """Clients that send both events of run after run until they are told to stop; `confirmed` are the runs that they could."""

    def __init__(self, ports: dict[str, int], bootstrap: str, topic: str) -> None:
        self.confirmed: list[str] = []
        self._ports = ports
        self._topic = topic
        self._producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 1})
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(send,)) for send in (self._post, self._produce)]

    @contextmanager
    def sending(self) -> Iterator[None]:
        for each in self._threads:
            each.start()
        try:
            yield
        finally:
            self._stopped.set()
            for each in self._threads:
                each.join()
            assert self._producer.flush(60) == 0

    def _run(self, send: Any) -> None:
        while not self._stopped.wait(PAUSE_SECONDS):
            name = f"t{uuid.uuid4().hex[:10]}"
            for each in (start_of(name), end_of(name)):
                send(each)
            self.confirmed.append(name)

    def _post(self, value: Any) -> None:
        """Post an event as clients do: again, until it is confirmed."""

        def is_confirmed() -> bool:
            try:
                return _post(self._ports["one"], value) == 201
            except (OSError, HTTPException):
                return False

        until(is_confirmed)

    def _produce(self, value: Any) -> None:
        self._producer.produce(self._topic, json.dumps(value).encode(), key=value["run"]["runId"].encode())
        self._producer.poll(0)


def _post(port: int, value: Any) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", "/api/v1/lineage", json.dumps(value))
        return connection.getresponse().status
    finally:
        connection.close()


class Site:
    """A broker with a topic of events and one of messages, and bridges by name, each with its folder."""

    def __init__(self, broker: Broker, folder: Path) -> None:
        self.broker, self.folder = broker, folder
        number = uuid.uuid4().hex[:8]
        self.events, self.messages = f"events-{number}", f"messages-{number}"
        topics.create_topic(broker.bootstrap, self.events, 4)
        broker.create_topic(self.messages)
        self.ports: dict[str, int] = {}

    def bridge(self, name: str) -> BridgeProcess:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        found = BridgeProcess(
            folder,
            *("--kafka", self.events, "--group", self.events),
            atlas_client_type="kafka",
            atlas_kafka_bootstrap_servers=self.broker.bootstrap,
            atlas_notification_hook_topic_name=self.messages,
            atlas_metadata_namespace="test",
        )
        self.ports[name] = found.port
        return found

    def flows(self) -> set[str]:
        return {*flows(self.broker.read_all(self.messages))}

    def wait_for(self, expected: set[str]) -> None:
        """Wait until all flows have arrived; what has arrived is all."""
        found: set[str] = set()

        def are_there() -> bool:
            found.update(self.flows())
            return found >= expected

        until(are_there, lambda: f"{len(expected - found)} of {len(expected)} are missing", progress=lambda: len(found))
        assert found == expected


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=[pytest.mark.exhaustive, pytest.mark.nightly])])
def test_killed_bridge_neither_loses_nor_invents_flows(broker: Broker, tmp_path: Path, kills: int) -> None:
    site = Site(broker, tmp_path)
    bridge = site.bridge("one")
    senders = Senders(site.ports, broker.bootstrap, site.events)
    chance = random.Random(kills)
    with senders.sending():
        for _ in range(kills):
            threading.Event().wait(chance.uniform(0.1, LONGEST_SECONDS))
            bridge.end(signal.SIGKILL)
            bridge = site.bridge("one")
    expected = {label(name) for name in senders.confirmed}
    try:
        site.wait_for(expected)
    finally:
        bridge.end(signal.SIGTERM)


@pytest.mark.exhaustive
def test_python_client_sends_over_kafka(broker: Broker, tmp_path: Path) -> None:
    site = Site(broker, tmp_path)
    bridge = site.bridge("one")
    send({"type": "kafka", "topic": site.events, "config": {"bootstrap.servers": broker.bootstrap}})
    until(lambda: site.flows() == {LABEL})
    bridge.end(signal.SIGTERM)


@pytest.mark.exhaustive
def test_two_bridges_of_a_group_share_a_topic(broker: Broker, tmp_path: Path) -> None:
    site = Site(broker, tmp_path)
    bridges = {name: site.bridge(name) for name in ("one", "two")}
    senders = Senders(site.ports, broker.bootstrap, site.events)
    with senders.sending():
        for name in ("two", "one", "two"):
            threading.Event().wait(LONGEST_SECONDS)
            bridges[name].end(signal.SIGKILL)
            bridges[name] = site.bridge(name)
    expected = {label(name) for name in senders.confirmed}
    site.wait_for(expected)
    said = {name: each.end(signal.SIGTERM) for name, each in bridges.items()}
    assert all("events" in each for each in said.values()), said
