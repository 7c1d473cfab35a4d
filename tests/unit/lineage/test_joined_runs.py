"""Joined write metrics: writers of one dataset add up, and a run that writes it again starts from zero."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.extract import metrics_of_only_write, write_metrics
from sac_kafka.model import PathDataset, Process, Run, TableDataset
from sac_kafka.model.processes import NOT_COUNTED, WriteMetrics
from sac_kafka.plan.execution import QueryExecution
from sac_kafka.stages.joined_runs import JoinedRuns, places
from tests.helpers.live_runs import APPLICATION

TABLE = TableDataset(database="db", name="t")


def _wrote(place: str, at: tuple[int, int], rows: int | None, failure: str | None = None) -> Process:
    path = "file:/out"
    run = Run(
        execution_id=1,
        started_ms=at[0],
        ended_ms=at[1],
        rows_written=rows,
        files_written=1,
        bytes_written=10,
        failure=failure,
    )
    output = PathDataset(path=path, format="parquet", locations=(place,))
    return Process(application=APPLICATION, run=run, inputs=(TABLE,), outputs=(output,))


def _totals(*processes: Process) -> list[tuple[int | None, int]]:
    """Return rows and executions after each process."""
    runs = JoinedRuns()
    joined = [runs.join(p, places(p.outputs)) for p in processes]
    return [(p.run.rows_written, p.run.executions) for p in joined]


def test_writers_of_parts_add_up() -> None:
    parts = [_wrote(f"file:/out/shard={i}", (i * 10, i * 10 + 5), i) for i in range(1, 5)]
    assert _totals(*parts) == [(1, 1), (3, 2), (6, 3), (10, 4)]


def test_writers_at_the_same_time_add_up() -> None:
    whole = [_wrote("file:/out", at, 2) for at in ((0, 100), (50, 120), (110, 300))]
    assert _totals(*whole) == [(2, 1), (4, 2), (6, 3)]


def test_overlapping_run_that_started_earlier_is_joined() -> None:
    assert _totals(_wrote("file:/out", (10, 50), 1), _wrote("file:/out", (0, 100), 2)) == [(1, 1), (3, 2)]


def test_rewritten_dataset_starts_from_zero() -> None:
    first, second = (_wrote("file:/out", at, rows) for at, rows in (((0, 10), 5), ((20, 30), 7)))
    assert _totals(first, second) == [(5, 1), (7, 1)]
    days = [_wrote(f"file:/out/day={d}", (at, at + 1), 1) for at, d in ((0, 1), (10, 2), (20, 1), (30, 2))]
    assert _totals(*days) == [(1, 1), (2, 2), (1, 1), (2, 2)]


def test_total_is_unknown_if_one_writer_did_not_count() -> None:
    assert _totals(_wrote("file:/out/a=1", (0, 1), 3), _wrote("file:/out/a=2", (5, 6), None)) == [(3, 1), (None, 2)]


def test_failed_run_is_not_joined() -> None:
    failed = _wrote("file:/out/a=2", (5, 6), None, failure="x")
    assert _totals(_wrote("file:/out/a=1", (0, 1), 3), failed) == [(3, 1), (None, 1)]


def test_times_locations_files_and_bytes_cover_all_runs() -> None:
    runs = JoinedRuns()
    for i in range(3):
        process = _wrote(f"file:/out/a={i}", (i * 10, i * 10 + 5), 1)
        joined = runs.join(process, places(process.outputs))
    assert (joined.run.started_ms, joined.run.ended_ms) == (0, 25)
    assert (joined.run.files_written, joined.run.bytes_written) == (3, 30)
    (output,) = joined.outputs
    assert isinstance(output, PathDataset)
    assert output.locations == tuple(f"file:/out/a={i}" for i in range(3))


def _query(rows: tuple[int, ...], files: tuple[int, ...] = (), bytes_: tuple[int, ...] = ()) -> QueryExecution:
    return QueryExecution(
        analyzed=None, mode="SKIP", sql_text=None, rows_written=rows, files_written=files, bytes_written=bytes_
    )


@pytest.mark.parametrize(
    ("query", "counted"),
    [
        (None, ()),
        (_query((3, -1), (1, 2), (10, 20)), (WriteMetrics(3, 1, 10), WriteMetrics(None, 2, 20))),
        (_query((3,)), (WriteMetrics(3, None, None),)),
    ],
    ids=["none", "all", "an older batch"],
)
def test_metrics_of_each_write(query: QueryExecution | None, counted: tuple[WriteMetrics, ...]) -> None:
    assert write_metrics(query) == counted


def test_an_action_has_the_figures_of_its_only_write() -> None:
    assert metrics_of_only_write([_query(()), None, _query((3,), (1,), (9,))]) == WriteMetrics(3, 1, 9)
    assert metrics_of_only_write([_query((3,)), _query((4,))]) == NOT_COUNTED
    assert metrics_of_only_write([_query((3, 4))]) == NOT_COUNTED
