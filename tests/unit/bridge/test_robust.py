"""Whatever clients send, the bridge is not down afterwards: each request is accepted or refused, and counted. A real process."""

from __future__ import annotations

import gzip
import json
import os
import resource
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.bridges import BridgeProcess
from tests.helpers.waiting import until
from tests.unit.openlineage.small_events import dataset, event, schema

pytestmark = pytest.mark.full

MANY = 10_000
FEW_FILES = 190
"""So many that the bridge accepts 60 connections."""


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[BridgeProcess]:
    running = BridgeProcess(tmp_path)
    yield running
    if running.process.poll() is None:
        running.end(signal.SIGTERM)


def flow(name: str, columns: int = 1) -> Any:
    names = [f"c{number}" for number in range(columns)]
    source = {"namespace": "hive://m1:9083", "name": "raw.a"}
    fields = {
        each: {"inputFields": [{**source, "field": each, "transformations": [{"subtype": "IDENTITY"}]}]}
        for each in names
    }
    facets = {"schema": schema(*names), "columnLineage": {"fields": fields}}
    return event(run=name, job=name, inputs=[dataset("raw.a", schema=schema(*names))],
                 outputs=[dataset(f"mart.{name}", **facets)])  # fmt: skip


def assert_is_up(bridge: BridgeProcess, name: str = "after") -> None:
    assert bridge.request("GET", "/health")[0] == 200
    assert bridge.post(flow(name)) == 201
    until(lambda: any(each.endswith(f"mart.{name}") for each in bridge.flows()))


def test_bodies_that_are_too_large_or_no_events(bridge: BridgeProcess) -> None:
    large = json.dumps(flow("large")).encode() + b" " * 50_000_000
    bomb = gzip.compress(b" " * 200_000_000, 1)
    refused = [
        bridge.request("POST", "/api/v1/lineage", body, **headers)[0]
        for body, headers in (
            *((large, {}), (bomb, {"Content_Encoding": "gzip"}), (b"{" * 100_000, {}), (b"[" * 100_000, {})),
            *((b'{"run": {"runId": "r"', {}), (b"\xff\xfe\x00", {}), (b"", {}), (b"null", {}), (b"1e999", {})),
        )
    ]
    assert refused == [413, 413, *[400] * 7]
    assert_is_up(bridge)
    metrics = bridge.request("GET", "/metrics")[1].decode()
    assert 'reason="requests refused: 413"} 2' in metrics
    assert 'reason="requests refused: 400"} 7' in metrics


@pytest.mark.exhaustive
def test_event_with_ten_thousand_columns(bridge: BridgeProcess) -> None:
    assert bridge.post(flow("wide", MANY)) == 201
    assert_is_up(bridge)
    assert any(each.endswith("mart.wide") for each in bridge.flows())


def test_connections_beyond_the_limit_of_open_files_are_refused(tmp_path: Path) -> None:
    bridge = BridgeProcess(tmp_path, files=FEW_FILES)
    with ExitStack() as opened:
        clients = [
            opened.enter_context(socket.create_connection(("127.0.0.1", bridge.port), timeout=60))
            for _ in range(FEW_FILES)
        ]
        until(lambda: any(is_closed(each) for each in clients))
    assert_is_up(bridge)
    bridge.end(signal.SIGTERM)


def is_closed(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return not client.recv(1)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@pytest.mark.exhaustive
def test_ten_thousand_idle_connections(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < MANY + 1_000:
        pytest.skip(f"{hard} open files are allowed, which are too few for {MANY} connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (MANY + 1_000, hard))
    try:
        bridge = BridgeProcess(tmp_path)
        with ExitStack() as opened:
            for _ in range(MANY):
                opened.enter_context(socket.create_connection(("127.0.0.1", bridge.port), timeout=60))
            assert_is_up(bridge, "during")
        assert_is_up(bridge)
        bridge.end(signal.SIGTERM)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_full_disk_refuses_and_recovers(tmp_path: Path) -> None:
    bridge = BridgeProcess(tmp_path, settle=3_600.0, atlas_hook_spark_spool_max_bytes="100000")
    statuses = [bridge.post(event("START", run=f"r{number}", job="j" * 3_000)) for number in range(60)]
    assert set(statuses) == {201, 503}
    assert statuses == sorted(statuses)
    bridge.end(signal.SIGKILL)
    following = BridgeProcess(tmp_path)
    assert_is_up(following)
    following.end(signal.SIGTERM)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_disk_without_room_refuses_with_a_reason_and_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "none", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no mounts")
    try:
        bridge = BridgeProcess(tmp_path, settle=2.0, atlas_hook_spool_dir=str(disk))
        starts = [event("START", run=f"r{number}", job=f"j{number}", inputs=[dataset("raw.a")]) for number in range(5)]
        assert {bridge.post(value) for value in starts} == {201}
        (disk / "other").write_bytes(b"x" * 1_500_000)
        confirmed = []
        for number in range(1_000):
            status, body = bridge.request("POST", "/api/v1/lineage", json.dumps(flow(f"n{number}", 40)).encode())
            if status != 201:
                break
            confirmed.append(f"n{number}")
        assert confirmed
        assert (status, "No space left on device" in json.loads(body)["error"]) == (503, True)
        (disk / "other").unlink()
        assert {bridge.post(flow(f"later{number}")) for number in range(5)} == {201}
        for number in range(5):
            outputs = [dataset(f"mart.r{number}")]
            assert bridge.post(event(run=f"r{number}", job=f"j{number}", second=1, outputs=outputs)) == 201
        expected = {*confirmed, *(f"later{number}" for number in range(5)), *(f"r{number}" for number in range(5))}
        until(lambda: {label.rpartition("mart.")[2] for label in bridge.flows()} == expected)
        assert set(bridge.flows().values()) == {1}
        assert bridge.flows()["prod/j3: raw.a -> mart.r3"] == 1
        bridge.end(signal.SIGTERM)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
