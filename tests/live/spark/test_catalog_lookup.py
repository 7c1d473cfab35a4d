"""Look-ups of the listener in the catalog of a real Spark; rows, failures and plan texts of real runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import Outcome, Process, TableDefined
from sac_kafka.plan import wire
from sac_kafka.plan.catalog import AlterTableEvent, CatalogEvent, CreateTableEvent, DropTableEvent
from tests.helpers.live_runs import APPLICATION, SETTINGS, Capture
from tests.helpers.staged import Actions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sac_kafka.spark.listener import ListenerSettings

pytestmark = [pytest.mark.spark, pytest.mark.subset]


@pytest.fixture(scope="module", autouse=True)
def orders(spark: SparkSession) -> None:
    spark.createDataFrame([(1, "a"), (2, "b")], "id int, name string").write.mode("overwrite").saveAsTable("orders")


@pytest.fixture
def capture(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[Capture]:
    settings: ListenerSettings = getattr(request, "param", SETTINGS)
    capture = Capture(spark, settings)
    yield capture
    capture.listener.detach()


def outcomes(text: str) -> list[Outcome]:
    return Capture.outcomes_of(text, Actions(APPLICATION, LineageOptions(failed_too=True)))


@pytest.mark.parametrize("capture", [dataclasses.replace(SETTINGS, looks_up_catalog=False)], indirect=True)
def test_a_remote_metastore_is_not_queried(spark: SparkSession, capture: Capture) -> None:
    def statements() -> None:
        spark.sql("create table unasked using parquet as select id from orders")
        spark.sql("alter table unasked set tblproperties ('a' = 'b')")
        spark.sql("drop table unasked")

    text = capture.text_of(statements)
    events = [line.event for line in wire.read(text) if isinstance(line, wire.Projected)]
    seen = [e for e in events if isinstance(e, CatalogEvent)]
    created, altered, dropped = seen
    assert isinstance(created, CreateTableEvent)
    assert isinstance(altered, AlterTableEvent)
    assert isinstance(dropped, DropTableEvent)
    assert (created.definition, altered.definition, dropped.is_looked_up) == (None, None, False)
    assert [type(o) for o in outcomes(text)] == [Process]


def test_a_table_dropped_before_its_look_up_is_only_dropped(spark: SparkSession, capture: Capture) -> None:
    catalog = spark._jsparkSession.sharedState().externalCatalog()
    event = spark._jvm.org.apache.spark.sql.catalyst.catalog.CreateTableEvent("default", "never_there")
    text = capture.text_of(lambda: spark.sparkContext._jsc.sc().listenerBus().post(event))
    assert not catalog.tableExists("default", "never_there")
    (line,) = [line for line in wire.read(text) if isinstance(line, wire.Projected)]
    assert isinstance(line.event, CreateTableEvent)
    assert (line.event.database, line.event.name, line.event.definition) == ("default", "never_there", None)
    assert not line.notes
    assert outcomes(text) == []


def test_rows_of_adaptive_and_nested_writes(spark: SparkSession, work: Path, capture: Capture) -> None:
    def statements() -> None:
        joined = "select a.id, b.name from orders a join orders b on a.id = b.id"
        spark.sql(f"create table counted using parquet as {joined}")
        spark.sql(f"insert into counted {joined} where a.id = 1")
        spark.sql("from orders insert into counted select * where id = 1 insert into counted select *")
        spark.sql(f"insert overwrite directory '{work}/counted' using json select id from counted")

    rows = [o.run.rows_written for o in outcomes(capture.text_of(statements)) if isinstance(o, Process)]
    # Spark 4 runs both inserts of one statement at once: two runs of one flow that overlap add up.
    assert rows == [2, 1, 1, 2 if spark.version.startswith("3.") else 3, 6]


def test_a_failed_write_is_a_process_with_the_reason(spark: SparkSession, work: Path, capture: Capture) -> None:
    def fail() -> None:
        with pytest.raises(Exception, match=r"planted|USER_RAISED"):
            spark.sql("select id, cast(raise_error('planted hunter2') as string) e from orders").write.parquet(
                f"{work}/failed"
            )

    text = capture.text_of(fail)
    (process,) = outcomes(text)
    assert isinstance(process, Process)
    assert process.run.failure is not None
    assert "Exception" in process.run.failure
    assert [d.key for d in process.inputs] == ["table:spark_catalog.default.orders"]
    assert process.run.rows_written is None
    assert "hunter2" not in text


def test_the_plan_is_sent_if_configured(spark: SparkSession, work: Path, capture: Capture) -> None:
    df = spark.sql("select upper(name) who from orders where name <> 'hunter2'")
    text = capture.text_of(lambda: df.write.mode("overwrite").parquet(f"{work}/planned"))
    (process,) = Capture.outcomes_of(text, Actions(APPLICATION, LineageOptions(plan_text=True)))
    assert isinstance(process, Process)
    assert process.run.plan_text is not None
    lines = [line.strip() for line in process.run.plan_text.split("\n")]
    assert lines[0].startswith("InsertIntoHadoopFsRelationCommand")
    assert any(line.startswith("Filter [") and "?" in line and "name" in line for line in lines)
    assert "hunter2" not in process.run.plan_text


def test_a_definition_precedes_the_process_that_made_it(spark: SparkSession, capture: Capture) -> None:
    outcomes_of_definition = outcomes(
        capture.text_of(lambda: spark.sql("create table ordered using parquet as select id from orders"))
    )
    defined, process = outcomes_of_definition
    assert isinstance(defined, TableDefined)
    assert isinstance(process, Process)
    assert process.outputs == (defined.table,)
