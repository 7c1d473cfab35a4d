"""Micro-batches that repeat an earlier one are one event; every other batch is sent in full."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.plan import wire
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from tests.cases.stream_batches import STREAMS
from tests.live.spark.compiled import Compiled, encoded

RUN = "11111111-2222-3333-4444-555555555555"
OTHER_RUN = "99999999-2222-3333-4444-555555555555"
MAX_OPEN = MAX_KNOWN = 1000
MAX_HELD = 64
MAX_TOGETHER = 1000
"""As in `MicroBatches.java` and `RepeatedBatches.java`."""
_CLASSES = (
    "Counters",
    "EventLine",
    "TextQueue",
    "RecordText",
    "NewIds",
    "PlanDigest",
    "OpenBatch",
    "SourceRows",
    "BatchCounters",
    "RepeatedWrites",
    "RepeatedBatches",
    "MicroBatches",
)
_UI = "org.apache.spark.sql.execution.ui"
_QUERY = ["analyzed", "mode", "sql_text", "rows_written"]
_BATCH = [*_QUERY, "query_id", "run_id", "batch_id", "state_location", "output_mode"]
_END = ["execution_id", "name", "time", "failure", "query_execution"]
_SINK = "org.apache.spark.sql.execution.streaming.sources.WriteToMicroBatchDataSourceV1"
_INCREMENTAL = "org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution"

Record = list[Any]


class Batches(Compiled):
    """`MicroBatches` over a queue for 5000 events, or as many as there are to be."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "Batching", _CLASSES)

    def begin(self, most_events: int = 5000) -> None:
        self.answer("new", str(most_events), "")

    def lines_of(self, calls: Iterable[tuple[str, ...]]) -> list[str]:
        """Return what comes out of the queue: lines, and batches that are known."""
        answers = (self.answer(*parts, encoded(last)) for *parts, last in calls)
        return [line for answer in answers for line in answer.split("\n") if line]


@pytest.fixture(scope="module")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Batches]:
    with Batches(tmp_path_factory.mktemp("batches")) as batches:
        yield batches


@pytest.fixture
def batches(jvm: Batches) -> Batches:
    jvm.begin()
    return jvm


def event(*records: Record) -> str:
    return json.dumps(["event", 7, list(records)], separators=(",", ":"))


def start(execution: int, root: int, run: str = RUN) -> tuple[str, ...]:
    return "start", str(execution), str(root), run, event(["c", "Start", ["execution_id"]], ["o", 0, [str(execution)]])


def columns(first_id: int, names: tuple[str, ...]) -> list[list[Any]]:
    return [[str(first_id + i), name, "bigint", True] for i, name in enumerate(names)]


def leaf(output: list[list[Any]], rdd: int) -> list[Record]:
    return [
        ["c", "org.apache.spark.sql.execution.LogicalRDD", ["output", "rdd_id"]],
        ["p", 0, [], [], [output, str(rdd)]],
    ]


def end(
    execution: int,
    names: tuple[str, ...] = ("a", "b"),
    *,
    of: int = 0,
    rows: int = 3,
    failed: bool = False,
    plan: list[Record] | None = None,
) -> tuple[str, ...]:
    """Return the end of an execution within a batch; `of` varies ids, times and counts, `plan` is one record and its class."""
    text = event(
        *(plan or leaf(columns(100 + of, names), of)),
        ["c", "org.apache.spark.sql.execution.QueryExecution", _QUERY],
        ["o", _classes(plan), [_last(plan), "SKIP", None, [str(rows)]]],
        ["c", f"{_UI}.SparkListenerSQLExecutionEnd", _END],
        ["o", _classes(plan) + 1, [str(execution), "command", str(1000 + of), None, _last(plan) + 1]],
    )
    return "end", str(execution), str(failed).lower(), "-1", text


def _classes(plan: list[Record] | None) -> int:
    return 1 if plan is None else sum(record[0] == "c" for record in plan)


