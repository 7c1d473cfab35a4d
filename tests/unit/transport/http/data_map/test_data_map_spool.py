"""The spool behind the Data Map: nothing is lost, the order stays, and no end of a driver waits for it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.http.client import HttpServer
from sac_kafka.transport.http.data_map.server import DataMapServer
from sac_kafka.transport.http.data_map.transport import DataMapTransport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool
from tests.helpers import waiting
from tests.helpers.seeds import seed
from tests.helpers.spool_options import options_in
from tests.unit.transport.http.data_map.bench import creation, deletion, entity, flow, partial_update, path, settings_of
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer, Reply

MESSAGES = 120
SEED = 900_000
TYPE = "azure_sql_table"


def spool_of(server: DataMapHttpServer, account: DataMap, folder: Path, application: str, **keys: str) -> Spool:
    settings = settings_of(server, account, **{"atlas.hook.spool.dir": str(folder), **keys})
    return Spool(make_transport(settings), options_of(settings), application)


def until(spool: Spool, is_over: Callable[[], bool]) -> None:
    def is_over_now() -> bool:
        spool.service(0)
        return is_over()

    waiting.until(is_over_now, lambda: (spool.problem(), spool.counts))


def versions(account: DataMap, name: str) -> list[int]:
    """Return the values of an entity's attribute `n`, in the order of the requests."""
    return [each["n"] for each in account.stored[TYPE, name].history]


@pytest.mark.slow
def test_spooled_messages_go_out_before_later_ones_once_the_account_accepts(
    account: DataMap, server: DataMapHttpServer, tmp_path: Path
) -> None:
    account.replies = [Reply(503), Reply(cut=True, done=True)]
    settled: list[Failure | None] = []
    spool = spool_of(server, account, tmp_path / "spool", "app-1")
    for n in range(20):
        spool.send(creation(entity(TYPE, "t", "-1", n=n)), settled.append)
        if n % 5 == 0:
            spool.service(0)
    until(spool, lambda: len(settled) == 20)
    spool.close(5)
    assert settled == [None] * 20
    assert sorted(set(versions(account, "t"))) == list(range(20))
    assert versions(account, "t") == sorted(versions(account, "t"))
    assert list((tmp_path / "spool").rglob("*.avro")) == []


def test_a_refused_entity_is_set_aside_with_its_message_and_its_reason_and_counted(
    account: DataMap, server: DataMapHttpServer, tmp_path: Path
) -> None:
    account.types -= {"spark_process"}
    settled: list[Failure | None] = []
    spool = spool_of(server, account, tmp_path / "spool", "app-1")
    spool.send(creation(*flow("daily")), settled.append)
    spool.send(creation(path("other")), settled.append)
    spool.flush(5)
    assert (spool.counts["rejected"], spool.counts["delivered"]) == (1, 1)
    [(reason, count)] = spool.reasons_by_kind["rejected"].items()
    assert count == 1
    assert reason.endswith("refused: spark_process daily of 3 entities")
    spool.close(5)
    assert [path.parent.name for path in (tmp_path / "spool").rglob("*.avro")] == ["rejected"]
    assert len(account.names) == 3


def test_a_message_that_always_times_out_delays_no_other(
    account: DataMap, server: DataMapHttpServer, tmp_path: Path
) -> None:
    account.refuses = lambda each: (504, "", "") if each["attributes"]["qualifiedName"] == "large" else None
    clock = [0.0]
    spool = stepped(server, account, tmp_path, clock)
    settled: list[tuple[str, Failure | None]] = []
    for name in ("large", "a", "b"):
        spool.send(creation(entity(TYPE, name, "-1")), lambda failure, name=name: settled.append((name, failure)))
    for _ in range(200):
        clock[0] += 1
        spool.service(0)
    spool.close(5)
    assert {name for name, failure in settled if failure is None} == {"a", "b"}
    [refused] = [failure for _, failure in settled if failure is not None]
    assert "lower atlas.notification.message.max.length.bytes" in str(refused)
    assert spool.counts["rejected"] == 1


def stepped(server: DataMapHttpServer, account: DataMap, folder: Path, clock: list[float]) -> Spool:
    """Return a spool whose pauses end when the test wants."""
    client = DataMapServer(HttpServer(address=server.address, token=account.token))
    sent = DataMapTransport(client, body_bytes=100_000, timeout_seconds=waiting.LONG_SECONDS, clock=lambda: clock[0])
    return Spool(sent, options_in(folder / "spool", retry_ms=1000), "app", ticks=lambda: clock[0])


