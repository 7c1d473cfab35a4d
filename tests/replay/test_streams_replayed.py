"""Streaming queries recorded on two Sparks (`tests.cases.stream_batches`), and their lineage."""

from __future__ import annotations

import dataclasses
import re

import pytest

from sac_kafka.atlas.wire.reader import read
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.streams import streams
from sac_kafka.model import Outcome, Process
from sac_kafka.plan import wire
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.streaming_events import RepeatedBatches, RepeatedWrites, SourceProgress
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.messages.state import ServerState
from tests.cases.stream_batches import CASES, STREAMS, WORK
from tests.helpers.live_runs import APPLICATION
from tests.helpers.sequences.writes import DIALECTS
from tests.helpers.sequences.writes import Driver as Sender
from tests.helpers.staged import Actions

VERSIONS = sorted(folder.name for folder in STREAMS.iterdir())
IN = f"path:file:{WORK}/in"
NOTHING_MORE = RepeatedBatches(
    executions=(), run_id="", batches=1, batch_id=1, time=1, writes=(), sources=(), sink_rows=-1
)
_RUN = "0" * 8 + "-1111-2222-3333-" + "0" * 12


def lines(version: str, case: str) -> list[str]:
    return [line for line in (STREAMS / version / f"{case}.txt").read_text("utf-8").split("\n") if line]


class Driver:
    """What a driver makes of lines, in order."""

    def __init__(self, *, failed_too: bool = True) -> None:
        self.actions = Actions(APPLICATION, LineageOptions(failed_too=failed_too))

    def outcomes(self, texts: list[str]) -> list[Outcome]:
        read = map(wire.read_line, texts)
        return [o for line in read if isinstance(line, wire.Projected) for o in self.actions.add(line.event)]

    def repeated(self, batches: int, rows: tuple[int, ...]) -> RepeatedWrites:
        """Return what batches that repeat the last one wrote; each wrote `rows`, and ten bytes for each in a file."""
        (run,) = self.actions._streams._streams._runs.values()
        files, sizes, written = (
            tuple(n * batches if n >= 0 else -1 for n in each)
            for each in ((1,) * len(rows), tuple(10 * n for n in rows), rows)
        )
        return RepeatedWrites(
            execution=max(run.writes), batches=batches, rows_written=written, files_written=files, bytes_written=sizes
        )

    def repeat_all(self, numbers: range, progress: list[str], rows: tuple[int, ...]) -> list[Outcome]:
        """Return the lineage of batches that repeat the last full one, merged with their progress."""
        (run_id,) = self.actions._streams._streams._runs
        figures = [line.event.progress for line in map(wire.read_line, progress)]  # type: ignore[union-attr]
        event = RepeatedBatches(
            executions=tuple(1000 + number for number in numbers),
            run_id=run_id,
            batches=len(numbers),
            batch_id=numbers[-1],
            time=numbers[-1],
            writes=(self.repeated(len(numbers), rows),),
            sources=tuple(
                SourceProgress(description=each.description, rows=each.rows * len(numbers))
                for of in figures
                for each in of.sources
            ),
            sink_rows=-1,
        )
        return list(self.actions.add(event))

    def repeat(self, number: int, progress: list[str], rows: tuple[int, ...]) -> list[Outcome]:
        """Return the lineage of a batch that repeats the last full one, with its progress."""
        (run_id,) = self.actions._streams._streams._runs
        event = RepeatedBatches(
            executions=(1000 + number,),
            run_id=run_id,
            batches=1,
            batch_id=number,
            time=number,
            writes=(self.repeated(1, rows),),
            sources=(),
            sink_rows=-1,
        )
        return [*self.actions.add(event), *self.outcomes(progress)]

    def processes(self, texts: list[str]) -> list[Process]:
        return [o for o in self.outcomes(texts) if isinstance(o, Process)]


def keys(process: Process) -> tuple[list[str], list[str]]:
    return [d.key for d in process.inputs], [d.key for d in process.outputs]


def columns(process: Process) -> dict[tuple[str, str], list[tuple[str, str, str]]]:
    return {
        (c.dataset.rpartition("/")[2], c.column): [(s.dataset, s.column, s.dependency.value) for s in c.sources]
        for c in process.columns
    }