def _last(plan: list[Record] | None) -> int:
    return 0 if plan is None else sum(record[0] != "c" for record in plan) - 1


def batch_end(execution: int, names: tuple[str, ...] = ("a", "b"), *, of: int = 0) -> tuple[str, ...]:
    output = columns(100 + of, names)
    text = event(
        ["c", _SINK, ["query_output", "batch_id"]],
        ["w", 0, [], [], [output, str(of)]],
        ["c", _INCREMENTAL, _BATCH],
        ["o", 1, [0, "ALL", None, None, RUN, RUN, str(of), "file:/cp/state", "Append"]],
        ["c", f"{_UI}.SparkListenerSQLExecutionEnd", _END],
        ["o", 2, [str(execution), None, str(1000 + of), None, 1]],
    )
    return "end", str(execution), "false", str(of), text


def batch(number: int, *within: tuple[str, ...], run: str = RUN) -> list[tuple[str, ...]]:
    """Return a batch with one write: executions 10 and 11, 20 and 21, …; or with what is `within`."""
    at = number * 10
    inner = within or (end(at + 1, of=number),)
    return [start(at, at, run), start(at + 1, at, run), *inner, batch_end(at, of=number)]


def is_repeated(lines: list[str]) -> bool:
    return len(lines) == 1 and lines[0].startswith("repeated\t")


def test_the_first_batch_is_sent_in_full_at_its_end(batches: Batches) -> None:
    first = batch(1)
    assert batches.lines_of(first[:3]) == []
    assert batches.lines_of(first[3:]) == [first[0][-1], first[1][-1], first[2][-1], first[3][-1]]


def test_a_batch_equal_but_for_ids_is_one_event(batches: Batches) -> None:
    batches.lines_of(batch(1))
    assert batches.lines_of(batch(2, end(21, of=2, rows=8))) == ["repeated\t[20, 21]\t2\t1000\t10*1[8]"]


def test_omitted_facts_are_counted_and_make_no_difference(batches: Batches) -> None:
    def noted(number: int, count: int) -> list[tuple[str, ...]]:
        calls = batch(number)
        note = f',["n","slow accessor: Sink.path",{count}]]]'
        return [(*call[:-1], call[-1][:-2] + note if call[0] == "end" else call[-1]) for call in calls]

    assert len(batches.lines_of(noted(1, 1))) == 4
    (lines,) = batches.lines_of(noted(2, 3))
    assert lines == 'repeated\t[20, 21]\t2\t1000\t10*1[3],["n","slow accessor: Sink.path",6]'


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(batch(2, end(21, ("a", "c"), of=2)), id="another column"),
        pytest.param(batch(2, end(21, ("b", "a"), of=2)), id="another order"),
        pytest.param(batch(2, end(21, ("a", "b", "c"), of=2)), id="one more column"),
        pytest.param(batch(2, run=OTHER_RUN), id="another run"),
        pytest.param([batch(2)[0], batch(2)[3]], id="one write less"),
        pytest.param([*batch(2)[:3], start(22, 20), end(22, of=2), batch(2)[3]], id="one write more"),
        pytest.param(batch(2, end(21, of=2, failed=True)), id="a write that failed"),
        pytest.param([*batch(2)[:3], batch_end(20, ("a",), of=2)], id="another root"),
    ],
)
def test_a_different_batch_is_sent_in_full(batches: Batches, other: list[tuple[str, ...]]) -> None:
    batches.lines_of(batch(1))
    assert batches.lines_of(other) == [
        *(c[-1] for c in other if c[0] == "start"),
        *(c[-1] for c in other if c[0] == "end"),
    ]
    assert is_repeated(batches.lines_of(batch(3)))


