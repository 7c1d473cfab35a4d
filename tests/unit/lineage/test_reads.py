"""Read and write metrics of runs per dataset, as Spark counted them, on recorded batches; the rows are those of `cases`."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.extract import reads
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import DatasetRead, PathDataset, Process, Run, TableDataset
from sac_kafka.model.processes import sum_reads
from sac_kafka.plan.execution import ScanMetrics
from sac_kafka.plan.relations import LogicalRelation
from sac_kafka.stages.filters.outcomes import FilterCounts
from sac_kafka.stages.joined_runs import JoinedRuns
from tests.cases.batches import BATCHES
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions, filtered
from tests.unit.lineage.filters.datasets import selection

SPARKS = ["3.5.9", "4.3.0"]
ORDERS, CUSTOMERS = "table:spark_catalog.cases.orders", "table:spark_catalog.cases.customers"
SHOP = "rdbms:derby://:/memory:shop/orders"
FAILED = {
    "3.5.9": "org.apache.spark.SparkException",
    "4.3.0": "org.apache.spark.SparkRuntimeException [USER_RAISED_EXCEPTION] P0001",
}


def of(version: str, case: str) -> list[Process]:
    """Return the processes of a case without definitions of views, failed runs included."""
    text = (BATCHES / version / f"{case}.txt").read_text("utf-8")
    found = Capture.outcomes_of(text, Actions(APPLICATION, LineageOptions(failed_too=True)))
    return [each for each in found if isinstance(each, Process) and not each.defines_view]


def read(each: Process) -> dict[str, tuple[int | None, int | None]]:
    """Return rows and files of each dataset; files have bytes if there are any."""
    assert all((r.bytes is None) == (r.files is None) and bool(r.bytes) == bool(r.files) for r in each.run.read)
    return {r.dataset.replace("file:/work-of-the-case", ""): (r.rows, r.files) for r in each.run.read}


@pytest.mark.parametrize("version", SPARKS)
def test_each_dataset_has_the_metrics_of_its_scans(version: str) -> None:
    assert [read(each) for each in of(version, "reads_counted")] == [
        {CUSTOMERS: (1, 1), ORDERS: (6, 2)},  # orders is read twice
        {"path:/in/daily": (6, 2)},  # two days of three rows
        {SHOP: (1, None), "table:spark_catalog.cases.bigger_orders": (3, 1)},  # the view's are those of its table
        {"table:mem.db.orders": (3, None)},
    ]


@pytest.mark.parametrize("version", SPARKS)
def test_inputs_that_were_not_scanned_have_no_metrics(version: str) -> None:
    days = "table:spark_catalog.cases.counted_days"
    assert [read(each) for each in of(version, "reads_not_counted")] == [
        {},  # from the cache
        {ORDERS: (3, 1)},  # nothing of customers, where no row can be
        {days: (0, 0)},  # read, and empty
        {ORDERS: (3, 1)},
        {days: (1, 1)},  # of two partitions one
    ]


@pytest.mark.parametrize("version", SPARKS)
def test_metrics_of_nested_executions_belong_to_the_action(version: str) -> None:
    made = "table:spark_catalog.cases.read_within"
    processes = of(version, "reads_within")
    assert [read(each) for each in processes] == [{ORDERS: (3, 1)}, {made: (3, 1)}, {made: (3, 1)}]
    assert [each.run.rows_written for each in processes] == [3, 3, None]
    assert all(each.run.jobs for each in processes)


@pytest.mark.parametrize("version", SPARKS)
def test_each_target_of_a_multi_insert_has_its_own_metrics(version: str) -> None:
    processes = of(version, "reads_of_a_multi_insert")
    assert [read(each) for each in processes] == [{ORDERS: (3, 1)}, {ORDERS: (3, 1)}]
    assert [each.run.rows_written for each in processes] == [2, 3]


@pytest.mark.parametrize("version", SPARKS)
def test_insert_committed_before_another_failed_has_succeeded(version: str) -> None:
    first, second = of(version, "second_insert_fails")
    assert (first.run.failure, first.run.rows_written, first.run.files_written) == (None, 3, 1)
    assert (second.run.failure, second.run.rows_written, second.run.read) == (FAILED[version], None, ())
    assert [each.outputs[0].key.rpartition(".")[2] for each in (first, second)] == ["sink", "sink2"]


@pytest.mark.parametrize("version", SPARKS)
def test_committed_insert_is_reported_without_failures(version: str) -> None:
    text = (BATCHES / version / "second_insert_fails.txt").read_text("utf-8")
    (first,) = Capture.processes_of(text)
    assert first.run.failure is None


# ---- scans and leaves, without a Spark


def _leaf() -> LogicalRelation:
    return LogicalRelation(relation=None, catalog_table=None, output=())


def _scan(*leaves: LogicalRelation, rows: int | None, write: int = 0, files: int | None = 1) -> ScanMetrics:
    return ScanMetrics(leaves=leaves, write=write, rows=rows, files=files, bytes=None)


def test_scans_of_one_dataset_add_up_unless_one_is_unknown() -> None:
    a, b, c = _leaf(), _leaf(), _leaf()
    at = {id(a): ("x",), id(b): ("x",), id(c): ("y",)}
    scans = [_scan(a, rows=3), _scan(b, rows=4, files=None), _scan(c, rows=5)]
    assert reads(scans, at) == (DatasetRead(dataset="x", rows=7), DatasetRead(dataset="y", rows=5, files=1))


def test_scan_of_several_datasets_has_no_metrics() -> None:
    a, b = _leaf(), _leaf()
    at = {id(a): ("x", "y"), id(b): ("x",)}
    assert reads([_scan(a, rows=3), _scan(b, rows=4)], at) == ()
    assert reads([_scan(b, rows=4)], at) == (DatasetRead(dataset="x", rows=4, files=1),)


def test_scan_of_indistinguishable_leaves_counts_if_they_are_one_dataset() -> None:
    a, b, c = _leaf(), _leaf(), _leaf()
    at = {id(a): ("x",), id(b): ("x",), id(c): ("y",)}
    assert [each.dataset for each in reads([_scan(a, b, rows=1)], at)] == ["x"]
    assert reads([_scan(a, c, rows=1)], at) == ()


def test_scan_counts_for_its_write_or_for_all_if_it_has_none() -> None:
    a = _leaf()
    at = {id(a): ("x",)}
    scans = [_scan(a, rows=1, write=0), _scan(a, rows=10, write=1), _scan(a, rows=100, write=-1)]
    assert [reads(scans, at, position)[0].rows for position in (0, 1, 2)] == [101, 110, 100]


def test_scan_of_an_unknown_leaf_has_no_metrics() -> None:
    assert reads([_scan(_leaf(), rows=1), _scan(rows=1)], {}) == ()


# ---- what becomes of it

TABLE, PATH = TableDataset(database="db", name="a"), PathDataset(path="file:/b", format="parquet")
OUT = PathDataset(path="file:/out", format="parquet")


def _ran(*found: DatasetRead, start: int = 0, end: int = 10) -> Process:
    run = Run(execution_id=1, started_ms=start, ended_ms=end, rows_written=1, read=found)
    return Process(application=APPLICATION, run=run, inputs=(PATH, TABLE), outputs=(OUT,))


def test_runs_that_count_as_one_have_read_what_both_have() -> None:
    runs = JoinedRuns()
    first = DatasetRead(dataset=TABLE.key, rows=3, files=1, bytes=10)
    runs.join(_ran(first, DatasetRead(dataset=PATH.key, rows=1)), frozenset())
    second = runs.join(_ran(first, start=5, end=15), frozenset())
    assert second.run.executions == 2
    assert second.run.read == (DatasetRead(dataset=TABLE.key, rows=6, files=2, bytes=20),)
    assert sum_reads((), (first,)) == ()


def test_excluded_dataset_is_not_named_by_its_metrics() -> None:
    ran = _ran(DatasetRead(dataset=TABLE.key, rows=3), DatasetRead(dataset=PATH.key, rows=4))
    (left,) = filtered([ran], APPLICATION, selection("db.a"), FilterCounts())
    assert isinstance(left, Process)
    assert left.run.read == (DatasetRead(dataset=PATH.key, rows=4),)
