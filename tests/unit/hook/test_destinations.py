"""Several destinations of one hook: nothing that happens to one of them delays or loses anything of another."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.settings import Settings
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stages.output import Jobs, Outgoing, Position, Settle
from sac_kafka.stats import ended_as_text
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.spool import Spool
from sac_kafka.transport.threaded import ThreadedTransport
from tests.helpers.fake_driver import FakeDriver
from tests.helpers.messages import validated
from tests.helpers.spool_options import options_in
from tests.helpers.spooled import kept
from tests.helpers.waiting import LONG_SECONDS, until
from tests.helpers.workers import Bench, Script, batch

BATCHES = ("join", "ctas", "insert_by_name")


class Fault(MemoryTransport):
    """A transport that fails in one way until it is mended."""

    def __init__(self, fail: Callable[[DeliveryCallback], None]) -> None:
        super().__init__()
        self.fail: Callable[[DeliveryCallback], None] | None = fail

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        if self.fail is not None:
            self.fail(outcome)
        else:
            super().send(record, outcome)


def _is_down(outcome: DeliveryCallback) -> None:
    outcome(Failure(FailureKind.TRANSIENT, "no broker"))


def _refuses(outcome: DeliveryCallback) -> None:
    outcome(Failure(FailureKind.REJECTED, "not allowed"))


def _needs_a_person(outcome: DeliveryCallback) -> None:
    outcome(Failure(FailureKind.NEEDS_ACTION, "wrong password"))


def _raises(outcome: DeliveryCallback) -> None:
    raise OSError("against the contract")


FAULTS = (_is_down, _refuses, _needs_a_person, pytest.param(_raises, marks=pytest.mark.planted))


class Two:
    """A worker with two destinations; the second, `archive`, is the one that something happens to."""

    def __init__(self, folder: Path, transport: object, script: Script, retry_ms: int = 30_000) -> None:
        self.bench = Bench(folder / "first", script)
        output = AtlasOutput(self.bench.output.context)
        self.spool = Spool(transport, options_in(folder / "archive", retry_ms=retry_ms), "local-1")  # type: ignore[arg-type]
        self.archive = self.bench.to(self.spool, output, "archive")
        self.bench.worker._destinations = (self.bench.destination, self.archive)

    def run(self) -> list[dict]:
        self.bench.worker.run()
        return [json.loads(value) for r in self.bench.transport.records for value in r.values]


def _alone(folder: Path) -> list[dict]:
    return Bench(folder, Script(map(batch, BATCHES))).run()


def _bodies(messages: list[dict]) -> list[object]:
    return [each["message"] for each in messages]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("is_threaded", [False, True])
def test_a_fault_of_one_destination_changes_nothing_for_another(
    fault: Callable[[DeliveryCallback], None], *, is_threaded: bool, tmp_path: Path
) -> None:
    transport = Fault(fault)
    two = Two(tmp_path, ThreadedTransport(transport) if is_threaded else transport, Script(map(batch, BATCHES)))
    expected = _alone(tmp_path / "alone")

    assert _bodies(two.run()) == _bodies(expected)

    assert two.bench.destination.counts["delivered"] == len(expected)
    counts = two.archive.counts
    assert counts["delivered"] == 0
    assert counts["spooled"] + counts["rejected"] + counts["dropped"] >= len(expected)
    assert not kept(tmp_path / "first")


@pytest.mark.parametrize("failures", range(1, 4))
def test_a_spool_drains_by_itself_without_losing_or_doubling_a_message(failures: int, tmp_path: Path) -> None:
    left = iter(range(failures))
    transport = Fault(_is_down)

    def fail(outcome: DeliveryCallback) -> None:
        _is_down(outcome)
        if next(left, None) is None:
            transport.fail = None

    transport.fail = fail
    two = Two(tmp_path, transport, Script([*map(batch, BATCHES), None, None]), retry_ms=0)
    first = two.run()

    assert two.archive.counts == {**two.bench.destination.counts, "delivered": len(transport.records)}
    values = [value for r in transport.records for value in r.values]
    assert len(values) == len(set(values))
    assert [each["message"]["type"] for each in validated(values)] == [each["message"]["type"] for each in first]


def test_a_transport_that_hangs_delays_nothing_of_another_destination(tmp_path: Path) -> None:
    go = threading.Event()
    transport = Fault(lambda _: go.wait(LONG_SECONDS))
    two = Two(tmp_path, ThreadedTransport(transport), Script(map(batch, BATCHES)))
    try:
        assert _bodies(two.run()) == _bodies(_alone(tmp_path / "alone"))
        assert two.archive.counts["spooled"] > 0  # at the end of the application
    finally:
        go.set()


def test_what_one_destination_has_is_not_omitted_for_another(tmp_path: Path) -> None:
    two = Two(tmp_path, MemoryTransport(), Script([batch("join"), batch("join")]))
    first = two.run()
    second = [json.loads(value) for r in two.spool.wrapped.records for value in r.values]  # type: ignore[attr-defined]
    assert _bodies(first) == _bodies(second)


@pytest.mark.planted
def test_a_failed_output_costs_only_its_own_messages(tmp_path: Path) -> None:
    class Broken:
        counts: Mapping[str, int] = MappingProxyType({})

        def messages(self, step: ScheduledOutcome, now_ms: int) -> tuple[Outgoing, ...]:
            raise ValueError("planted")

        def delayed(self, now_ms: int, *, everything: bool) -> tuple[Outgoing, ...]:
            return ()

        def at_the_end(self, jobs: Jobs, status: str, now_ms: int) -> tuple[Outgoing, ...]:
            return (Outgoing(value=f"{status} {len(list(jobs))}", type="LINE", application_id="local-1"),)

        def values(self, message: Outgoing) -> tuple[bytes, ...]:
            return (message.value.encode(),)

        def sending(self, message: Outgoing, now_ms: int) -> Settle:
            return lambda _: None

        def delivered(self, position: Callable[[], Position | None]) -> None:
            pass

        def close(self) -> None:
            raise ValueError("planted, too")

    two = Two(tmp_path, MemoryTransport(), Script(map(batch, BATCHES)))
    broken = two.bench.to(two.spool, Broken(), "archive")
    two.bench.worker._destinations = (two.bench.destination, broken)

    assert _bodies(two.run()) == _bodies(_alone(tmp_path / "alone"))
    assert two.spool.wrapped.records[0].values == (b"finished 1",)  # type: ignore[attr-defined]
    completeness = two.bench.pipeline.stats.writes.total
    assert completeness["with_column_lineage"] == completeness["writes"] == 3  # the lineage itself was not lost
    assert broken.stats()["message_types"] == {"LINE": 1}
    assert set(two.bench.guard.counts) == {"entities: ValueError", "remember: ValueError"}


# ---- a transport in a thread


class Recorder(MemoryTransport):
    """Notes the thread of each call."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: set[str] = set()

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        self.threads.add(threading.current_thread().name)
        super().send(record, outcome)

    def close(self, timeout_seconds: float) -> None:
        self.threads.add(threading.current_thread().name)