def _scanned(
    topics: list[str] | None = None, options: dict[str, str] | None = None, paths: str = "file:/a"
) -> list[Record]:
    relation = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
    return [
        ["c", relation, ["root_paths", "file_format"]],
        ["o", 0, [[paths], "json"]],
        ["c", "org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation", ["options", "topics"]],
        ["p", 1, [], [], [options or {}, topics or ["orders"]]],
    ]


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(_scanned(topics=["orders", "returns"]), id="a topic that is new"),
        pytest.param(_scanned(topics=["returns"]), id="another topic"),
        pytest.param(_scanned(options={"path": "file:/out/2"}), id="an option"),
        pytest.param(_scanned(paths="file:/b"), id="a path"),
    ],
)
def test_names_of_data_are_compared_in_every_batch(batches: Batches, changed: list[Record]) -> None:
    for n in (1, 2, 3):
        lines = batches.lines_of(batch(n, end(n * 10 + 1, of=n, plan=_scanned())))
        assert is_repeated(lines) == (n > 1)
    assert len(batches.lines_of(batch(4, end(41, of=4, plan=changed)))) == 4
    assert is_repeated(batches.lines_of(batch(5, end(51, of=5, plan=_scanned()))))
    assert is_repeated(batches.lines_of(batch(6, end(61, of=6, plan=changed))))


def _watched(file: str, directory: str | None) -> list[Record]:
    relation = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
    return [
        ["c", relation, ["root_paths", "file_format"]],
        ["o", 0, [[file], "json"]],
        [
            "c",
            "org.apache.spark.sql.execution.datasources.LogicalRelation",
            ["relation", "is_streaming", "stream_path", "output"],
        ],
        ["p", 1, [], [], [0, True, directory, []]],
    ]


def test_files_of_a_batch_may_differ_below_the_watched_directory(batches: Batches) -> None:
    def again(number: int, file: str, directory: str | None) -> bool:
        return is_repeated(
            batches.lines_of(batch(number, end(number * 10 + 1, of=number, plan=_watched(file, directory))))
        )

    assert [again(1, "file:/in/1", "file:/in"), again(2, "file:/in/2", "file:/in")] == [False, True]
    assert [again(3, "file:/in/1", None), again(4, "file:/in/2", None)] == [False, False]
    assert not again(5, "file:/in/1", "file:/elsewhere")


def _over_rdd(number: int, rdd: int, file: str, *, own: bool, query: int | None = None) -> tuple[str, ...]:
    """Return a write of an RDD's rows: of the batch's rows, or of other columns."""
    output = columns(100 + number, ("a", "b")) if own else columns(500 + number, ("x",))
    plan: list[Record] = [
        ["c", "sackafka.ScannedFiles", ["format", "table", "paths"]],
        ["o", 0, ["json", None, [file]]],
        ["c", "sackafka.RddRows", ["rdd_id", "reads", "query_ids", "queries"]],
        ["o", 1, [str(rdd), [0], [] if query is None else [str(query)], []]],
        ["c", "org.apache.spark.sql.execution.LogicalRDD", ["output", "rdd_id", "rows"]],
        ["p", 2, [], [], [output, str(rdd), 1]],
    ]
    return end(number * 10 + 1, of=number, plan=plan)


def test_rows_of_a_batch_may_come_from_different_files(batches: Batches) -> None:
    assert not is_repeated(batches.lines_of(batch(1, _over_rdd(1, 7, "file:/in/1", own=True, query=6))))
    assert is_repeated(batches.lines_of(batch(2, _over_rdd(2, 17, "file:/in/2", own=True, query=16))))


def test_other_files_read_by_a_function_make_a_difference(batches: Batches) -> None:
    assert not is_repeated(batches.lines_of(batch(1, _over_rdd(1, 7, "file:/look/1", own=False))))
    assert is_repeated(batches.lines_of(batch(2, _over_rdd(2, 17, "file:/look/1", own=False))))
    assert not is_repeated(batches.lines_of(batch(3, _over_rdd(3, 27, "file:/look/2", own=False))))


