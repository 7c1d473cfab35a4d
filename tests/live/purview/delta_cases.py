"""Delta Lake: directories and tables that are written, merged, updated and read as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.live.purview.assets import ANY, Asset, abfss, gen2_set, hive_table
from tests.live.purview.contexts import NOTEBOOK, PLAIN
from tests.live.purview.expecting import case, flow
from tests.live.purview.prepared import orders

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RAW = gen2_set("raw/orders")
COLUMNS = "id, customer, amount, day"


def prepare(spark: SparkSession) -> None:
    orders(spark).write.format("delta").save(abfss("lake/orders"))
    orders(spark).write.format("delta").save(abfss("lake/updates"))
    orders(spark).write.format("delta").saveAsTable("sales.delta_orders")


def _target(spark: SparkSession, name: str) -> str:
    orders(spark).write.format("delta").save(abfss(f"lake/{name}"))
    return f"delta.`{abfss(f'lake/{name}')}`"


@case(PLAIN, flow({gen2_set("lake/orders"): COLUMNS}, gen2_set("lake/copied")), needs="delta")
def delta_to_delta(spark: SparkSession, work: str) -> None:
    found = spark.read.format("delta").load(abfss("lake/orders"))
    for mode in ("overwrite", "append"):
        found.write.format("delta").mode(mode).save(abfss("lake/copied"))


_MERGED = gen2_set("lake/merged")


@case(PLAIN, flow({gen2_set("lake/updates"): COLUMNS, _MERGED: ""}, _MERGED), needs="delta")
def merge_into_a_path(spark: SparkSession, work: str) -> Iterator[None]:
    target = _target(spark, "merged")
    yield
    spark.sql(
        f"merge into {target} t using delta.`{abfss('lake/updates')}` s on t.id = s.id "
        "when matched then update set * when not matched then insert *"
    )


_TARGET = hive_table("sales.merged")


@case(
    NOTEBOOK,
    flow({gen2_set("lake/updates"): "id, amount", _TARGET: "id, customer", ANY: "* > day"}, _TARGET),
    needs="delta",
)
def merge_into_a_table(spark: SparkSession, work: str) -> Iterator[None]:
    orders(spark).write.format("delta").saveAsTable("sales.merged")
    yield
    spark.sql(
        f"merge into sales.merged t using delta.`{abfss('lake/updates')}` s on t.id = s.id "
        "when matched then update set t.amount = s.amount, t.day = 'today' "
        "when not matched then insert (id, amount) values (s.id, s.amount)"
    )


_SELF = gen2_set("lake/itself")


@case(PLAIN, flow({_SELF: COLUMNS}, _SELF), needs="delta")
def merge_into_itself(spark: SparkSession, work: str) -> Iterator[None]:
    """Input and output are one: the ADB accelerator drops such flows."""
    target = _target(spark, "itself")
    yield
    newest = f"(select id, max(amount) amount from {target} group by id)"
    spark.sql(f"merge into {target} t using {newest} s on t.id = s.id when matched then update set t.amount = s.amount")


_CHANGED = gen2_set("lake/changed")


@case(PLAIN, flow({_CHANGED: COLUMNS}, _CHANGED), needs="delta")
def update_and_delete(spark: SparkSession, work: str) -> Iterator[None]:
    """Both are the flow from the directory to itself; what is deleted takes no columns from it."""
    target = _target(spark, "changed")
    yield
    spark.sql(f"update {target} set amount = amount * 2 where id = 1")
    spark.sql(f"delete from {target} where id = 2")


@case(NOTEBOOK, flow({hive_table("sales.delta_orders"): "id"}, hive_table("sales.delta_ctas")), needs="delta")
def delta_table_as_select(spark: SparkSession, work: str) -> None:
    spark.sql("create table sales.delta_ctas using delta as select id from sales.delta_orders")


_EXTERNAL = (hive_table("sales.delta_external"), gen2_set("tables/delta_external"))


@case(NOTEBOOK, flow({RAW: COLUMNS}, _EXTERNAL), needs="delta")
def external_delta_table(spark: SparkSession, work: str) -> None:
    place = abfss("tables/delta_external")
    found = spark.read.parquet(abfss("raw/orders")).write.format("delta").option("path", place)
    found.saveAsTable("sales.delta_external")


@case(PLAIN, flow({gen2_set("lake/orders"): "id"}, gen2_set("out/as_it_was")), needs="delta")
def as_it_was(spark: SparkSession, work: str) -> None:
    found = spark.read.format("delta").option("versionAsOf", 0).load(abfss("lake/orders"))
    found.select("id").write.parquet(abfss("out/as_it_was"))


@case(NOTEBOOK, flow({RAW: "id"}, Asset("azure_datalake_gen2_*", "*/raw/mounted_delta/*")), needs="delta")
def delta_on_a_mount(spark: SparkSession, work: str) -> None:
    spark.read.parquet("dbfs:/mnt/raw/orders").select("id").write.format("delta").save("dbfs:/mnt/raw/mounted_delta")