def by_output(processes: list[Process]) -> dict[str, list[Process]]:
    """Return the processes by the last part of their output's key, each in order."""
    result: dict[str, list[Process]] = {}
    for process in processes:
        (output,) = process.outputs
        result.setdefault(output.key.rpartition("/")[2], []).append(process)
    return result


def started_again(texts: list[str]) -> list[str]:
    """Return the lines under the id of another run."""
    runs = set(re.findall(r'QueryStartedEvent.*?\["o",0,\["[^"]+","([^"]+)"', "\n".join(texts)))
    assert len(runs) == 1
    return [text.replace(runs.copy().pop(), _RUN) for text in texts]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_query_is_recorded(version: str) -> None:
    assert {file.stem for file in (STREAMS / version).glob("*.txt")} == set(CASES), (
        "run: python -m tests.cases.stream_batches"
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_a_query_is_reported_at_its_first_batch_and_at_its_end(version: str) -> None:
    shown, ended = Driver().processes(lines(version, "files"))
    assert keys(shown) == keys(ended) == ([IN], [f"path:file:{WORK}/out"])
    assert (
        columns(ended)
        == columns(shown)
        == {
            ("out", "id"): [(IN, "id", "identity")],
            ("out", "n"): [(IN, "name", "transformation")],
        }
    )
    assert shown.stream is not None
    assert ended.stream is not None
    assert shown.stream.identity == ended.stream.identity == ("q1", f"file:{WORK}/cp")
    assert (shown.stream.is_running, shown.stream.batches, shown.stream.output_mode) == (True, 1, "Append")
    assert (ended.stream.is_running, ended.stream.batches, ended.stream.last_batch) == (False, 1, 0)
    assert [rows for _, rows in ended.stream.rows_read] == [5]
    assert (ended.run.failure, ended.run.rows_written) == (None, None)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_without_data_reports_nothing(version: str) -> None:
    driver = Driver()
    assert len(driver.processes(lines(version, "files"))) == 2
    assert driver.processes(lines(version, "no_data")) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_each_dataset_that_a_function_writes_is_a_process(version: str) -> None:
    processes = Driver().processes(lines(version, "function"))
    flows = by_output(processes)
    table = "table:spark_catalog.default.fb3"
    copied = {"id": [(IN, "id", "identity")], "name": [(IN, "name", "identity")], "x": [(IN, "id", "transformation")]}
    assert {name: columns(ended) for name, (_, ended) in flows.items()} == {
        "fb1": {("fb1", column): sources for column, sources in copied.items()},
        "fb2": {("fb2", "d"): [(IN, "id", "transformation")]},
        table: {(table, column): sources for column, sources in copied.items()},
    }
    for shown, ended in flows.values():
        assert [keys(each)[0] for each in (shown, ended)] == [[IN], [IN]]
        assert shown.stream is not None
        assert ended.stream is not None
        assert shown.stream.identity == ended.stream.identity == ("", f"file:{WORK}/cp2", f"output {keys(ended)[1][0]}")
        assert (shown.stream.is_running, ended.stream.is_running) == (True, False)
        assert (ended.stream.batches, [rows for _, rows in ended.stream.rows_read]) == (1, [15])
        assert (ended.run.rows_written, ended.run.files_written, ended.run.executions) == (5, 1, 1)
    assert flows["fb2"][1].run.bytes_written == 40


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_messages_have_a_process_for_each_dataset_that_a_function_writes(version: str, dialect: str) -> None:
    """Under `compat = sac` there is one process for all that an application does."""
    sender = Sender("test", dialect, MessageForm.V2)
    sender.run(Driver().outcomes(lines(version, "function")))
    sender.flush()
    graph = graph_of(ServerState(read(text).notification for text in sender.sent).items())
    found = [
        [re.sub(r"@.*", "", name).rpartition("/")[2] for name in (*each.inputs, *each.outputs)]
        for each in graph.processes.values()
    ]
    table = "default.fb3"
    if dialect == "sac":
        assert found == [["in", "fb1", "fb2", f"application_1795000000000_0042.{table}"]]
    else:
        assert found == [["in", "fb1"], ["in", "fb2"], ["in", table]]
        sources = {(each.source.dataset, each.target.dataset) for each in graph.column_edges()}
        assert sources == {(*each.inputs, *each.outputs) for each in graph.processes.values()}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_failed_second_write_of_a_function_keeps_the_first(version: str) -> None:
    shown, ended = Driver().processes(lines(version, "function_fails"))
    assert keys(shown) == keys(ended) == ([IN], [f"path:file:{WORK}/fx1"])
    assert shown.run.failure is None
    assert ended.run.failure is not None
    assert "negative" not in ended.run.failure
    assert ended.run.rows_written == 5


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", ["function_raises", "task_fails", "noop", "continuous"])
def test_a_query_without_writes_is_no_process_and_is_counted(version: str, case: str) -> None:
    driver = Driver()
    assert driver.processes(lines(version, case)) == []
    assert driver.actions.counts["streaming query ended before a batch showed what it writes"] == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_table_is_created_and_written(version: str) -> None:
    made, shown, ended = Driver().outcomes(lines(version, "to_table"))
    assert type(made).__name__ == "TableDefined"
    assert isinstance(shown, Process)
    assert isinstance(ended, Process)
    assert keys(shown) == keys(ended) == ([IN], ["table:spark_catalog.default.tt"])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", ["files", "function"])
def test_repeated_batches_are_counted_and_not_reported(version: str, case: str) -> None:
    driver, texts = Driver(), lines(version, case)
    progress = [text for text in texts if "QueryProgressEvent" in text]
    driver.outcomes(texts[:-1])
    for number in range(1, 201):
        assert driver.repeat(number, progress, rows=(7, 2, 1) if case == "function" else ()) == []
    processes = driver.processes(texts[-1:])
    for ended in processes:
        assert ended.stream is not None
        assert (ended.stream.batches, ended.stream.last_batch) == (201, 200)
        assert sum(rows for _, rows in ended.stream.rows_read) == 201 * (5 if case == "files" else 15)
    assert driver.actions.counts["micro-batches that repeat an earlier one"] == 200
    assert not driver.actions._context.open
    figures = {
        name: (each.run.rows_written, each.run.files_written, each.run.executions)
        for name, (each,) in by_output(processes).items()
    }
    table = "table:spark_catalog.default.fb3"
    assert figures == (
        {"out": (None, None, 1)}
        if case == "files"
        else {"fb1": (1405, 201, 201), "fb2": (405, 201, 201), table: (205, 201, 201)}
    )


@pytest.mark.parametrize(
    "rows", [(7, -1, 1), (7,)], ids=["a write that was not counted", "counters of another number of writes"]
)
def test_figures_are_omitted_if_a_repeated_batch_has_not_all(rows: tuple[int, ...]) -> None:
    driver, texts = Driver(), lines("4.3.0", "function")
    driver.outcomes(texts[:-1])
    driver.repeat(1, [], rows=rows)
    driver.repeat(2, [], rows=(7, 2, 1))
    flows = by_output(driver.processes(texts[-1:]))
    written = [flows[name][0].run.rows_written for name in ("fb1", "fb2", "table:spark_catalog.default.fb3")]
    assert written == ([19, None, 7] if len(rows) > 1 else [19, None, None])


def test_figures_are_omitted_if_the_repeated_batch_is_not_known() -> None:
    driver, texts = Driver(), lines("4.3.0", "function")
    driver.outcomes(texts[:-1])
    (run_id,) = driver.actions._streams._streams._runs
    other = dataclasses.replace(driver.repeated(1, (1, 1, 1)), execution=999)
    list(driver.actions.add(dataclasses.replace(NOTHING_MORE, run_id=run_id, writes=(other,))))
    ended = driver.processes(texts[-1:])
    assert [each.run.rows_written for each in ended] == [None, None, None]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", ["files", "function"])
def test_merged_batches_equal_single_ones(version: str, case: str) -> None:
    texts, rows = lines(version, case), (7, 8, 9) if case == "function" else ()
    progress = [text for text in texts if "QueryProgressEvent" in text]
    together, single = Driver(), Driver()
    for driver in (together, single):
        driver.outcomes(texts[:-1])
    for number in range(1, 31):
        single.repeat(number, progress, rows=rows)
    for numbers in (range(1, 2), range(2, 20), range(20, 31)):
        assert together.repeat_all(numbers, progress, rows=rows) == []
    assert together.outcomes(texts[-1:]) == single.outcomes(texts[-1:])
    assert together.actions.counts == single.actions.counts


@pytest.mark.parametrize("version", VERSIONS)
def test_figures_alone_are_no_batch(version: str) -> None:
    driver, texts = Driver(), lines(version, "files")
    driver.outcomes(texts[:-1])
    (run_id,) = driver.actions._streams._streams._runs
    figures = RepeatedBatches(
        executions=(),
        run_id=run_id,
        batches=0,
        batch_id=-1,
        time=-1,
        writes=(),
        sources=(SourceProgress(description="more", rows=4),),
        sink_rows=3,
    )
    assert list(driver.actions.add(figures)) == []
    (ended,) = driver.processes(texts[-1:])
    assert ended.stream is not None
    assert (ended.stream.batches, ended.stream.last_batch, ended.run.rows_written) == (1, 0, 3)
    assert [rows for _, rows in ended.stream.rows_read] == [5, 4]
    assert driver.actions.counts["micro-batches"] == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_delayed_processes_are_reported_with_merged_batches(version: str) -> None:
    driver, texts = Driver(), lines(version, "function_fails")
    run = [text for text in texts if "QueryTerminatedEvent" not in text]
    for n in range(5):
        driver.processes([text.replace('"name","string"', f'"name{n}","string"') for text in run[0 if n == 0 else 1 :]])
    assert driver.repeat_all(range(6, 7), [], rows=(1, 1)) != []
    assert driver.repeat_all(range(7, 9), [], rows=(1, 1)) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_restart_is_the_same_process_with_new_figures(version: str) -> None:
    driver, texts = Driver(), lines(version, "files")
    first = driver.processes(texts)[-1]
    (again,) = driver.processes(started_again(texts))  # no new data: it is reported at its end
    assert first.stream is not None
    assert again.stream is not None
    assert again.stream.identity == first.stream.identity
    assert (again.stream.run_id, again.stream.batches) == (_RUN, 1)
    elsewhere = Driver().processes(started_again(texts))[-1]
    assert elsewhere.stream is not None
    assert elsewhere.stream.identity == first.stream.identity


@pytest.mark.parametrize("version", VERSIONS)
def test_a_failed_query_that_runs_again_is_reported_again(version: str) -> None:
    driver, texts = Driver(), lines(version, "function_fails")
    assert [p.run.failure is not None for p in driver.processes(texts)] == [False, True]
    assert [p.run.failure is not None for p in driver.processes(started_again(texts))] == [False, True]


@pytest.mark.parametrize("version", VERSIONS)
def test_queries_of_one_name_with_different_checkpoints_are_two(version: str) -> None:
    driver, texts = Driver(), lines(version, "files")
    other = [text.replace(f"{WORK}/cp", f"{WORK}/other").replace(f"{WORK}/out", f"{WORK}/out2") for text in texts]
    ids = re.findall(r'QueryStartedEvent.*?\["o",0,\["([^"]+)"', "\n".join(texts))
    other = [text.replace(ids[0], _RUN) for text in started_again(other)]
    first, second = driver.processes(texts)[-1], driver.processes(other)[-1]
    assert first.stream is not None
    assert second.stream is not None
    assert first.stream.identity != second.stream.identity
    assert keys(second) == ([IN], [f"path:file:{WORK}/out2"])


@pytest.mark.parametrize("version", VERSIONS)
def test_growing_lineage_is_reported_less_and_less_often(version: str) -> None:
    driver, texts = Driver(), lines(version, "function_fails")
    run = [text for text in texts if "QueryTerminatedEvent" not in text]
    reported = [
        driver.processes([text.replace('"name","string"', f'"name{n}","string"') for text in run[0 if n == 0 else 1 :]])
        for n in range(100)
    ]
    at = [n for n, each in enumerate(reported, start=1) if each]
    assert at == [1, 2, 3, 6, 12, 24, 48, 96]
    (ended,) = driver.processes(texts[-1:])
    assert len(columns(ended)) == 101  # and the id


def test_a_dataset_that_a_later_batch_writes_adds_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    most, batches = 20, 24
    monkeypatch.setattr(streams, "MAX_TARGETS", most)
    driver, texts = Driver(), lines("4.3.0", "function_fails")
    run = [text for text in texts if "QueryTerminatedEvent" not in text]
    reported = [
        driver.processes([text.replace("fx1", f"fx1_{n}x") for text in run[0 if n == 0 else 1 :]])
        for n in range(batches)
    ]
    assert [list(by_output(each)) for each in reported[:most]] == [[f"fx1_{n}x"] for n in range(most)]
    assert len({each.stream.identity for (each,) in reported[:most] if each.stream}) == most
    assert not any(reported[most:])
    assert driver.actions.counts[f"dataset of a streaming query omitted: more than {most}"] == batches - most
    assert len(driver.processes(texts[-1:])) == most


@pytest.mark.parametrize("version", VERSIONS)
def test_which_dataset_a_function_writes_first_makes_no_difference(version: str) -> None:
    """Restarts, in this driver or another one, may begin with any of the datasets."""

    def identities(*started: list[str]) -> list[dict[str, tuple[str, ...]]]:
        driver = Driver()
        return [
            {
                name: each.stream.identity
                for name, (*_, each) in by_output(driver.processes(texts)).items()
                if each.stream
            }
            for texts in started
        ]

    def only(*names: str) -> list[str]:
        others = {"fb1": ("3",), "fb2": ("4",)}
        left = {execution for name, ids in others.items() if name not in names for execution in ids}
        return [text for text in lines(version, "function") if _ended_execution(text) not in left]

    both, first, second = only("fb1", "fb2"), only("fb1"), only("fb2")
    (whole,) = identities(both)
    table = "table:spark_catalog.default.fb3"
    assert len(set(whole.values())) == len(whole) == 3
    assert identities(first) == [{name: whole[name] for name in ("fb1", table)}]
    assert identities(second) == [{name: whole[name] for name in ("fb2", table)}]
    assert identities(second, started_again(first)) == [
        {name: whole[name] for name in ("fb2", table)},
        {name: whole[name] for name in ("fb1", table)},
    ]


def test_a_failed_stream_is_not_reported_if_failures_are_off() -> None:
    driver = Driver(failed_too=False)
    assert [p.run.failure for p in driver.processes(lines("4.3.0", "function_fails"))] == [None]


@pytest.mark.parametrize("version", VERSIONS)
def test_work_in_threads_of_a_function_belongs_to_its_query(version: str) -> None:
    flows = by_output(Driver().processes(lines(version, "function_in_threads")))
    assert [[keys(each)[0] for each in flow] for flow in flows.values()] == [[[IN], [IN]]] * 2
    assert {name: (columns(ended), ended.run.rows_written) for name, (_, ended) in flows.items()} == {
        "ft1": ({("ft1", "next"): [(IN, "id", "transformation")]}, 5),
        "ft2": ({("ft2", "name"): [(IN, "name", "identity")]}, 2),
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_work_in_threads_of_a_repeated_batch_belongs_to_its_query(version: str) -> None:
    """Their events come with every batch, also with a repeated one."""
    texts = lines(version, "function_in_threads")
    driver = Driver()
    driver.processes(texts[:-1])
    of_threads = [text for text in texts if "SparkListenerSQLExecution" in text and "IncrementalExecution" not in text]
    assert len(of_threads) == 5  # the start of the batch, start and end of the two
    assert driver.processes([text.replace("/ft2", "/ft3") for text in of_threads]) == []
    (root,) = driver.actions._context.open.batches
    (run_id,) = driver.actions._streams._streams._runs
    over = dataclasses.replace(NOTHING_MORE, executions=(root,), run_id=run_id, writes=(driver.repeated(1, ()),))
    (added,) = [o for o in driver.actions.add(over) if isinstance(o, Process)]
    assert keys(added) == ([IN], [f"path:file:{WORK}/ft3"])
    assert columns(added) == {("ft3", "name"): [(IN, "name", "identity")]}
    ended = by_output(driver.processes(texts[-1:]))
    assert {name: each.run.rows_written for name, (each,) in ended.items()} == {"ft1": 10, "ft2": 2, "ft3": 2}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("is_first", [True, False], ids=["in the first batch", "in a later one"])
def test_threads_that_outlive_a_function_belong_to_its_query(version: str, *, is_first: bool) -> None:
    """They end when their batch is over, and nothing of the query runs."""
    texts = lines(version, "function_in_threads")
    driver = Driver()
    ends = [text for text in texts if _is_end(text) and not _is_end_of_batch(wire.read_line(text))]
    before = [text for text in texts[:-1] if text not in ends or not is_first]
    assert list(by_output(driver.processes(before))) == ([] if is_first else ["ft1", "ft2"])
    assert driver.processes([text.replace("/ft2", "/ft3") for text in ends]) == []
    ended = by_output(driver.processes(texts[-1:]))
    assert list(ended) == (["ft1", "ft3"] if is_first else ["ft1", "ft2", "ft3"])
    (late,) = ended["ft3"]
    assert columns(late) == {("ft3", "name"): [(IN, "name", "identity")]}
    assert late.stream is not None
    assert late.stream.identity == ("", f"file:{WORK}/cp-threads", f"output path:file:{WORK}/ft3")


@pytest.mark.parametrize("version", VERSIONS)
def test_work_outside_of_a_batch_is_reported_after_it(version: str) -> None:
    texts = lines(version, "function_in_threads")
    (batch,) = [line for line in map(wire.read_line, texts) if _is_end_of_batch(line)]
    session = batch.event.query_execution.session  # type: ignore[union-attr]
    driver = Driver()
    processes = driver.processes(
        [text.replace(session, _RUN) if _is_end_of_batch(wire.read_line(text)) else text for text in texts]
    )
    assert [keys(p)[1] for p in processes] == [[f"path:file:{WORK}/ft1"], [f"path:file:{WORK}/ft2"]]
    assert all(p.stream is None for p in processes)
    assert list(driver.actions.flush()) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_work_waiting_for_an_endless_batch_is_reported_at_the_end(version: str) -> None:
    texts = lines(version, "function_in_threads")
    driver = Driver()
    assert driver.processes([text for text in texts if not _is_end_of_batch(wire.read_line(text))]) == []
    assert len([o for o in driver.actions.flush() if isinstance(o, Process)]) == 2


def _ended_execution(text: str) -> str | None:
    line = wire.read_line(text)
    event = line.event if isinstance(line, wire.Projected) else None
    return str(event.execution_id) if isinstance(event, SparkListenerSQLExecutionEnd) else None


def _is_end(text: str) -> bool:
    line = wire.read_line(text)
    return isinstance(line, wire.Projected) and isinstance(line.event, SparkListenerSQLExecutionEnd)


def _is_end_of_batch(line: wire.Line | None) -> bool:
    event = line.event if isinstance(line, wire.Projected) else None
    query = event.query_execution if isinstance(event, SparkListenerSQLExecutionEnd) else None
    return isinstance(query, IncrementalExecution)


@pytest.mark.parametrize("version", VERSIONS)
def test_rows_of_a_batch_that_pass_through_python_come_from_its_source(version: str) -> None:
    flows = by_output(Driver().processes(lines(version, "function_in_python")))
    assert [keys(ended)[0] for _, ended in flows.values()] == [[IN], [IN]]
    assert all(not sources for _, ended in flows.values() for sources in columns(ended).values())
    assert {
        name: [(each.dataset.key, each.how) for each in ended.through_driver] for name, (_, ended) in flows.items()
    } == {
        "fp1": [(IN, "values of it")],
        "fp2": [],
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_table_that_a_function_saves_is_in_the_current_database_alone(version: str) -> None:
    """The command of `saveAsTable` has the written name; nested executions have the database."""
    own = [
        line.replace('["fb3","default","spark_catalog"]', '["fb3","other","spark_catalog"]')
        for line in lines(version, "function")
    ]
    assert own != lines(version, "function")
    outputs = {each.key for o in Driver().outcomes(own) if isinstance(o, Process) for each in o.outputs}
    assert {each for each in outputs if "fb3" in each} == {"table:spark_catalog.other.fb3"}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_query_that_still_runs_ends_with_its_driver(version: str) -> None:
    driver = Driver()
    running = [line for line in lines(version, "files") if "QueryTerminatedEvent" not in line]
    (reported,) = (o for o in driver.outcomes(running) if isinstance(o, Process))
    assert reported.stream is not None
    assert reported.stream.is_running
    (ended,) = driver.actions.end()
    assert isinstance(ended, Process)
    assert ended.stream is not None
    assert (ended.stream.is_running, ended.stream.identity) == (False, reported.stream.identity)
    assert ended.run.ended_ms is not None
    over = Driver()
    over.outcomes(lines(version, "files"))
    assert list(over.actions.end()) == []