def test_an_rdd_is_known_by_its_reported_query(batches: Batches) -> None:
    batches.lines_of([("reported_rdd", "5"), ("reported_rdd", "6")])
    assert not is_repeated(batches.lines_of(batch(1, _over_rdd(1, 7, "file:/look/1", own=False, query=5))))
    assert is_repeated(batches.lines_of(batch(2, _over_rdd(2, 17, "file:/look/1", own=False, query=5))))
    assert not is_repeated(batches.lines_of(batch(3, _over_rdd(3, 27, "file:/look/1", own=False, query=6))))


def test_columns_are_compared_by_their_ids(batches: Batches) -> None:
    def used(number: int, reference: int) -> bool:
        plan = [
            ["c", "Alias", ["name", "expr_id"]],
            ["e", 0, [reference], ["x", str(777 + number)]],
            ["c", "org.apache.spark.sql.execution.LogicalRDD", ["output", "rdd_id"]],
            ["p", 1, [], [], [columns(100 + number, ("a", "b")), "1"]],
        ]
        return is_repeated(batches.lines_of(batch(number, end(number * 10 + 1, of=number, plan=plan))))

    assert [used(1, -102), used(2, -103)] == [False, True]
    assert not used(3, -105)


def test_other_events_come_after_starts_of_open_executions(batches: Batches) -> None:
    first = batch(1)
    assert batches.lines_of(first[:2]) == []
    assert batches.lines_of([("other", event(["n", "a table was made", 1]))]) == [
        first[0][-1],
        first[1][-1],
        event(["n", "a table was made", 1]),
    ]
    assert batches.lines_of(first[2:]) == [first[2][-1], first[3][-1]]
    assert is_repeated(batches.lines_of(batch(2)))


def test_executions_outside_of_batches_come_at_once(batches: Batches) -> None:
    first = batch(1)
    batches.lines_of(first[:2])
    assert batches.lines_of([start(98, 98, ""), end(98)])[2:] == [start(98, 98, "")[-1], end(98)[-1]]


def test_job_descriptions_of_a_function_belong_to_its_batch(batches: Batches) -> None:
    """`setJobDescription`, `setJobGroup`: the text of an execution does not name the query then."""

    def described(number: int, *names: str) -> list[tuple[str, ...]]:
        at = number * 10
        return [start(at, at), start(at + 1, at, ""), end(at + 1, names, of=number), batch_end(at, of=number)]

    assert len(batches.lines_of(described(1, "a", "b"))) == 4
    assert is_repeated(batches.lines_of(described(2, "a", "b")))
    assert len(batches.lines_of(described(3, "c"))) == 4


def test_a_drop_outside_of_batches_repeats_the_next_in_full(batches: Batches) -> None:
    batches.lines_of(batch(1))
    assert is_repeated(batches.lines_of(batch(2)))
    batches.lines_of([("forget", "")])
    assert len(batches.lines_of(batch(3))) == 4
    assert is_repeated(batches.lines_of(batch(4)))


def test_a_batch_with_too_many_executions_is_sent_at_once(batches: Batches) -> None:
    for again in (1, 2):
        at = again * 1000
        lines = batches.lines_of([start(at, at)])
        for n in range(1, MAX_HELD + 20):
            lines += batches.lines_of([start(at + n, at), end(at + n, of=n)])
        assert len(lines) == 2 * (MAX_HELD + 19) + 1
        assert batches.lines_of([batch_end(at)]) == [batch_end(at)[-1]]


def test_a_batch_without_room_in_the_queue_is_sent_again(batches: Batches) -> None:
    batches.begin(most_events=2)
    assert len(batches.lines_of(batch(1))) == 2
    assert json.loads(batches.answer("counters", "")) == ["counters", {"dropped: text queue full": 2}]
    batches.begin()


def test_a_run_goes_on_after_a_lost_end_of_a_batch(batches: Batches) -> None:
    batches.lines_of(batch(1))
    for n in range(2, 1200):  # far more than are held
        assert batches.lines_of([start(n * 10, n * 10)]) == []
    assert is_repeated(batches.lines_of(batch(2000)))


