"""A bridge under a steady load for long, while the servers behind it are stopped and started: nothing is lost, memory is flat.

SAC_KAFKA_BRIDGE_SOAK_SECONDS is the length (an hour), SAC_KAFKA_BRIDGE_SOAK_RATE the events per second (200).
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bridge import STATES, events
from tests.helpers.bridges import BridgeProcess
from tests.helpers.broker import Broker
from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply
from tests.helpers.waiting import until

pytestmark = [pytest.mark.kafka, pytest.mark.nightly, pytest.mark.exhaustive]

SECONDS = float(os.environ.get("SAC_KAFKA_BRIDGE_SOAK_SECONDS", "3600"))
RATE = float(os.environ.get("SAC_KAFKA_BRIDGE_SOAK_RATE", "200"))
CYCLE_SECONDS, DOWN_SECONDS = 60.0, 15.0
JOBS, COLUMNS = 200, 10
MAX_GROWTH = 1.25
MIB = 2**20


class Receiver(LoopbackServer):
    """A receiver of OpenLineage events, the second destination; it cuts connections while it is down."""

    def __init__(self) -> None:
        super().__init__()
        self.is_up = threading.Event()
        self.is_up.set()
        self.runs: set[str] = set()

    def reply(self, request: HttpRequest) -> Reply | None:
        if not self.is_up.is_set():
            return None
        facets = json.loads(request.body)["run"]["facets"]
        self.runs.update(_run_ids(facets))
        return 201, {}, b""


def _run_ids(value: Any) -> Iterator[str]:
    """Yield the identifiers of the runs that were posted, which are facts of what is sent."""
    if isinstance(value, dict):
        if isinstance(known := value.get("openlineage_run_id"), str):
            yield known
        for part in value.values():
            yield from _run_ids(part)
    elif isinstance(value, list):
        for part in value:
            yield from _run_ids(part)


def test_servers_behind_are_stopped_and_started_every_minute(broker: Broker, tmp_path: Path) -> None:
    topic = f"soak-{os.getpid()}-{int(SECONDS)}"
    broker.create_topic(topic)
    sent: list[str] = []
    sizes: list[int] = []
    with Receiver() as receiver:
        bridge = BridgeProcess(
            tmp_path,
            settle=1.0,
            atlas_client_type="kafka",
            atlas_kafka_bootstrap_servers=broker.bootstrap,
            atlas_notification_hook_topic_name=topic,
            atlas_also="openlineage",
            atlas_hook_spark_openlineage_url=receiver.address,
        )
        is_over = threading.Event()
        servers = threading.Thread(target=_stop_and_start, args=(broker, receiver, is_over))
        servers.start()
        try:
            connection = HTTPConnection("127.0.0.1", bridge.port, timeout=60)
            begin = time.time()
            for number, line in enumerate(events(int(RATE * SECONDS / len(STATES)), JOBS, COLUMNS)):
                time.sleep(max(0.0, begin + number / RATE - time.time()))  # the rate; nothing is judged by it
                connection.request("POST", "/api/v1/lineage", line)
                answer = connection.getresponse()
                assert (answer.status, answer.read()) == (201, b"")
                sent.append(json.loads(line)["run"]["runId"])
                if number % int(RATE * 5) == 0:
                    sizes.append(_resident_bytes(bridge.process.pid))
        finally:
            is_over.set()
            servers.join()
        expected = set(sent)
        arrived: Counter[str] = Counter()

        def are_there() -> bool:
            arrived.clear()
            arrived.update(run for value in broker.read_all(topic) for run in _run_ids(json.loads(value)))
            return arrived.keys() >= expected

        until(are_there, lambda: f"{len(expected - arrived.keys())} of {len(expected)} runs", progress=arrived.total)
        until(lambda: receiver.runs >= expected, lambda: f"{len(expected - receiver.runs)} of {len(expected)} runs")
        bridge.end(signal.SIGTERM)
    warm = sizes[len(sizes) // 4 :]
    first, last = warm[: len(warm) // 3], warm[-len(warm) // 3 :]
    print(
        f"{len(sent)} events, {len(expected)} runs, {arrived.total() - len(expected)} sent again; resident MB, highest of "
        f"each third: {[max(part) // MIB for part in (first, warm[len(first) : -len(last)], last)]}"
    )
    assert arrived.keys() == expected
    assert max(last) < MAX_GROWTH * max(first)


def _stop_and_start(broker: Broker, receiver: Receiver, is_over: threading.Event) -> None:
    while not is_over.wait(CYCLE_SECONDS - DOWN_SECONDS):
        broker.kill()
        receiver.is_up.clear()
        is_over.wait(DOWN_SECONDS)
        broker.restart()
        receiver.is_up.set()


def _resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