def _records(number: int) -> list[Record]:
    return [Record("T", b"k", (str(n).encode(),)) for n in range(number)]


def test_calls_are_made_by_the_thread_and_outcomes_reported_by_the_caller() -> None:
    wrapped, reported = Recorder(), list[tuple[str, Failure | None]]()
    transport = ThreadedTransport(wrapped)
    for record in _records(100):
        transport.send(record, lambda failure: reported.append((threading.current_thread().name, failure)))
    assert transport.flush(LONG_SECONDS) == 0
    assert reported == [(threading.current_thread().name, None)] * 100
    assert wrapped.records == _records(100)
    transport.close(LONG_SECONDS)
    assert wrapped.threads == {"sac-kafka-destination"}
    until(lambda: not transport._thread.is_alive())


def test_records_without_an_outcome_fail_at_the_close() -> None:
    class Silent(MemoryTransport):
        def send(self, record: Record, outcome: DeliveryCallback) -> None:
            pass

    reported: list[Failure | None] = []
    transport = ThreadedTransport(Silent())
    transport.send(_records(1)[0], reported.append)
    assert transport.flush(0.01) == 1
    transport.close(0.01)
    transport.close(0.01)
    transport.send(_records(1)[0], reported.append)
    assert [each is not None and each.kind for each in reported] == [FailureKind.TRANSIENT] * 2


def test_the_position_is_that_of_the_last_outcome() -> None:
    class Positioned(MemoryTransport):
        def position(self) -> Position:
            return Position("log", 0, len(self.records))

    transport = ThreadedTransport(Positioned())
    assert transport.position() is None
    for record in _records(3):
        transport.send(record, lambda _: None)
    assert transport.flush(LONG_SECONDS) == 0
    assert transport.position() == Position("log", 0, 3)
    transport.close(LONG_SECONDS)


# ---- from the settings