def fault(chance: random.Random) -> Reply | None:
    """Fail one request in three."""
    return chance.choice(
        [
            *[None] * 16,
            Reply(429, None, {"Retry-After": "2"}),
            Reply(503),
            Reply(500),
            Reply(409),
            Reply(401),
            Reply(cut=True),
            Reply(cut=True, done=True),
            Reply(502, done=True),
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, *(pytest.param(each, marks=pytest.mark.nightly) for each in range(1, 25))])
def test_random_faults_lose_nothing_and_keep_the_order(
    account: DataMap, server: DataMapHttpServer, tmp_path: Path, number: int
) -> None:
    drawn_from = seed(SEED) + number
    chance, clock = random.Random(drawn_from), [0.0]
    spool = stepped(server, account, tmp_path, clock)
    settled: dict[int, Failure | None] = {}
    tables = [f"table{n}" for n in range(7)]
    for table in tables:
        spool.send(creation(entity(TYPE, table, "-1", n=-1)), lambda failure: None)
    spool.flush(5)
    last: dict[str, int] = {}
    for n in range(MESSAGES):
        table = chance.choice(tables)
        last[table] = n
        changed = partial_update(TYPE, table, n=n) if n % 3 else creation(entity(TYPE, table, "-1", n=n))
        account.replies = [fault(chance) for _ in range(5)]
        spool.send(changed, lambda failure, n=n: settled.__setitem__(n, failure))
        clock[0] += chance.random()
        spool.service(0)
    for _ in range(20_000):
        if len(settled) == MESSAGES:
            break
        account.replies = [fault(chance)]
        clock[0] += 1
        spool.service(0)
    spool.close(5)
    assert len(account.requests) > 1.3 * MESSAGES
    assert settled == dict.fromkeys(range(MESSAGES), None), f"seed {drawn_from}"
    for table in tables:
        sent_versions = versions(account, table)
        assert sent_versions == sorted(sent_versions), f"seed {drawn_from}"
        assert sent_versions[-1] == last[table]
    assert {n for table in tables for n in versions(account, table)} >= set(range(MESSAGES)), f"seed {drawn_from}"
    assert spool.counts["rejected"] == spool.counts["dropped"] == 0


_DRIVER = """
import sys, json
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool

properties, values = json.loads(sys.stdin.read())
settings = Settings.read(properties, "stdin")
spool = Spool(make_transport(settings), options_of(settings), "app-1")
for value in values:
    spool.send(Record("ATLAS_HOOK", b"app", (value.encode(),)), lambda failure: None)
    spool.service(0)
"""


@pytest.mark.slow
def test_a_driver_that_is_killed_in_the_middle_loses_nothing(
    account: DataMap, server: DataMapHttpServer, tmp_path: Path
) -> None:
    records = [creation(entity(TYPE, "t", "-1", n=n)) for n in range(40)]
    account.replies = [Reply(done=True)] * 10
    account.always = Reply(hangs=True, done=True)  # it is killed before it comes to its last one
    properties = {
        "atlas.client.type": "purview",
        "atlas.rest.address": server.address,
        "atlas.hook.spark.rest.token": account.token,
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
        "atlas.hook.spark.durability": "spool-first",
    }
    command = [sys.executable, "-c", _DRIVER]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert child.stdin is not None
    child.stdin.write(json.dumps([properties, [each.values[0].decode() for each in records]]).encode())
    child.stdin.close()
    waiting.until(lambda: len(account.requests) > 10, seconds=300)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    account.always = None
    sent = max(versions(account, "t"))
    assert sent < 39
    second = spool_of(server, account, tmp_path / "spool", "app-2", **{"atlas.hook.spark.durability": "spool-first"})
    second.send(creation(entity(TYPE, "t", "-1", n=40)), lambda failure: None)
    until(second, lambda: versions(account, "t")[-1] == 40)
    second.close(5)
    sent_versions = versions(account, "t")
    written = sorted(set(sent_versions))
    assert written == [*range(len(written) - 1), 40]  # as far as the driver had come
    assert len(written) - 1 > sent
    assert list((tmp_path / "spool").glob("*.avro")) == []


def test_a_driver_ends_in_time_while_the_account_does_not_answer(
    account: DataMap, server: DataMapHttpServer, tmp_path: Path
) -> None:
    account.always = Reply(hangs=True)  # until the test has ended: a driver that waits for it would hang, too
    patient = {"atlas.hook.spark.rest.timeout.seconds": "600"}
    spool = spool_of(server, account, tmp_path / "spool", "app-1", **patient)
    for n in range(30):
        spool.send(creation(entity(TYPE, "t", "-1", n=n)), lambda failure: None)
    spool.flush(0.1)
    spool.close(0.1)
    assert len(list((tmp_path / "spool").glob("*.avro"))) == 1
    again = spool_of(server, account, tmp_path / "spool", "app-2")
    account.always = None
    again.send(creation(entity(TYPE, "t", "-1", n=30)), lambda failure: None)
    until(again, lambda: (TYPE, "t") in account.stored and versions(account, "t")[-1] == 30)
    again.close(60)
    assert versions(account, "t") == list(range(31))


def test_deletions_keep_their_place(account: DataMap, server: DataMapHttpServer, tmp_path: Path) -> None:
    account.replies = [Reply(503)]
    spool = spool_of(server, account, tmp_path / "spool", "app-1")
    settled: list[Failure | None] = []
    records: list[Record] = [
        creation(entity(TYPE, "t", "-1", n=0)),
        deletion((TYPE, "t")),
        creation(entity(TYPE, "t", "-1", n=1)),
    ]
    for each in records:
        spool.send(each, settled.append)
        spool.service(0)
    until(spool, lambda: len(settled) == 3)
    spool.close(5)
    assert versions(account, "t") == [1]
    assert account.methods()[1:] == ["POST bulk", f"DELETE uniqueAttribute/type/{TYPE}", "POST bulk"]
