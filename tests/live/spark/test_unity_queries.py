"""The queries of Unity Catalog's lineage tables mean the same on Spark SQL as on the stand-in of a warehouse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from sac_kafka.unity.queries import HOUR, Query, overview_query, quote_schema, rows_query
from tests.helpers.unity_catalog import WORKSPACE_ID, UnityCatalog
from tests.unit.bridge.unity.planted import NOW, START, lake
from tests.unit.bridge.unity.test_workspace import warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SINCE, UNTIL = (int(each.timestamp()) * 1_000_000 for each in (START, NOW))
_STRUCT = (
    "struct<job_info: struct<job_id: string, job_run_id: string>, notebook_id: string, "
    "dlt_pipeline_info: struct<dlt_pipeline_id: string, dlt_update_id: string>>"
)
_TYPES = {"event_time": "timestamp", "event_date": "date", "entity_metadata": _STRUCT}
_READ = {
    "event_time": lambda text: datetime.fromisoformat(text).replace(tzinfo=timezone.utc),
    "event_date": date.fromisoformat,
    "entity_metadata": json.loads,
    "BIGINT": int,
    "DATE": date.fromisoformat,
}


@pytest.fixture(scope="module")
def history() -> Iterator[UnityCatalog]:
    with lake() as server:
        yield server


@pytest.fixture(scope="module")
def tables(spark: SparkSession, history: UnityCatalog) -> SparkSession:
    """Return the session with the tables of the history, in a time zone that is not UTC."""
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    spark.sql("CREATE DATABASE unity")
    rows: dict[str, list[dict[str, Any]]] = {}
    for table, row in history.visible():
        rows.setdefault(table, []).append({name: _READ.get(name, str)(text) for name, text in row.items() if text})
    names = sorted({name for found in rows.values() for row in found for name in row} | {"entity_run_id"})
    schema = ", ".join(f"{name} {_TYPES.get(name, 'string')}" for name in names)
    for table, found in rows.items():
        frame = spark.createDataFrame([tuple(row.get(name) for name in names) for row in found], schema)
        frame.write.saveAsTable(f"unity.{table}")
    return spark


def of_spark(spark: SparkSession, query: Query) -> list[list[str | None]]:
    arguments = {name: _READ.get(each.type, str)(each.value) for name, each in query.parameters.items()}
    rows = spark.sql(query.text.replace("`system`.`access`", "unity"), arguments).collect()
    return [[None if value is None else str(value) for value in row] for row in rows]


def comparable(rows: list[list[str | None]]) -> list[list[object]]:
    """Return rows in one order, with the JSON of metadata as values."""
    read = [[json.loads(each) if each and each.startswith("{") else each for each in row] for row in rows]
    return sorted(read, key=str)


@pytest.mark.parametrize(
    "query",
    [
        overview_query(quote_schema("system.access"), WORKSPACE_ID, SINCE, UNTIL),
        *(
            rows_query(quote_schema("system.access"), WORKSPACE_ID, catalog, SINCE, UNTIL)
            for catalog in ("main", "dev", "")
        ),
        rows_query(quote_schema("system.access"), WORKSPACE_ID, "main", SINCE + 6 * HOUR, SINCE + 7 * HOUR),
    ],
)
def test_the_same_rows(query: Query, tables: SparkSession, history: UnityCatalog) -> None:
    found = of_spark(tables, query)
    assert found
    assert comparable(found) == comparable([*warehouse(history).rows(query)])
    if "flow_key" in query.text:
        assert [row[:2] for row in found] == sorted(
            (row[:2] for row in found), key=lambda row: (int(row[1] or 0), row[0])
        )
