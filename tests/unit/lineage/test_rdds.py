"""RDDs: sources of their dependencies, queries between them, and the jobs that write them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable

import pytest

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import Columns
from sac_kafka.lineage.columns.placeholders import unknown, unknown_reasons
from sac_kafka.lineage.flow import MAX_INPUTS
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.rdds import (
    MAX_ALTERNATIVES,
    MAX_OPEN,
    MAX_QUERIES,
    RddJobs,
    RddOrigins,
    directories_of_glob,
    format_of_hadoop,
    rdd_readings,
)
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.model import DriverRead, HBaseDataset, PathDataset, Process, TableDataset
from sac_kafka.model.gaps import CHECKPOINT_FORGOTTEN, COLUMNS_OF_RDD, RDD_NOT_INSPECTED
from sac_kafka.plan.driver_notes import RDD_OF_QUERY, DriverNote
from sac_kafka.plan.errors import Throwable
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.rdds import (
    HadoopInput,
    HadoopOutput,
    RddJobStart,
    RddRows,
    ScannedFiles,
    SparkListenerJobEnd,
)
from sac_kafka.plan.relations import ExternalRDD, HadoopFsRelation, LogicalRDD, LogicalRelation, RowsWithoutDataset
from sac_kafka.plan.specification import specification
from sac_kafka.plan.systems.jdbc import JDBCRelation
from sac_kafka.plan.wire import UnknownObject
from sac_kafka.spark.calls import rdds
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import Actions
from tests.helpers.work import steps

TEXT = "org.apache.hadoop.mapred.TextInputFormat"
HBASE = "org.apache.hadoop.hbase.mapreduce"
DRIVER = UnknownObject("org.apache.spark.rdd.ParallelCollectionRDD")
ID = Attribute(1, "id", "bigint", True)


def text(*paths: str) -> HadoopInput:
    return HadoopInput(format=TEXT, paths=paths, table=None)


def rows(
    *reads: object, rdd: int = 1, of: Iterable[int] = (), queries: Iterable[RddRows] = (), cut: bool = False
) -> RddRows:
    return RddRows(rdd_id=rdd, reads=reads, query_ids=tuple(of), queries=tuple(queries), is_cut=cut)


def origins() -> RddOrigins:
    return RddOrigins((), Counter())


def keys(found: Origin) -> list[str]:
    return sorted(d.key for d in found.inputs)


def start(of: RddRows | None, path: str | None = "file:/out", *, job: int = 7, **more: object) -> RddJobStart:
    written = HadoopOutput(format="org.apache.hadoop.mapred.TextOutputFormat", path=path, table=None)
    event = RddJobStart(job_id=job, time=1_000, rows=of, written=written, is_of_model=False, others=0, missed=0)
    return dataclasses.replace(event, **more)


def end(job: int = 7, error: str | None = None) -> SparkListenerJobEnd:
    return SparkListenerJobEnd(job_id=job, time=3_000, failure=None if error is None else Throwable(error_class=error))


def processes(actions: Actions, *events: object) -> list[Process]:
    return [o for event in events for o in actions.add(event) if isinstance(o, Process)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "before"),
    [
        ("file:/in", ["file:/in"]),
        ("file:/in/*.csv", ["file:/in"]),
        ("file:/*", ["file:/"]),
        ("hdfs://nn:8020/*/x", ["hdfs://nn:8020/"]),
        ("s3a://b/{2025,2026}/*/x{a,b}", ["s3a://b/2025", "s3a://b/2026"]),
        ("s3a://b/{a,b}/{c,d}", ["s3a://b/a/c", "s3a://b/b/c", "s3a://b/a/d", "s3a://b/b/d"]),
        ("file:/in/{a,{b,c}}", ["file:/in/a", "file:/in/b", "file:/in/c"]),
        ("file:/in/x{a", ["file:/in"]),
        ("file:/in/day=[01]?", ["file:/in"]),
        (r"file:/in/{\1,\g<0>}", ["file:/in/1", "file:/in/g<0>"]),
        (r"file:/in/a\{b,c\}", ["file:/in/a{b,c}"]),
        (r"file:/in/a\[1\]/{b\,c,d\}}/*", ["file:/in/a[1]/b,c", "file:/in/a[1]/d}"]),
        (r"file:/in/a\*/b*", ["file:/in/a*"]),
    ],
)
def test_glob_stands_for_the_directory_before_it(path: str, before: list[str]) -> None:
    assert sorted(directories_of_glob(path)) == sorted(before)


def test_globs_are_replaced_by_the_paths_they_matched_if_known() -> None:
    text = "org.apache.hadoop.mapred.TextInputFormat"
    pattern = HadoopInput(format=text, paths=("file:/in/*/x",), table=None)
    divided = dataclasses.replace(pattern, found=("file:/in/a/x", "file:/in/b/x"))
    assert [[d.path for d in r.datasets] for r in rdd_readings([pattern], ())] == [["file:/in"]]
    assert [[d.path for d in r.datasets] for r in rdd_readings([divided], ())] == [["file:/in/a/x", "file:/in/b/x"]]


def test_alternatives_of_a_glob_are_bounded() -> None:
    found = directories_of_glob("file:/in/" + "{a,b,c,d}/" * 40)
    assert "file:/in/a" + "/a" * 29 in {path[: len("file:/in/a") + 2 * 29] for path in found}
    assert len(found) <= MAX_ALTERNATIVES


def test_braces_around_one_word_are_expanded_up_to_a_bound() -> None:
    assert directories_of_glob("file:/in/" + "{a}" * MAX_ALTERNATIVES) == ("file:/in/" + "a" * MAX_ALTERNATIVES,)
    few, many = ("file:/in/" + "{a}" * count for count in (1_000, 4_000))
    assert directories_of_glob(many) == ("file:/in",)
    assert steps(lambda: directories_of_glob(many)) == steps(
        lambda: directories_of_glob(few)
    )  # each costs as much as the path is long


@pytest.mark.parametrize(
    ("format_class", "name"),
    [
        ("org.apache.hadoop.mapreduce.lib.output.TextOutputFormat", "text"),
        ("org.apache.hadoop.mapred.SequenceFileInputFormat", "sequencefile"),
        ("org.apache.spark.input.WholeTextFileInputFormat", "text"),
        ("com.example.OwnInputFormat", "own"),
        ("com.example.InputFormat", ""),
        ("", ""),
    ],
)
def test_a_format_is_called_by_its_class(format_class: str, name: str) -> None:
    assert format_of_hadoop(format_class) == name


def test_rdds_read_each_dataset_once() -> None:
    scanned = ScannedFiles(
        format="parquet", table=None, paths=("file:/c/part-00000.parquet", "file:/c/day=1/part-00000.parquet")
    )
    found = origins().origin_of_rdd(rows(text("file:/in/2026-11-21", "file:/b"), text("file:/in/2026-11-22"), scanned))
    assert keys(found) == ["path:file:/b", "path:file:/c", "path:file:/in"]
    assert found.other_sources == ()
    (daily,) = (d for d in found.inputs if d.key == "path:file:/in")
    assert isinstance(daily, PathDataset)
    assert daily.format == "text"
    assert set(daily.locations) == {"file:/in/2026-11-21", "file:/in/2026-11-22"}


def test_a_thousand_files_of_a_directory_are_one_dataset_also_where_each_has_its_rdd() -> None:
    assert keys(origins().origin_of_rdd(rows(*(text(f"file:/in/{n}x.csv") for n in range(1_000))))) == ["path:file:/in"]


def test_tables_of_hbase_and_of_databases() -> None:
    table = HadoopInput(format=f"{HBASE}.TableInputFormat", paths=(), table="shop:orders")
    database = JDBCRelation(url="jdbc:postgresql://db/shop", table="public.people", query=None, query_text=None)
    assert keys(origins().origin_of_rdd(rows(table, database))) == [
        "hbase:/shop:orders",
        "rdbms:postgresql://db:5432/shop/public.people",
    ]


def test_table_named_by_a_scan_is_read() -> None:
    named = ScannedFiles(format="parquet", table="sales.orders", paths=("file:/w/orders/part-0.parquet",))
    assert origins().origin_of_rdd(rows(named)).inputs == (TableDataset(database="sales", name="orders"),)


@pytest.mark.parametrize(
    ("read", "source", "counted"),
    [
        (DRIVER, "rows of the driver", None),
        (UnknownObject("com.example.OwnRDD"), "an RDD that is not understood", "OwnRDD"),
        (UnknownObject("org.apache.spark.rdd.NewHadoopRDD"), "an RDD that is not understood", "NewHadoopRDD"),
        (HadoopInput(format="com.example.Own", paths=(), table=None), "an RDD that is not understood", "Own"),
        (HadoopInput(format=HBASE, paths=(), table=":"), "an RDD that is not understood", "mapreduce"),
        (JDBCRelation(url="nothing of JDBC", table="t"), "an RDD that is not understood", "JDBCRDD"),
    ],
)
def test_rdd_without_a_dataset_is_described_and_an_unknown_one_counted(
    read: object, source: str, counted: str | None
) -> None:
    counts: Counter[str] = Counter()
    found = RddOrigins((), counts).origin_of_rdd(rows(read, text("file:/a")))
    assert (keys(found), found.other_sources) == (["path:file:/a"], (source,))
    assert counts == ({} if counted is None else {f"RDD not understood: {counted}": 1})


def test_noted_query_gives_the_reads_of_its_rdd() -> None:
    known = origins()
    known.add_query(5, Origin(inputs=(TableDataset(database="d", name="t"),), columns=Columns(())))
    of = rows(text("file:/a"), of=(5, 6), queries=(rows(text("file:/w/t"), rdd=5), rows(text("file:/b"), rdd=6)))
    assert keys(known.origin_of_rdd(of)) == ["path:file:/a", "path:file:/b", "table:spark_catalog.d.t"]
    assert keys(origins().origin_of_rdd(of)) == ["path:file:/a", "path:file:/b", "path:file:/w/t"]


def test_reads_before_a_checkpoint_are_remembered() -> None:
    known, cut = origins(), rows(UnknownObject("org.apache.spark.rdd.ReliableCheckpointRDD"), rdd=5)
    known.add_checkpoint(rows(text("file:/a"), DRIVER, rdd=5))
    known.add_checkpoint(rows(rdd=5, of=(5,), queries=(cut,)))  # read again after the computation
    found = known.origin_of_rdd(rows(text("file:/b"), rdd=7, of=(5,), queries=(cut,)))
    assert (keys(found), found.other_sources, found.gaps) == (
        ["path:file:/a", "path:file:/b"],
        ("rows of the driver",),
        (COLUMNS_OF_RDD,),
    )


@pytest.mark.parametrize("kind", ["ReliableCheckpointRDD", "LocalCheckpointRDD"])
def test_unnoted_checkpoint_is_a_gap(kind: str) -> None:
    counts: Counter[str] = Counter()
    cut = rows(UnknownObject(f"org.apache.spark.rdd.{kind}"), rdd=5)
    found = RddOrigins((), counts).origin_of_rdd(rows(of=(5,), queries=(cut,)))
    assert (keys(found), found.other_sources, found.gaps) == ([], ("rows of a checkpoint",), (CHECKPOINT_FORGOTTEN,))
    assert counts == {CHECKPOINT_FORGOTTEN: 1}


def test_job_marks_inputs_that_passed_through_the_driver() -> None:
    known = origins()
    table = TableDataset(database="d", name="t")
    known.add_query(
        5, Origin(inputs=(table,), columns=Columns(()), through_driver=(DriverRead(table, "values of it"),))
    )
    jobs = RddJobs(Attribution(APPLICATION), known, (), Counter())
    jobs.start(start(rows(text("file:/a"), of=(5,))))
    ((process, _),) = jobs.end(end())
    assert process.through_driver == (DriverRead(table, "values of it"),)


def test_a_long_chain_of_queries_is_followed_to_its_end_and_a_circle_ends() -> None:
    chain = [rows(rdd=n, of=(n + 1,)) for n in range(2, 5_000)]
    assert keys(origins().origin_of_rdd(rows(of=(2,), queries=(*chain, rows(text("file:/a"), rdd=5_000))))) == [
        "path:file:/a"
    ]
    circle = rows(text("file:/a"), rdd=2, of=(2, 3)), rows(rdd=3, of=(2,))
    assert keys(origins().origin_of_rdd(rows(of=(2,), queries=circle))) == ["path:file:/a"]


def test_memory_is_bounded() -> None:
    counts: Counter[str] = Counter()
    known = RddOrigins((), counts)
    for n in range(MAX_QUERIES + 1):
        known.add_query(n, Origin(inputs=(TableDataset(database="d", name=str(n)),), columns=Columns(())))
    assert keys(known.origin_of_rdd(rows(of=(0, 1)))) == ["table:spark_catalog.d.1"]
    assert (
        len(known.origin_of_rdd(rows(*(text(f"file:/{n}x/a/b") for n in range(MAX_INPUTS * 3)))).inputs) <= MAX_INPUTS
    )
    found = known.origin_of_rdd(rows(text("file:/a"), cut=True))
    assert found.other_sources == ("further RDDs, over the limit",)
    assert counts["RDDs omitted: too many"] == 1


@pytest.mark.parametrize(
    ("read", "inputs", "because"),
    [
        (text("file:/a"), ["path:file:/a"], {COLUMNS_OF_RDD}),
        (UnknownObject("org.example.MysteryRDD"), [], {COLUMNS_OF_RDD}),
        (DRIVER, [], set()),  # it is known that these come from no column
    ],
    ids=["files", "not understood", "rows of the driver"],
)
def test_columns_of_a_leaf_of_rows_are_unknown(read: object, inputs: list[str], because: set[str]) -> None:
    for kind in (LogicalRDD, ExternalRDD):
        leaf = kind(class_name=kind.__name__, output=(ID,), rdd_id=1, rows=rows(read))
        found = origins().origin_of(leaf)
        assert found is not None
        assert keys(found) == inputs
        assert [(c.expr_id, c.name, unknown_reasons(c.sources)) for c in found.columns.outputs] == [(1, "id", because)]
        assert COLUMNS_OF_RDD not in found.gaps  # unless such a column is written


@pytest.mark.parametrize("kind", ["LocalCheckpointRDD", "ReliableCheckpointRDD"])
def test_reads_before_an_rdd_checkpoint_are_missing(kind: str) -> None:
    counts: Counter[str] = Counter()
    read = rows(UnknownObject(f"org.apache.spark.rdd.{kind}"))
    leaf = LogicalRDD(output=(ID,), rdd_id=1, rows=read)
    found = RddOrigins((), counts).origin_of(leaf)
    assert found is not None
    assert (found.gaps, found.other_sources) == ((CHECKPOINT_FORGOTTEN,), ("rows of a checkpoint",))
    assert [c.sources for c in found.columns.outputs] == [unknown(COLUMNS_OF_RDD)]
    assert counts == {CHECKPOINT_FORGOTTEN: 1}


def test_without_rdd_lineage_there_is_a_gap() -> None:
    counts: Counter[str] = Counter()
    leaf = LogicalRDD(output=(ID,), rdd_id=1)
    found = RddOrigins((), counts, follows=False).origin_of(leaf)
    assert found is not None
    assert (found.gaps, found.other_sources) == ((RDD_NOT_INSPECTED,), ("rows of the driver or an RDD",))
    assert counts == {RDD_NOT_INSPECTED: 1}


def test_other_leaves_and_unrecorded_rdds_have_no_origin() -> None:
    assert origins().origin_of(LogicalRDD(output=(ID,), rdd_id=1)) is None
    stream = LogicalRDD(output=(ID,), rdd_id=1, is_streaming=True)
    assert RddOrigins((), Counter(), follows=False).origin_of(stream) is None
    assert origins().origin_of(RowsWithoutDataset(class_name="Range", output=(ID,))) is None


def test_a_job_that_has_succeeded_is_one_process() -> None:
    actions = Actions(APPLICATION)
    (process,) = processes(actions, start(rows(text("file:/a"), DRIVER), others=2, missed=1), end())
    assert [d.key for d in process.inputs] == ["path:file:/a"]
    assert [(d.key, d.format) for d in process.outputs if isinstance(d, PathDataset)] == [("path:file:/out", "text")]
    assert (process.columns, process.columns_omitted) == ((), None)
    assert process.other_sources == ("rows of the driver",)
    assert (process.run.execution_id, process.run.jobs) == (None, (7,))
    assert (process.run.started_ms, process.run.ended_ms, process.run.failure) == (1_000, 3_000, None)
    assert actions.counts == {
        "RDD jobs": 1,
        "RDD jobs without a known output": 2,
        "RDD jobs that ended before they were inspected": 1,
    }


def test_a_job_writes_to_hbase() -> None:
    written = HadoopOutput(format=f"{HBASE}.TableOutputFormat", path=None, table="orders")
    (process,) = processes(Actions(APPLICATION), start(rows(text("file:/a")), written=written), end())
    assert process.outputs == (HBaseDataset(namespace="default", table="orders"),)


def test_failed_job_is_reported_only_if_failures_are_enabled() -> None:
    events = start(rows(text("file:/a"))), end(error="org.apache.spark.SparkException")
    assert processes(Actions(APPLICATION), *events) == []
    (process,) = processes(Actions(APPLICATION, LineageOptions(failed_too=True)), *events)
    assert process.run.failure == "org.apache.spark.SparkException"


@pytest.mark.parametrize(
    ("event", "counted"),
    [
        (start(rows(), path=None), "output of an RDD not understood: TextOutputFormat"),
        (start(rows(), written=None), "output of an RDD not understood: unknown"),
        (start(rows(), is_of_model=True), "RDD jobs that write a part of a model"),
    ],
)
def test_job_without_a_flow_is_counted(event: RddJobStart, counted: str) -> None:
    actions = Actions(APPLICATION)
    assert processes(actions, event, end()) == []
    assert actions.counts == {counted: 1}


def test_unreadable_rdd_and_end_without_a_start_have_no_outcome() -> None:
    assert processes(Actions(APPLICATION), start(None), end(), end(8), end()) == []


def test_jobs_that_never_end_are_forgotten() -> None:
    actions = Actions(APPLICATION)
    assert processes(actions, *(start(rows(), job=n) for n in range(MAX_OPEN + 1)), end(0)) == []
    assert len(processes(actions, end(1))) == 1


def test_path_that_is_a_known_table_is_that_table() -> None:
    relation = HadoopFsRelation(root_paths=("file:/w/t",), file_format="parquet")
    plan = LogicalRelation(relation=relation, catalog_table=None, output=(ID,))
    actions = Actions(APPLICATION)
    noted = DriverNote(kind=RDD_OF_QUERY, text="5", plan=plan)
    (process,) = processes(actions, noted, start(rows(of=(5,))), end())
    assert [d.key for d in process.inputs] == ["path:file:/w/t"]
    assert actions.counts == {"RDD jobs": 1}


def test_note_without_a_plan_is_only_counted() -> None:
    actions = Actions(APPLICATION)
    assert processes(actions, DriverNote(kind=RDD_OF_QUERY, text="5")) == []
    assert actions.counts == {f"note of the driver not understood: {RDD_OF_QUERY}": 1}


def test_notes_have_the_same_names_in_both_packages() -> None:
    assert rdds.RDD_OF_QUERY == RDD_OF_QUERY


def test_disabled_rdd_lineage_is_not_captured() -> None:
    on, off = specification(), specification(follows_rdds=False)
    assert {line.split("\t")[2] for line in set(on.split("\n")) - set(off.split("\n")) if line.startswith("field")} == {
        "@rddRows"
    }
    assert [line for line in on.split("\n") if line not in off.split("\n") and line.startswith("event")] == [
        "event\tsackafka.RddJobStart"
    ]