def test_executions_without_an_end_are_forgotten(batches: Batches) -> None:
    first = batch(1)
    batches.lines_of(first[:2])
    for n in range(2, MAX_OPEN + 50):
        batches.lines_of([start(n * 10, n * 10, f"run {n}")])
    assert batches.lines_of(first[2:])[-2:] == [first[2][-1], first[3][-1]]  # their relation is unknown


def test_different_batches_are_forgotten(batches: Batches) -> None:
    for n in range(1, MAX_KNOWN + 2):
        batches.lines_of(batch(n, end(n * 10 + 1, (f"c{n}",), of=n)))
    assert is_repeated(batches.lines_of(batch(5000, end(50001, (f"c{MAX_KNOWN}",), of=5000))))
    assert not is_repeated(batches.lines_of(batch(5001, end(50011, ("c1",), of=5001))))


def test_quiet_lines_come_with_the_next(batches: Batches) -> None:
    assert batches.lines_of([("quiet", "a"), ("quiet", "b")]) == []
    assert batches.lines_of([("other", "c")]) == ["a", "b", "c"]


def figures(run: str, rows: int) -> tuple[str, ...]:
    return "figures", run, str(rows), ""


def held(batches: Batches, *calls: tuple[str, ...]) -> list[str]:
    """Return what comes out of the queue for a poll after all of these."""
    answers = batches.lines_of([("hold", "true", ""), *calls])
    assert answers == []
    return batches.lines_of([("hold", "false", "")])


def test_repeated_batches_are_merged_until_a_poll(batches: Batches) -> None:
    batches.lines_of(batch(1))
    assert held(batches, *batch(2, end(21, of=2, rows=8)), *batch(3, end(31, of=3, rows=5))) == [
        "repeated\t[20, 21, 30, 31]\t3\t1000\t10*2[13]"
    ]
    assert batches.lines_of([]) == []


def test_a_write_without_a_row_count_is_not_lost_in_a_merge(batches: Batches) -> None:
    batches.lines_of(batch(1))
    assert held(batches, *batch(2, end(21, of=2, rows=-1)), *batch(3, end(31, of=3, rows=5))) == [
        "repeated\t[20, 21, 30, 31]\t3\t1000\t10*2[-1]"
    ]


def test_rows_are_added_up_by_write_and_by_the_batch_that_is_repeated(batches: Batches) -> None:
    """A function may write other datasets in turn: each batch that repeats names the one that was sent."""

    def two(number: int, *names: str, rows: tuple[int, int]) -> list[tuple[str, ...]]:
        at = number * 10
        ends = [end(at + n, names, of=number, rows=rows[n - 1]) for n in (1, 2)]
        return [*batch(number)[:2], start(at + 2, at), *ends, batch_end(at, of=number)]

    batches.lines_of([*two(1, "a", rows=(1, 1)), *two(2, "b", rows=(1, 1))])
    again = [(3, "a", (2, 20)), (4, "b", (5, 50)), (5, "a", (3, 30)), (6, "b", (5, -1))]
    lines = held(batches, *(call for n, name, rows in again for call in two(n, name, rows=rows)))
    assert [line.split("\t")[4] for line in lines] == ["10*2[5, 50] 20*2[10, -1]"]


def test_figures_of_batches_come_with_them(batches: Batches) -> None:
    batches.lines_of(batch(1))
    assert held(batches, *batch(2), figures(RUN, 4), *batch(3), figures(RUN, 5)) == [
        "repeated\t[20, 21, 30, 31]\t3\t1000\t10*2[6]\t2\t9\t9"
    ]
    assert batches.lines_of([figures(RUN, 6)]) == ["repeated\t[]\t-1\t-1\t\t0\t6\t6"]  # earlier ones have been sent


