"""One flow on each platform: what its process is called, and what it belongs to. And paths of OneLake, topics of Kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.purview.assets import (
    FABRIC,
    FABRIC_WORKSPACE,
    LAKEHOUSE,
    Asset,
    abfss,
    gen2_set,
    lakehouse_table,
    onelake,
    sql_table,
)
from tests.live.purview.contexts import FABRIC_NOTEBOOK, NAMESPACE, NOTEBOOK_TASK, PLAIN, SCRIPT_TASK, SYNAPSE
from tests.live.purview.databases_cases import LOGIN, TYPES
from tests.live.purview.databases_cases import SYNAPSE as POOL
from tests.live.purview.expecting import case, flow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RAW = gen2_set("raw/orders")
COLUMNS = "id, customer, amount, day"


@case(NOTEBOOK_TASK, flow({RAW: "id"}, gen2_set("out/notebook_task")))
def notebook_of_a_job(spark: SparkSession, work: str) -> None:
    spark.read.parquet(abfss("raw/orders")).select("id").write.parquet(abfss("out/notebook_task"))


@case(SCRIPT_TASK, flow({RAW: "id"}, gen2_set("out/script_task")))
def script_of_a_job(spark: SparkSession, work: str) -> None:
    spark.read.parquet(abfss("raw/orders")).select("id").write.parquet(abfss("out/script_task"))


@case(
    SYNAPSE,
    flow({RAW: COLUMNS}, gen2_set("out/synapse")),
    flow(
        {gen2_set("out/synapse"): COLUMNS},
        sql_table("azure_synapse_dedicated_sql_table", "contosows.sql.azuresynapse.net/pool1/stage/orders"),
    ),
)
def notebook_of_synapse(spark: SparkSession, work: str) -> None:
    spark.read.parquet(abfss("raw/orders")).write.parquet(abfss("out/synapse"))
    jvm = spark._jvm
    jvm.java.sql.DriverManager.getConnection(POOL).createStatement().execute("create schema if not exists stage")
    written = spark.read.parquet(abfss("out/synapse")).write.format("jdbc")
    written.options(url=POOL, dbtable="stage.orders", **LOGIN, **TYPES).mode("overwrite").save()


_FILES = Asset("fabric_path", f"{FABRIC}/{FABRIC_WORKSPACE}/lakehouses/{LAKEHOUSE}/*iles/landing/orders*")


@case(
    FABRIC_NOTEBOOK,
    flow({_FILES: "id"}, lakehouse_table("orders")),
    flow({lakehouse_table("orders"): "id"}, gen2_set("out/from_fabric")),
)
def files_and_tables_of_a_lakehouse(spark: SparkSession, work: str) -> None:
    spark.read.parquet(onelake("Files/landing/orders")).select("id").write.parquet(onelake("Tables/orders"))
    spark.read.parquet(onelake("Tables/orders")).write.parquet(abfss("out/from_fabric"))


_TOPIC = Asset("kafka_topic", f"orders@{NAMESPACE}")


@case(
    PLAIN,
    flow({RAW: "customer > key, amount > value, id > value"}, _TOPIC),
    flow({_TOPIC: "key > customer, value > body"}, gen2_set("out/from_kafka")),
    needs="kafka",
)
def through_a_topic(spark: SparkSession, work: str) -> None:
    servers = {"kafka.bootstrap.servers": spark.conf.get("spark.test.bootstrap")}
    rows = spark.read.parquet(abfss("raw/orders")).selectExpr("customer key", "to_json(struct(id, amount)) value")
    rows.write.format("kafka").options(**servers).option("topic", "orders").save()
    read = spark.read.format("kafka").options(**servers).option("subscribe", "orders").load()
    read.selectExpr("cast(key as string) customer", "cast(value as string) body").write.parquet(abfss("out/from_kafka"))
