"""The worker on recorded batches, with an in-memory transport and without Java."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.spark.listener import GoneError
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, MessageKind, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from tests.helpers.judge.judging import judge
from tests.helpers.messages import entities, names, validated
from tests.helpers.spooled import kept, texts
from tests.helpers.workers import Bench, Script, batch, spool_counts


def test_r30_messages_of_an_application_have_one_key(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("ctas"), batch("join")]))

    messages = bench.run()

    assert {r.key for r in bench.transport.records} == {b"local-1"}
    assert len(names(messages, "spark_process")) == 2
    assert spool_counts(bench.spool) == {"delivered": 3}  # the last one has their completeness
    (application,) = entities([messages[-1]])
    assert application["typeName"] == "spark_application"
    assert application["customAttributes"]["writes_with_column_lineage"] == "2"
    assert bench.worker.done.is_set()


def test_delivered_lines_are_confirmed_to_the_listener(tmp_path: Path) -> None:
    lines = batch("ctas").splitlines()
    events = [line for line in lines if line.startswith('["event"')]
    script = Script(["\n".join(lines), None])
    Bench(tmp_path, script).run()

    assert script.confirmed == [(len(events), ())]


def test_undelivered_lines_are_not_confirmed(tmp_path: Path) -> None:
    class Silent(MemoryTransport):
        def send(self, record: Record, outcome: DeliveryCallback) -> None:
            """Take the record, and report nothing."""

    script = Script([batch("ctas"), None])
    Bench(tmp_path, script, Silent()).worker.run()

    assert script.confirmed == []


def test_columns_are_sent_once(tmp_path: Path) -> None:
    messages = Bench(tmp_path, Script([batch("join")] * 2)).run()

    columns = [[e["typeName"] for e in entities([m])].count("spark_column") for m in messages]
    assert columns[0] > 0
    assert columns[1] == 0


def test_record_has_its_subject_and_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("ctas"), batch("table_changes"), batch("database_changes")]))
    bench.now_ms = lambda: 1_700_000_000_000

    messages = bench.run()

    records = bench.transport.records
    kinds = {record.kind for record in records}
    assert kinds == {MessageKind.FLOW, MessageKind.CATALOG}
    for record, message in zip(records, messages, strict=True):
        assert record.created_ms == 1_700_000_000_000
        has_process = "ENTITY_CREATE" in message["message"]["type"] and names([message], "spark_process")
        assert (record.kind is MessageKind.FLOW) == (bool(has_process) or message is messages[-1])


def test_a_message_that_is_too_long_is_sent_in_parts(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("ctas")]))
    whole = Bench(tmp_path, Script([batch("ctas")])).run()
    short = replace(bench.output.context.content, message_max_bytes=1_500, message_compression=False)
    bench.output.context = replace(bench.output.context, content=short)

    bench.worker.run()

    records = [record for record in bench.transport.records if len(record.values) > 1]
    assert records
    assert spool_counts(bench.spool) == {"delivered": len(bench.transport.records)}
    for record in records:
        verdicts = judge().verdicts([value.decode() for value in record.values])
        assert verdicts[-1].result == "OK"
    assert names(whole, "spark_process")


class Failing(MemoryTransport):
    """A transport that fails the first `count` records."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        if self.count:
            self.count -= 1
            outcome(Failure(FailureKind.TRANSIENT, "no broker"))
        else:
            super().send(record, outcome)


def test_undelivered_records_are_spooled_and_their_columns_sent_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("join")] * 2), Failing(3))

    assert bench.run() == []

    assert spool_counts(bench.spool) == {"spooled": 3}
    assert bench.spool.reasons == {"no broker": 3}
    first, second, _ = validated(texts(kept(tmp_path)))
    assert names([first], "spark_column") == names([second], "spark_column") != set()


def test_spooled_records_are_remembered_once_delivered(tmp_path: Path) -> None:
    script = Script([batch("join"), None, batch("join")])
    script.texts[1] = lambda: None  # time for the next attempt
    bench = Bench(tmp_path, script, Failing(1), retry_seconds=0.0)

    first, second, _ = bench.run()

    assert spool_counts(bench.spool) == {"delivered": 3}
    assert (first["spooled"], second["spooled"]) == (True, False)
    assert names([first], "spark_column") != set() == names([second], "spark_column")


@pytest.mark.planted
@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("sac_kafka.plan.wire.read_line", "decode: ZeroDivisionError"),
        ("sac_kafka.lineage.executions.extract", "lineage: ZeroDivisionError"),
        ("sac_kafka.atlas.dialect.entity_bundle", "entities: ZeroDivisionError"),
        ("sac_kafka.transport.spool.spool.Spool.send", "send: ZeroDivisionError"),
        ("sac_kafka.atlas.memory.Remembered.confirm", "remember: ZeroDivisionError"),
        ("sac_kafka.transport.spool.spool.Spool.service", "transport: ZeroDivisionError"),
    ],
)
def test_error_is_contained_and_counted(
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
def test_unreadable_line_affects_no_other_line(tmp_path: Path) -> None:
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
    script = Bus([lambda: marked.wait(60)])
    bench = Bench(tmp_path, script)
    thread = threading.Thread(target=bench.run)
    thread.start()
    script.texts.insert(0, batch("join"))

    flushed = bench.worker.flush(60)

    thread.join()
    assert flushed is not None
    assert (flushed["delivered"], flushed["in_flight"]) == (1, 0)
    assert bench.spool.counts["delivered"] == 2  # and the message at the end


def test_flush_gives_up_in_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([]))  # its thread does not run

    assert bench.worker.flush(0.1) is None


def test_counters_of_the_listener_are_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    script = Script(['["counters",{"dropped: hand-off full":3}]', '["stuck","a.b < c.d"]'])
    bench = Bench(tmp_path, script)

    bench.run()

    assert bench.pipeline.stats.listener == {"dropped: hand-off full": 3}
    assert "a.b < c.d" in caplog.text
