"""The worker on recorded batches: no Java, a transport in memory."""

from __future__ import annotations

import errno
import io
import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.errors import ProjectionError
from sac_kafka.guard import Guard
from sac_kafka.lineage.model import Application
from sac_kafka.pipeline import Pipeline
from sac_kafka.recording import Recording, read_recording, recorded_application, replay
from sac_kafka.settings import Settings
from sac_kafka.spark.listener import GoneError
from sac_kafka.transport.base import DeliveryCallback, Failure, MessageKind, Record, Trouble
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.spool import Spool
from sac_kafka.transport.spool.under_way import WAITS
from sac_kafka.worker import NOT_HANDLED, Worker
from tests.judge.judging import judge
from tests.messages import entities, names, validated
from tests.spool_options import options_in
from tests.spooled import kept, texts

APPLICATION = Application(job="job", application_id="local-1", name="job 2026-11-21", user="me", spark_version="4.3.0")
BATCHES = Path(__file__).parent / "fixtures" / "batches" / "4.3.0"
END = '["end"]'


class Script:
    """A listener that says what it is told to say, then that the application has ended."""

    def __init__(self, texts: Iterable[str | Exception | None], before_end: Callable[[], None] = lambda: None) -> None:
        self.texts = [*texts, before_end, END]
        self.marks: list[int] = []

    def poll(self, wait_ms: int) -> str | None:
        said = self.texts.pop(0)
        if isinstance(said, Exception):
            raise said
        if callable(said):
            said()
            return None
        return said

    def mark(self, marker: int) -> None:
        self.marks.append(marker)
        self.texts.insert(0, f'["marker",{marker}]')


def told(spool: Spool) -> dict[str, int]:
    """What became of messages; kinds of which there is none are left out."""
    return {kind: count for kind, count in spool.counts.items() if count}


def batch(name: str) -> str:
    return (BATCHES / f"{name}.txt").read_text().strip()


class Bench:
    """A worker with everything around it."""

    def __init__(
        self,
        tmp_path: Path,
        script: Script,
        transport: MemoryTransport | None = None,
        retry_seconds: float = 30.0,
        recorder: TextIO | None = None,
    ) -> None:
        settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")
        self.transport = transport or MemoryTransport()
        self.guard = Guard()
        self.pipeline = Pipeline(
            context_of(APPLICATION, settings.names, settings.content), settings.sink.topic, guard=self.guard
        )
        self.spool = Spool(self.transport, options_in(tmp_path, retry_ms=int(retry_seconds * 1000)), "local-1")
        self.worker = Worker(script, self.pipeline, self.spool, self.guard, 1.0, recorder=recorder)

    def run(self) -> list[dict]:
        self.worker.run()
        return validated(value for r in self.transport.records for value in r.values)


def test_r30_messages_of_an_application_have_one_key(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("ctas"), batch("join")]))

    messages = bench.run()

    assert {r.key for r in bench.transport.records} == {b"local-1"}
    assert len(names(messages, "spark_process")) == 2
    assert told(bench.spool) == {"delivered": 2}
    assert bench.worker.done.is_set()


def test_columns_are_sent_once(tmp_path: Path) -> None:
    messages = Bench(tmp_path, Script([batch("join")] * 2)).run()

    columns = [[e["typeName"] for e in entities([m])].count("spark_column") for m in messages]
    assert columns[0] > 0
    assert columns[1] == 0


def test_a_record_says_what_it_is_about_and_since_when(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("ctas"), batch("table_changes"), batch("database_changes")]))
    before = int(time.time() * 1000)

    messages = bench.run()

    records = bench.transport.records
    kinds = {record.kind for record in records}
    assert kinds == {MessageKind.FLOW, MessageKind.CATALOG}
    for record, message in zip(records, messages, strict=True):
        assert before <= record.created_ms <= time.time() * 1000
        has_process = "ENTITY_CREATE" in message["message"]["type"] and names([message], "spark_process")
        assert (record.kind is MessageKind.FLOW) == bool(has_process)


