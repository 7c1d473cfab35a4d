"""Cases over connectors without their servers: no rows are read (`limit(0)`), so nothing connects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECTORS = Family(name="connectors", jars={"3.5": "connectors-3.5"})

COLUMNS = "id bigint, customer string"
SNOWFLAKE = {
    "sfURL": "acme.snowflakecomputing.com",
    "sfUser": "clerk",
    "sfPassword": "hunter2",
    "sfDatabase": "SALES",
    "sfSchema": "PUBLIC",
}


def _copied(spark: SparkSession, work: str, called: str, options: dict[str, str], path: str | None = None) -> None:
    of = spark.read.format(called).schema(COLUMNS).options(**options)
    rows = of.load() if path is None else of.load(path)
    rows.limit(0).write.mode("overwrite").parquet(f"{work}/out/{called.rpartition('.')[2]}")


@CONNECTORS.case
def mongodb(spark: SparkSession, work: str) -> None:
    uri = "mongodb://clerk:hunter2@127.0.0.1:1/?authSource=admin"
    _copied(spark, work, "mongodb", {"connection.uri": uri, "database": "shop", "collection": "Orders"})


@CONNECTORS.case
def elasticsearch(spark: SparkSession, work: str) -> None:
    options = {"es.nodes": "127.0.0.1", "es.port": "1", "es.net.http.auth.pass": "hunter2"}
    _copied(spark, work, "es", {**options, "es.resource": "orders"})


@CONNECTORS.case
def elasticsearch_by_its_path(spark: SparkSession, work: str) -> None:
    _copied(spark, work, "org.elasticsearch.spark.sql", {"es.nodes": "127.0.0.1:1"}, "orders")


@CONNECTORS.case
def snowflake(spark: SparkSession, work: str) -> None:
    _copied(spark, work, "net.snowflake.spark.snowflake", {**SNOWFLAKE, "dbtable": "ORDERS"})


@CONNECTORS.case
def snowflake_by_a_query(spark: SparkSession, work: str) -> None:
    """Of its text nothing travels."""
    query = "SELECT id, customer FROM orders WHERE customer = 'hunter2'"
    _copied(spark, work, "snowflake", {**SNOWFLAKE, "query": query})


@CONNECTORS.case
def neo4j(spark: SparkSession, work: str) -> None:
    login = {"authentication.basic.username": "clerk", "authentication.basic.password": "hunter2"}
    options = {"url": "bolt://127.0.0.1:1", "labels": ":Person:Customer", **login}
    _copied(spark, work, "org.neo4j.spark.DataSource", options)