def test_further_destinations_are_made_from_the_settings(tmp_path: Path) -> None:
    keys = {
        "atlas.client.type": "memory",
        "atlas.metadata.namespace": "test",
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
        "atlas.also": "archive, purview",
        "atlas.also.archive.client.type": "file",
        "atlas.also.archive.client.file.path": str(tmp_path / "archive.jsonl"),
        "atlas.also.purview.client.type": "memory",
        "atlas.also.purview.hook.spark.dialect": "purview",
    }
    parts = assemble(FakeDriver(), Settings.read(keys, "a test"), Guard())
    for line in batch("join").splitlines():
        parts.worker._take(parts.worker._source.read(line, lambda _: None))
    for each in parts.destinations:
        assert not each.flush(LONG_SECONDS)
    stats = parts.stats({})
    assert [each["name"] for each in stats["destinations"]] == ["", "archive", "purview"]
    assert [each["messages"]["delivered"] for each in stats["destinations"]] == [1, 1, 1]
    assert stats["messages"]["delivered"] == 3
    directories = {each["spool"]["directory"] for each in stats["destinations"]}
    assert {directory.removeprefix(str(tmp_path)) for directory in directories} == {
        "/spool",
        "/spool/also-archive",
        "/spool/also-purview",
    }
    first, second = (each.spool.wrapped.wrapped for each in (parts.destinations[0], parts.destinations[2]))  # type: ignore[attr-defined]
    (written,) = (tmp_path / "archive.jsonl").read_text("utf-8").splitlines()
    assert json.loads(written)["message"] == first.messages()[0]["message"]
    assert '"purview' in json.dumps(second.messages()) or second.messages() != first.messages()
    text = ended_as_text(stats, {})
    assert "to the first destination (memory) 1 delivered, to archive (file" in text
    parts.dismantle(Guard())


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"atlas.also": "Archive!"}, "atlas.also = Archive!: must be at most 8 names"),
        ({"atlas.also.archive.client.type": "file"}, "atlas.also does not list archive"),
        (
            {"atlas.also": "archive", "atlas.also.archive.client.tpye": "file"},
            "atlas.client.tpye is no setting of a single destination",
        ),
        (
            {"atlas.also": "archive", "atlas.also.archive.hook.spark.include": "path:x"},
            "atlas.hook.spark.include is no setting of a single destination",
        ),
        (
            {"atlas.also": "archive", "atlas.also.archive.client.type": "carrier-pigeon"},
            "atlas.also.archive.client.type: atlas.client.type = carrier-pigeon",
        ),
    ],
)
def test_wrong_settings_of_a_destination_are_one_clear_error(keys: dict[str, str], problem: str) -> None:
    with pytest.raises(Exception, match=r"(?s).") as raised:
        Settings.read({"atlas.client.type": "memory", **keys}, "/x/f.properties")
    assert problem in str(raised.value)
    assert str(raised.value).startswith("/x/f.properties")


def test_a_destination_named_like_a_sink_needs_no_type_and_inherits_the_rest() -> None:
    keys = {
        "atlas.kafka.bootstrap.servers": "b:1",
        "atlas.also": "rest",
        "atlas.also.rest.rest.address": "http://a:21000",
    }
    settings = Settings.read(keys, "a test")
    ((name, rest),) = settings.further()
    assert (name, rest.sink.client_type.value, rest.rest.address) == ("rest", "rest", "http://a:21000")
    assert rest.kafka.properties == settings.kafka.properties
    assert "21000" not in repr(settings.source)


def test_what_was_sent_is_verified_at_the_destination_that_is_named(tmp_path: Path) -> None:
    keys = {
        "atlas.client.type": "memory",
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
        "atlas.rest.address": "http://127.0.0.1:1",
        "atlas.also": "other, purview, openlineage",
        "atlas.also.other.client.type": "memory",
        "atlas.also.other.rest.address": "http://127.0.0.1:2",
        "atlas.also.purview.client.type": "memory",
        "atlas.also.purview.hook.spark.dialect": "purview",
        "atlas.also.openlineage.client.type": "memory",
        "atlas.also.openlineage.hook.spark.dialect": "openlineage",
    }
    parts = assemble(FakeDriver(), Settings.read(keys, "a test"), Guard())
    for line in batch("join").splitlines():
        parts.worker._take(parts.worker._source.read(line, lambda _: None))
    expected = {
        "": "127.0.0.1:1",
        "other": "127.0.0.1:2",
        "purview": "cannot be verified",
        "openlineage": "nothing to verify",
        "missing": "atlas.also has no destination missing",
    }
    for name, problem in expected.items():
        assert problem in str(parts.verify(0.0, name).problem), name
    parts.dismantle(Guard())