def test_batches_of_two_runs_are_merged_per_run(batches: Batches) -> None:
    batches.lines_of([*batch(1), *batch(2, run=OTHER_RUN)])
    calls = [*batch(3), *batch(4, run=OTHER_RUN), *batch(5), figures(OTHER_RUN, 2), *batch(6, run=OTHER_RUN)]
    assert held(batches, *calls) == [
        "repeated\t[30, 31, 50, 51]\t5\t1000\t10*2[6]",
        "repeated\t[40, 41, 60, 61]\t6\t1000\t20*2[6]\t2\t2\t2",
    ]


def test_other_lines_come_after_merged_batches(batches: Batches) -> None:
    batches.lines_of(batch(1))
    other, changed = event(["n", "a table was made", 1]), batch(4, end(41, ("a", "c"), of=4))
    lines = held(batches, *batch(2), ("other", other), *batch(3), *changed, *batch(5))
    assert [line if line.startswith("repeated") else "" for line in lines] == [
        "repeated\t[20, 21]\t2\t1000\t10*1[3]",
        "",  # the table
        "repeated\t[30, 31]\t3\t1000\t10*1[3]",
        *[""] * 4,  # the batch that has changed
        "repeated\t[50, 51]\t5\t1000\t10*1[3]",
    ]
    assert lines[1] == other


def test_a_failed_batch_comes_after_successful_ones(batches: Batches) -> None:
    batches.lines_of(batch(1))
    failed = batch(3, end(31, of=3, failed=True))
    lines = held(batches, *batch(2), *failed)
    assert lines == ["repeated\t[20, 21]\t2\t1000\t10*1[3]", *(c[-1] for c in (*failed[:2], *failed[2:]))]


def test_batches_are_merged_within_bounds(batches: Batches) -> None:
    batches.lines_of(batch(1))
    lines = held(batches, *(call for n in range(2, 1002) for call in batch(n)))
    assert len(lines) == 2
    assert [line.split("\t")[2] for line in lines] == ["501", "1001"]
    assert [len(json.loads(line.split("\t")[1])) for line in lines] == [MAX_TOGETHER, MAX_TOGETHER]


def test_a_full_queue_merges_more_waiting_batches(batches: Batches) -> None:
    batches.begin(most_events=5)
    batches.lines_of([*batch(1), *batch(2, run=OTHER_RUN)])
    calls = [("quiet", "x")] * 4
    lines = held(batches, *calls, *batch(3), *batch(4), *batch(5, run=OTHER_RUN))
    assert lines == [*["x"] * 4, "repeated\t[30, 31, 40, 41]\t4\t1000\t10*2[6]"]
    assert json.loads(batches.answer("counters", "")) == ["counters", {"dropped: text queue full": 1}]
    batches.begin()


@pytest.mark.parametrize("version", sorted(folder.name for folder in STREAMS.iterdir()))
@pytest.mark.parametrize("case", ["files", "function", "to_table"])
def test_recorded_batches_are_recognised(batches: Batches, version: str, case: str) -> None:
    texts = [line for line in (STREAMS / version / f"{case}.txt").read_text("utf-8").split("\n") if line]
    first, again = (batches.lines_of(_calls(texts, of)) for of in (0, 1000))
    assert sum("IncrementalExecution" in line for line in first) == 1
    assert sum(line.startswith("repeated") for line in again) == 1
    assert not any("IncrementalExecution" in line for line in again)


def _calls(texts: list[str], more: int) -> Iterator[tuple[str, ...]]:
    """Yield what an adapter makes of the executions in a recording; their ids are increased by so many."""
    for text in texts:
        line = wire.read_line(text)
        event = line.event if isinstance(line, wire.Projected) else None
        if isinstance(event, SparkListenerSQLExecutionStart):
            root = event.execution_id if event.root_execution_id is None else event.root_execution_id
            run = "" if event.stream is None else event.stream.run_id
            yield "start", str(event.execution_id + more), str(root + more), run, text
        elif isinstance(event, SparkListenerSQLExecutionEnd):
            query = event.query_execution
            number = query.batch_id if isinstance(query, IncrementalExecution) else -1
            yield "end", str(event.execution_id + more), str(event.failure is not None).lower(), str(number), text