def test_a_message_that_is_too_long_is_sent_in_parts(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("ctas")]))
    whole = Bench(tmp_path, Script([batch("ctas")])).run()
    short = replace(bench.pipeline.context.content, message_max_bytes=1_500, message_compression=False)
    bench.pipeline.context = replace(bench.pipeline.context, content=short)

    bench.worker.run()

    records = [record for record in bench.transport.records if len(record.values) > 1]
    assert records
    assert told(bench.spool) == {"delivered": len(bench.transport.records)}
    for record in records:
        verdicts = judge().verdicts([value.decode() for value in record.values])
        assert verdicts[-1].result == "OK"
    assert names(whole, "spark_process")


class Failing(MemoryTransport):
    """Fails the first `count` records."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        if self.count:
            self.count -= 1
            outcome(Failure(Trouble.PASSING, "no broker"))
        else:
            super().send(record, outcome)


def test_what_was_not_delivered_is_kept_and_its_columns_are_sent_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("join")] * 2), Failing(3))

    assert bench.run() == []

    assert told(bench.spool) == {"spooled": 2}
    assert bench.spool.reasons == {"no broker": 2}
    first, second = validated(texts(kept(tmp_path)))
    assert names([first], "spark_column") == names([second], "spark_column") != set()


def test_what_was_kept_and_then_delivered_is_remembered(tmp_path: Path) -> None:
    script = Script([batch("join"), None, batch("join")])
    script.texts[1] = lambda: None  # time for the next attempt
    bench = Bench(tmp_path, script, Failing(1), retry_seconds=0.0)

    first, second = bench.run()

    assert told(bench.spool) == {"delivered": 2}
    assert (first["spooled"], second["spooled"]) == (True, False)
    assert names([first], "spark_column") != set() == names([second], "spark_column")


@pytest.mark.planted
@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("sac_kafka.plan.wire.read_line", "decode: ZeroDivisionError"),
        ("sac_kafka.lineage.actions.extract", "lineage: ZeroDivisionError"),
        ("sac_kafka.atlas.dialect.statement", "entities: ZeroDivisionError"),
        ("sac_kafka.transport.spool.spool.Spool.send", "send: ZeroDivisionError"),
        ("sac_kafka.atlas.memory.Remembered.confirm", "remember: ZeroDivisionError"),
        ("sac_kafka.transport.spool.spool.Spool.service", "transport: ZeroDivisionError"),
    ],
)
def test_an_error_costs_what_it_hits_and_is_counted(
    place: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def boom(*_: object, **__: object) -> object:
        return 1 // 0

    def mend() -> None:
        monkeypatch.undo()

    script = Script([batch("ctas")], mend)
    script.texts.insert(-1, batch("join"))
    bench = Bench(tmp_path, script)
    monkeypatch.setattr(place, boom)

    messages = bench.run()

    assert any("out/join" in name for name in names(messages, "spark_process"))
    assert bench.guard.counts[kind] >= 1
    assert len([r for r in caplog.records if r.levelno == logging.WARNING]) == len(bench.guard.counts)


@pytest.mark.planted
def test_a_line_that_cannot_be_read_costs_that_line_only(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script(['["event",1,[["o",7,[]]]]\nnot json\n["what"]\n' + batch("join")]))

    assert len(names(bench.run(), "spark_process")) == 1
    assert sum(bench.guard.counts.values()) == 3


def test_the_end_of_the_jvm_is_an_end(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("join"), GoneError("poll: connection refused")]))

    assert len(names(bench.run(), "spark_process")) == 1
    assert bench.guard.counts == {}


def test_flush_waits_for_its_marker_and_for_delivery(tmp_path: Path) -> None:
    class Bus(Script):
        def mark(self, marker: int) -> None:
            self.texts.insert(1, f'["marker",{marker}]')  # behind what is on the bus
            marked.set()

    marked = threading.Event()
    script = Bus([lambda: marked.wait(10)])
    bench = Bench(tmp_path, script)
    thread = threading.Thread(target=bench.run)
    thread.start()
    script.texts.insert(0, batch("join"))

    flushed = bench.worker.flush(10)

    thread.join(10)
    assert flushed is not None
    assert (flushed["delivered"], flushed["under_way"]) == (1, 0)
    assert bench.spool.counts["delivered"] == 1


def test_flush_gives_up_in_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([]))  # its thread does not run

    assert bench.worker.flush(0.1) is None


def test_who_leaves_gets_what_is_still_on_the_bus(tmp_path: Path) -> None:
    class Bus(Script):
        def mark(self, marker: int) -> None:
            super().mark(marker)
            self.texts.insert(0, batch("join"))

    bus = Bus([None])
    bench = Bench(tmp_path, bus)
    bench.worker.finish(5)

    messages = bench.run()

    assert len(names(messages, "spark_process")) == 1
    assert bus.texts[-1] == END  # it did not wait for the end of the application


def test_who_leaves_does_not_wait_for_a_jvm_that_is_gone(tmp_path: Path) -> None:
    class Dead(Script):
        def mark(self, marker: int) -> None:
            raise GoneError("mark: connection refused")

    bench = Bench(tmp_path, Dead([batch("join"), None, None]))
    bench.worker.finish(60)

    assert len(names(bench.run(), "spark_process")) == 1


def test_what_is_not_handled_in_time_is_counted(tmp_path: Path) -> None:
    script = Script(["\n".join([batch("join")] * 50)])
    bench = Bench(tmp_path, script)
    events = script.texts[0].count('["event"')
    handled: list[int] = []
    steps = bench.pipeline.steps

    def slow(*args: object) -> object:
        handled.append(1)
        time.sleep(0.02)
        return steps(*args)

    bench.pipeline.steps = slow
    bench.worker.finish(0.1)
    bench.run()

    assert 0 < len(handled) < events
    assert bench.worker.not_handled == {NOT_HANDLED: events - len(handled)}


def test_the_current_line_of_a_worker_that_hangs_counts_as_not_handled(tmp_path: Path) -> None:
    text = "\n".join([batch("join")] * 3)
    bench = Bench(tmp_path, Script([text]))
    hangs, go = threading.Event(), threading.Event()

    def hang(*_: object) -> tuple[()]:
        hangs.set()
        go.wait(10)
        return ()

    bench.pipeline.steps = hang
    thread = threading.Thread(target=bench.run)
    thread.start()
    assert hangs.wait(10)
    assert bench.worker.not_handled == {}
    bench.worker.finish(0)

    assert bench.worker.not_handled == {NOT_HANDLED: text.count('["event"')}
    go.set()
    thread.join(10)


@pytest.mark.parametrize(("answers", "expected"), [(False, {NOT_HANDLED: 1}), (True, {})])
def test_a_bus_that_does_not_come_to_the_marker_may_hold_events(
    answers: bool, expected: dict[str, int], tmp_path: Path
) -> None:
    class Slow(Script):
        def poll(self, wait_ms: int) -> str | None:
            time.sleep(0.01)
            return self.texts.pop(0) if len(self.texts) > 2 else None

        def mark(self, marker: int) -> None:
            if answers:
                super().mark(marker)

    bench = Bench(tmp_path, Slow([None, None]))
    bench.worker.finish(0.1)
    bench.run()
    bench.worker.finish(0)  # whenever it is looked at

    assert bench.worker.not_handled == expected


def test_the_end_of_the_application_leaves_nothing_unhandled(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("join")]))
    bench.run()
    bench.worker.finish(0)

    assert bench.worker.not_handled == {}


def test_of_several_times_to_finish_the_earliest_counts(tmp_path: Path) -> None:
    worker = Bench(tmp_path, Script([])).worker
    worker.finish(1)
    first = worker.finish_at
    worker.finish(60)
    assert worker.finish_at == first
    worker.finish(0)
    assert worker.finish_at < first


class Undelivered(MemoryTransport):
    """Has no outcome for any record; `flush` waits in vain."""

    flush_slice_seconds = 0.05

    def __init__(self) -> None:
        super().__init__()
        self.slices: list[float] = []

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        pass

    def flush(self, timeout_seconds: float) -> int:
        self.slices.append(timeout_seconds)
        time.sleep(timeout_seconds)
        return 1


def test_who_leaves_does_not_wait_for_a_flush_of_the_user(tmp_path: Path) -> None:
    transport = Undelivered()
    script = Script([None])
    bench = Bench(tmp_path, script, transport)
    flushed: list[object] = []
    user = threading.Thread(target=lambda: flushed.append(bench.worker.flush(30)))
    user.start()
    while not script.marks:
        time.sleep(0.01)
    script.texts.insert(0, batch("join"))
    threading.Timer(0.3, bench.worker.finish, [0.2]).start()
    start = time.monotonic()
    bench.worker.run()

    assert time.monotonic() - start < 5
    assert max(transport.slices) <= 1.0
    user.join(5)
    assert flushed == [None] or flushed[0]["under_way"] == 1  # type: ignore[index] # as the two ends meet
    assert told(bench.spool) == {"spooled": 1}


def test_a_flush_that_gives_up_is_not_begun_anew(tmp_path: Path) -> None:
    class Early(Undelivered):
        flush_slice_seconds = 1.0

        def flush(self, timeout_seconds: float) -> int:
            self.slices.append(timeout_seconds)
            return 1

    transport = Early()
    bench = Bench(tmp_path, Script([]), transport)
    bench.spool.send(Record("ATLAS_HOOK", None, (b"{}",)), lambda _: None)

    bench.worker._flush_until(time.monotonic() + 30)
    assert len(transport.slices) == 1


@pytest.mark.planted
def test_a_recording_that_cannot_be_closed_does_not_keep_the_worker(tmp_path: Path) -> None:
    class Full(io.StringIO):
        def close(self) -> None:
            raise OSError(errno.ENOSPC, "no space left")

    bench = Bench(tmp_path, Script([batch("join")]), recorder=Full())
    bench.run()

    assert bench.worker.done.is_set()
    assert bench.guard.counts == {"record: OSError": 1}


def test_what_the_listener_counts_is_known(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    script = Script(['["counters",{"dropped: hand-off full":3}]', '["stuck","a.b < c.d"]'])
    bench = Bench(tmp_path, script)

    bench.run()

    assert bench.pipeline.listener_counts == {"dropped: hand-off full": 3}
    assert "a.b < c.d" in caplog.text


def test_what_is_under_way_at_the_deadline_is_kept(tmp_path: Path) -> None:
    class Silent(MemoryTransport):
        def send(self, record: Record, outcome: DeliveryCallback) -> None:
            self.late = outcome

    transport = Silent()
    spool = Spool(transport, options_in(tmp_path), "local-1")
    settled: list[Failure | None] = []
    spool.send(Record("ATLAS_HOOK", None, (b"{}",)), settled.append)

    spool.abandon("out of time")
    transport.late(None)  # too late: it is counted once

    assert spool.under_way == 0
    assert told(spool) == {"spooled": 1}
    assert settled == [WAITS]


def test_a_recording_replays_without_java(tmp_path: Path) -> None:
    file = tmp_path / "batch.txt"
    file.write_text(recorded_application(APPLICATION) + "\n" + batch("union_all") + "\n" + batch("ctas") + "\n")
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")

    messages = validated(m.value for m in replay(read_recording(file), settings))

    assert len(names(messages, "spark_process")) == 2
    assert names(messages, "spark_application") == {"job@test"}


def test_a_recording_says_what_the_driver_has_said(tmp_path: Path) -> None:
    text = batch("union_all") + "\n" + batch("ctas")
    bench = Bench(tmp_path, Script([text]))
    bench.pipeline._clock = lambda: 7
    bench.run()
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")

    said = [m.value.encode() for m in replay(Recording(APPLICATION, text), settings, now_ms=7)]

    assert [b"".join(record.values) for record in bench.transport.records] == said != []


def test_a_line_that_cannot_be_replayed_is_named() -> None:
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")
    with pytest.raises(ProjectionError, match=r"^line 2 of the batch: JSONDecodeError"):
        list(replay(Recording(APPLICATION, '["counters",{}]\nnot json'), settings))


def test_query_text_is_bounded_and_can_be_switched_off(tmp_path: Path) -> None:
    file = tmp_path / "batch.txt"
    file.write_text(recorded_application(APPLICATION) + "\n" + batch("ctas"))
    texts = []
    for properties in ({}, {"atlas.hook.spark.query.text.max.length": "12"}, {"atlas.hook.spark.query.text": "off"}):
        settings = Settings.read({"atlas.metadata.namespace": "t", **properties}, "test")
        (process,) = entities(validated(m.value for m in replay(read_recording(file), settings)), "spark_process")
        texts.append(process["attributes"].get("queryText"))

    assert texts == [
        "create table ctas_t using parquet as select id, amount * 2 as twice, ? as fixed from orders",
        "create table",
        None,
    ]
