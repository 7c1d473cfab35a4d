"""Micro-batches that say what an earlier one said are one event; whatever says something else is read whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sac_kafka.plan import wire
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.plan.micro_batches import MOST_HELD, MOST_KNOWN, MOST_OPEN, MicroBatches
from sac_kafka.plan.same_plans import digest
from sac_kafka.plan.streaming_events import RepeatedBatch

RUN = "11111111-2222-3333-4444-555555555555"
OTHER_RUN = "99999999-2222-3333-4444-555555555555"
_UI = "org.apache.spark.sql.execution.ui"
_START = ["execution_id", "root_execution_id", "time", "stream"]
_QUERY = ["analyzed", "mode", "sql_text", "rows_written"]
_BATCH = [*_QUERY, "query_id", "run_id", "batch_id", "state_location", "output_mode"]


def event(*records: list[Any]) -> str:
    return json.dumps(["event", 7, list(records)], separators=(",", ":"))


def start(execution: int, root: int, run: str | None = RUN) -> str:
    stream = [["c", "sackafka.StreamOf", ["name", "query_id", "run_id"]], ["o", 0, [None, RUN, run]]] if run else []
    return event(
        *stream,
        ["c", f"{_UI}.SparkListenerSQLExecutionStart", _START],
        ["o", 1 if run else 0, [str(execution), str(root), "5", 0 if run else None]],
    )


def _leaf(first_id: int, names: tuple[str, ...], rdd: int) -> list[list[Any]]:
    output = [[str(first_id + i), name, "bigint", True] for i, name in enumerate(names)]
    return [
        ["c", "org.apache.spark.sql.execution.LogicalRDD", ["output", "rdd_id"]],
        ["p", 0, [], [], [output, str(rdd)]],
    ]


def end(
    execution: int, names: tuple[str, ...] = ("a", "b"), *, of: int = 0, rows: int = 3, failure: bool = False
) -> str:
    """The end of an execution within a batch; `of` makes ids, times and counts differ."""
    failed = [["c", "java.lang.Throwable", ["error_class"]], ["o", 3, ["java.lang.Error"]]] if failure else []
    return event(
        *_leaf(100 + of, names, of),
        ["c", "org.apache.spark.sql.execution.QueryExecution", _QUERY],
        ["o", 1, [0, "SKIP", None, [str(rows)]]],
        ["c", f"{_UI}.SparkListenerSQLExecutionEnd", ["execution_id", "name", "time", "failure", "query_execution"]],
        *failed,
        ["o", 2, [str(execution), "command", str(1000 + of), 2 if failure else None, 1]],
    )


def batch_end(execution: int, names: tuple[str, ...] = ("a", "b"), *, of: int = 0, run: str = RUN) -> str:
    return event(
        *_leaf(100 + of, names, of),
        ["c", "org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution", _BATCH],
        ["o", 1, [0, "ALL", None, None, RUN, run, str(of), "file:/cp/state", "Append"]],
        ["c", f"{_UI}.SparkListenerSQLExecutionEnd", ["execution_id", "name", "time", "failure", "query_execution"]],
        ["o", 2, [str(execution), None, str(1000 + of), None, 1]],
    )


def events(batches: MicroBatches, *texts: str) -> list[Any]:
    return [line.event for text in texts for line in batches.lines(text) if isinstance(line, wire.Projected)]


def batch(number: int, names: tuple[str, ...] = ("a", "b"), *, run: str = RUN, rows: int = 3) -> list[str]:
    """A batch with one write in it: executions 10 and 11, 20 and 21, …"""
    at = number * 10
    return [
        start(at, at, run),
        start(at + 1, at, run),
        end(at + 1, names, of=number, rows=rows),
        batch_end(at, of=number, run=run),
    ]


def test_the_first_batch_is_read_whole_when_it_is_over() -> None:
    batches = MicroBatches()
    first = batch(1)
    assert [type(e) for e in events(batches, *first[:3])] == [SparkListenerSQLExecutionStart] * 2
    told = events(batches, first[3])
    assert [(type(e), e.execution_id) for e in told] == [(SparkListenerSQLExecutionEnd, n) for n in (11, 10)]


def test_a_batch_that_says_the_same_under_other_ids_is_one_event() -> None:
    batches = MicroBatches()
    events(batches, *batch(1))
    *_, told = events(batches, *batch(2, rows=8))
    assert isinstance(told, RepeatedBatch)
    assert (told.executions, told.run_id, told.batch_id, told.time, told.rows_written) == ((20, 21), RUN, 2, 1002, (8,))


def test_what_did_not_travel_is_counted_behind_the_event() -> None:
    batches = MicroBatches()
    slow = "slow accessor: Sink.path"
    texts = [[_noted(text, slow) for text in batch(number)] for number in (1, 2)]
    told = events(batches, *texts[0])
    assert [e.execution_id for e in told] == [10, 11, 11, 10]
    *_, repeated = [line for text in texts[1] for line in batches.lines(text)]
    assert isinstance(repeated, wire.Projected)
    assert isinstance(repeated.event, RepeatedBatch)
    assert repeated.notes == {slow: 1}


def _noted(text: str, what: str) -> str:
    kind, microseconds, records = json.loads(text)
    return json.dumps([kind, microseconds, [*records, ["n", what, 1]]], separators=(",", ":"))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(batch(2, ("a", "c")), id="another column"),
        pytest.param(batch(2, ("b", "a")), id="another order"),
        pytest.param(batch(2, ("a", "b", "c")), id="one more column"),
        pytest.param(batch(2, run=OTHER_RUN), id="another run"),
        pytest.param([*batch(2)[:2], batch_end(20, of=2)], id="one write less"),
        pytest.param([*batch(2)[:3], start(22, 20), end(22, of=2), batch(2)[3]], id="one write more"),
        pytest.param([*batch(2)[:2], end(21, of=2, failure=True), batch(2)[3]], id="a write that failed"),
    ],
)
def test_a_batch_that_says_anything_else_is_read(other: list[str]) -> None:
    batches = MicroBatches()
    events(batches, *batch(1))
    assert not any(isinstance(e, RepeatedBatch) for e in events(batches, *other))
    assert isinstance(events(batches, *batch(3))[-1], RepeatedBatch)


def test_executions_of_others_come_at_once() -> None:
    batches = MicroBatches()
    events(batches, *batch(1)[:3])
    (told,) = events(batches, end(99))
    assert told.execution_id == 99
    (told,) = events(batches, start(98, 98, None))
    assert told.execution_id == 98
    assert len(events(batches, batch(1)[3])) == 2


def test_a_batch_with_too_many_executions_is_read_as_it_comes() -> None:
    batches = MicroBatches()
    for again in (1, 2):
        at = again * 1000
        told = events(batches, start(at, at))
        for n in range(1, MOST_HELD + 20):
            told += events(batches, start(at + n, at), end(at + n, of=n))
        assert len([e for e in told if isinstance(e, SparkListenerSQLExecutionEnd)]) == MOST_HELD + 19
        (last,) = events(batches, batch_end(at))
        assert last.execution_id == at


def test_what_never_ends_is_forgotten() -> None:
    batches = MicroBatches()
    for n in range(1, MOST_OPEN + 50):
        events(batches, *batch(n)[:3])
    assert len(batches._open) == MOST_OPEN
    assert len(batches._roots) == MOST_OPEN
    assert batches._held == sum(each.characters for each in batches._open.values())


def test_batches_that_are_all_different_are_forgotten() -> None:
    batches = MicroBatches()
    for n in range(1, MOST_KNOWN + 50):
        events(batches, *batch(n, (f"c{n}",)))
    assert len(batches._known) == MOST_KNOWN
    assert (batches._open, batches._roots, batches._held) == ({}, {}, 0)


def test_lines_that_are_none_are_refused_as_always() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        list(MicroBatches().lines("no line"))


def test_the_files_of_a_batch_differ_and_the_watched_directory_says_which_they_are() -> None:
    def read(files: list[str], stream_path: str | None) -> bytes:
        relation, leaf = (
            "org.apache.spark.sql.execution.datasources.HadoopFsRelation",
            ("org.apache.spark.sql.execution.datasources.LogicalRelation"),
        )
        return digest(
            [
                ["c", relation, ["root_paths", "file_format"]],
                ["o", 0, [files, "json"]],
                ["c", leaf, ["relation", "is_streaming", "stream_path", "output"]],
                ["p", 1, [], [], [0, True, stream_path, []]],
            ]
        )

    assert read(["file:/in/1"], "file:/in") == read(["file:/in/2", "file:/in/3"], "file:/in")
    assert read(["file:/in/1"], None) != read(["file:/in/2"], None)
    assert read(["file:/in/1"], "file:/in") != read(["file:/in/1"], "file:/elsewhere")


def test_which_column_is_used_is_told_by_its_id() -> None:
    def used(reference: int, first: int = 1) -> bytes:
        return digest(
            [*_leaf(first, ("a", "b"), 1), ["c", "Alias", ["name", "expr_id"]], ["e", 1, [reference], ["x", "77"]]]
        )

    assert used(-2) != used(-3)
    assert used(-2) == used(-12, first=11)
