"""Runs the cases of an open conformance suite through the hook: `make conformance SAC_KAFKA_CONFORMANCE=/path/to/cases.json`.

Each case is executed on a real Spark with the hook attached, in a separate session and with a metastore that is empty but for
the case's setup. What counts is what the hook makes of it: the flows on their way to the messages, and the inputs and outputs
that the messages name. A query without output is no flow: its rows are written to a directory, its columns renamed to their
position (names may repeat), and only inputs and columns are compared. A MERGE into tables that cannot run it fails after its
analysis: the hook reports it as failed, and that report is compared. The source whose tables take inserts and the V2 catalog
are the project's own (`tests/helpers/catalog`). How an expectation is compared stands in `expectations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

import sac_kafka
from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.atlas.wire.reader import read
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.model import ColumnSource, Dataset, PathDataset, Process, TableDataset
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from tests.helpers.catalog import building
from tests.helpers.live_runs import session
from tests.live.conformance.expectations import MISSING, ConformanceCase, Found, differences, read_cases

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.conformance]

NAMESPACE = "conformance"
V2_NAMESPACES = ("db", "test_db_v2")


class Live:
    """A Spark with the hook, and what the hook made since the last look."""

    def __init__(self, spark: SparkSession, work: Path) -> None:
        self.spark = spark
        self.work = work
        self.hook = sac_kafka.attach(spark)
        self.processes: list[Process] = []
        self._read = 0

    def look(self) -> tuple[list[Process], set[str]]:
        """Return the flows since the last look, and the names that the messages gave their inputs and outputs."""
        assert self.hook.flush(60)
        processes, self.processes[:] = list(self.processes), []
        records = self.hook.transport.records[self._read :]
        self._read += len(records)
        values = (value for record in records for value in record.values)
        creates = [n for value in values if isinstance(n := read(value).notification, EntityCreate)]
        entities = [e for create in creates for e in create.entities if e.id.type_name == "spark_process"]
        return processes, {
            end.qualified_name for e in entities for side in ("inputs", "outputs") for end in e.references.get(side, ())
        }


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, monkeypatch_module: pytest.MonkeyPatch) -> Iterator[Live]:
    building.on_class_path()
    work = tmp_path_factory.mktemp("conformance")
    spark = session(
        str(work),
        **{
            "spark.sql.catalogImplementation": "hive",
            "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={work}/metastore;create=true",
            "spark.driver.extraJavaOptions": f"-Dderby.system.home={work}",
            "spark.atlas.metadata.namespace": NAMESPACE,
            "spark.atlas.client.type": "memory",
            "spark.atlas.hook.spark.views": "through",  # most cases expect what is below a view
            "spark.atlas.hook.spool.dir": str(work / "spool"),
        },
    )
    found = Live(spark, work)
    steps = Pipeline._run_stage

    def tapped(self: Pipeline, *arguments: object) -> Iterator[ScheduledOutcome]:
        for step in steps(self, *arguments):
            if isinstance(step.outcome, Process):
                found.processes.append(step.outcome)
            yield step

    monkeypatch_module.setattr(Pipeline, "_run_stage", tapped)
    yield found
    found.hook.detach()
    spark.stop()


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.mark.parametrize("case", read_cases() or [None], ids=lambda case: case.id if case else "file")
def test_a_case_is_as_expected(
    case: ConformanceCase | None, live: Live, tmp_path: Path, conformance_results: list[tuple[str, str, list[str]]]
) -> None:
    if case is None:
        pytest.fail(MISSING)
    spark = live.spark.newSession()
    try:
        _prepare(spark, case, tmp_path)
        live.look()
        names = _execute(spark, case, tmp_path)
        processes, named = live.look()
    finally:
        _clean(spark)
        live.look()
    found = _found(case, processes, names, tmp_path)
    wrong = differences(case, found)
    unnamed = [name for name in _qualified_names(processes) if name not in named]
    if unnamed:
        wrong.append(f"no message names {unnamed}")
    policies = ", ".join(sorted(t for t in case.tags if t.startswith("kyuubi_policy_") or t == "path_input"))
    conformance_results.append((case.id, policies, wrong))
    assert not wrong


def _prepare(spark: SparkSession, case: ConformanceCase, folder: Path) -> None:
    if "v2_catalog" in case.catalogs:
        for key, value in building.settings("v2_catalog", row_level=case.has_row_level_tables).items():
            spark.conf.set(key, value)
        for namespace in V2_NAMESPACES:
            spark.sql(f"create namespace if not exists v2_catalog.{namespace}")
    if case.table is not None:
        source = building.CLASS.replace("MemoryCatalog", "InsertableSource")
        spark.sql(f"create table {case.table['name']} ({case.table['schema']}) using {source}")
    (folder / "file").touch()
    for statement in case.setup:
        spark.sql(_placed(statement, folder))


def _execute(spark: SparkSession, case: ConformanceCase, folder: Path) -> list[str] | None:
    """Run what is under test; of a query, the names of its columns."""
    from pyspark.errors import PySparkException

    if case.sql is None:
        known = {"spark": spark}
        for step in case.steps[:-1]:  # the last one looks at the plan of `df`
            exec(step, known)
        df = known["df"]
    elif not case.is_query:
        try:
            spark.sql(_placed(case.sql, folder)).collect()
        except PySparkException:
            if not case.fails:
                raise
        return None
    else:
        df = spark.sql(_placed(case.sql, folder))
    names = list(df.columns)
    df.toDF(*(str(i) for i in range(len(names)))).write.parquet(str(folder / "result"))
    return names


def _placed(statement: str, folder: Path) -> str:
    return statement.replace("{DIR}", str(folder / "directory")).replace("{FILE}", str(folder / "file")).rstrip("; \n")


def _clean(spark: SparkSession) -> None:
    spark.catalog.clearCache()
    for (database,) in spark.sql("show databases").collect():
        if database != "default":
            spark.sql(f"drop database {database} cascade")
    spark.sql("use default")
    views = {row.viewName for row in spark.sql("show views").collect() if not row.isTemporary}
    for row in spark.sql("show tables").collect():
        if not row.isTemporary:
            spark.sql(f"drop {'view' if row.tableName in views else 'table'} default.{row.tableName}")
    if spark.conf.get("spark.sql.catalog.v2_catalog", None) is not None:
        for namespace in V2_NAMESPACES:
            spark.sql(f"drop namespace if exists v2_catalog.{namespace} cascade")


def _found(case: ConformanceCase, processes: list[Process], names: list[str] | None, folder: Path) -> Found:
    """Return the flows of a case in the names of the file."""
    datasets = {d.key: d for p in processes for d in (*p.inputs, *p.outputs)}
    inputs = {d.key for p in processes for d in p.inputs}
    views = {key for key in inputs if isinstance(d := datasets[key], TableDataset) and d.table_type == "VIEW"}
    # A view and what is below it are both inputs; the case compares one of them.
    counted = (views or inputs) if case.stops_at_views else inputs - views
    columns = []
    for c in (c for p in processes for c in p.columns):
        every = [s for s in c.sources if s.dataset in counted]
        direct = [s for s in every if s.dependency.is_direct]
        shown = names[int(c.column)] if names else f"{_name(datasets[c.dataset], folder)}.{c.column}"
        columns.append((shown.lower(), _columns(direct, datasets, folder), _columns(every, datasets, folder)))
    return Found(
        inputs=frozenset(_name(datasets[key], folder) for key in counted),
        outputs=frozenset(_name(d, folder) for p in processes for d in p.outputs),
        columns=tuple(columns),
        rows=_columns((s for p in processes for s in p.row_level), datasets, folder),
        paths=frozenset(_name(datasets[key], folder) for key in counted if isinstance(datasets[key], PathDataset)),
    )


def _columns(sources: Iterable[ColumnSource], datasets: Mapping[str, Dataset], folder: Path) -> frozenset[str]:
    return frozenset(f"{_name(datasets[s.dataset], folder)}.{s.column}".lower() for s in sources)


def _name(dataset: Dataset, folder: Path) -> str:
    if isinstance(dataset, PathDataset):
        place = dataset.path.removeprefix("file:").replace(str(folder / "directory"), "{DIR}").lower()
        return f"`{place}`"
    return dataset.key.partition(":")[2].lower()


def _qualified_names(processes: list[Process]) -> list[str]:
    """Return the names that messages must give the tables of flows; a failed flow needs an earlier message."""
    return [
        f"{'' if d.catalog is None else f'{d.catalog}.'}{d.database}.{d.name}@{NAMESPACE}"
        for p in processes
        if p.run.failure is None
        for d in (*p.inputs, *p.outputs)
        if isinstance(d, TableDataset)
    ]
