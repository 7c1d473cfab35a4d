"""Cases over Hudi, through its catalog in place of the session's and over paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ORDERS = "id int, customer string, amount double"


def _conf(work: str) -> Mapping[str, str]:
    del work
    return {
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.sql.shuffle.partitions": "1",
        "hoodie.embed.timeline.server": "false",
    }


def prepare(spark: SparkSession, work: str) -> None:
    orders = spark.createDataFrame([(1, "a", 2.0), (2, "b", 3.0)], _ORDERS)
    orders.write.mode("overwrite").parquet(f"{work}/in/orders")
    spark.sql("create database shop")
    table(spark, "shop.orders")
    table(spark, "shop.orders_read", "mor")
    for name in ("shop.orders", "shop.orders_read"):
        spark.sql(f"insert into {name} select * from parquet.`{work}/in/orders`")
    save(orders, f"{work}/lake/orders", "insert", "overwrite")


def table(spark: SparkSession, name: str, kind: str = "cow", more: str = "") -> None:
    """A new table of the same columns as the others."""
    spark.sql(
        f"create table {name} (id int, customer string, amount double) using hudi"
        f" tblproperties (type = '{kind}', primaryKey = 'id', preCombineField = 'amount'{more})"
    )


def save(rows: DataFrame, path: str, operation: str, mode: str, **options: str) -> None:
    """What a job of `write.format("hudi")` says."""
    rows.write.format("hudi").options(
        **{
            "hoodie.table.name": path.rpartition("/")[2],
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.precombine.field": "amount",
            "hoodie.datasource.write.operation": operation,
            **options,
        }
    ).mode(mode).save(path)


def _orders(spark: SparkSession, work: str) -> DataFrame:
    return spark.read.parquet(f"{work}/in/orders")


HUDI = Family(name="hudi", jars={"3.5": "hudi-3.5"}, conf=_conf, prepare=prepare)


# ---- paths


@HUDI.case
def path_insert(spark: SparkSession, work: str) -> Iterator[None]:
    orders = _orders(spark, work)
    yield
    save(orders, f"{work}/lake/path_insert", "insert", "overwrite")


@HUDI.case
def path_bulk_insert(spark: SparkSession, work: str) -> Iterator[None]:
    orders = _orders(spark, work)
    yield
    save(orders.selectExpr("id", "amount * 2 amount"), f"{work}/lake/path_bulk_insert", "bulk_insert", "append")


@HUDI.case
def path_upsert(spark: SparkSession, work: str) -> Iterator[None]:
    """An upsert reads its own files for an index: what flows is the query alone."""
    orders = _orders(spark, work)
    save(orders, f"{work}/lake/path_upsert", "insert", "overwrite")
    yield
    save(orders.selectExpr("id", "upper(customer) customer", "amount"), f"{work}/lake/path_upsert", "upsert", "append")


@HUDI.case
def path_upsert_merge_on_read(spark: SparkSession, work: str) -> Iterator[None]:
    orders = _orders(spark, work)
    kind = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
    save(orders, f"{work}/lake/path_read", "insert", "overwrite", **kind)
    yield
    changed = orders.selectExpr("id", "upper(customer) customer", "amount")
    save(changed, f"{work}/lake/path_read", "upsert", "append", **kind)
    spark.read.format("hudi").load(f"{work}/lake/path_read").select("id", "customer").write.mode("overwrite").parquet(
        f"{work}/out/path_read"
    )


@HUDI.case
def path_delete(spark: SparkSession, work: str) -> Iterator[None]:
    """The rows of a write with the operation delete are those that go."""
    orders = _orders(spark, work)
    save(orders, f"{work}/lake/path_delete", "insert", "overwrite")
    yield
    save(orders.where("id = 1"), f"{work}/lake/path_delete", "delete", "append")


@HUDI.case
def path_partitioned(spark: SparkSession, work: str) -> Iterator[None]:
    orders = _orders(spark, work)
    yield
    by = {"hoodie.datasource.write.partitionpath.field": "customer"}
    save(orders, f"{work}/lake/path_partitioned", "upsert", "overwrite", **by)
    save(orders, f"{work}/lake/path_partitioned", "insert_overwrite", "append", **by)
    spark.read.format("hudi").load(f"{work}/lake/path_partitioned").where("customer = 'a'").select(
        "id", "customer"
    ).write.mode("overwrite").parquet(f"{work}/out/path_partitioned")


@HUDI.case
def path_read(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    orders = spark.read.format("hudi").load(f"{work}/lake/orders")
    orders.selectExpr("id", "amount * 2 twice").write.mode("overwrite").parquet(f"{work}/out/path_read")


@HUDI.case
def path_read_to_hudi(spark: SparkSession, work: str) -> Iterator[None]:
    """What Hudi notes of each row (`_hoodie_commit_time` …) is taken off by most jobs, not by this one."""
    yield
    orders = spark.read.format("hudi").load(f"{work}/lake/orders")
    orders.where("amount > 1").write.mode("overwrite").parquet(f"{work}/out/with_notes")
    rows = orders.select("id", "customer", "amount")
    save(rows, f"{work}/lake/path_read_to_hudi", "upsert", "append")


# ---- tables


@HUDI.changing_case
def create(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    table(spark, "shop.created")
    table(spark, "shop.created_read", "mor")
    spark.sql("alter table shop.created add columns (day date comment 'of the order')")
    spark.sql("drop table shop.created")


@HUDI.case
def definitions(spark: SparkSession, work: str) -> Iterator[None]:
    table(spark, "shop.defined")
    yield
    spark.sql("alter table shop.defined rename to shop.renamed")
    spark.sql("alter table shop.renamed set tblproperties (hoodie.parquet.max.file.size = '1000000')")
    spark.sql("create table shop.alike like shop.renamed")
    spark.sql("drop table shop.renamed")


@HUDI.changing_case
def ctas(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    spark.sql(
        "create table shop.ctas using hudi tblproperties (primaryKey = 'id')"
        " as select id, customer, amount * 2 as twice from shop.orders where amount > 1"
    )


@HUDI.case
def ctas_partitioned(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    spark.sql(
        "create table shop.ctas_partitioned using hudi partitioned by (customer)"
        " tblproperties (type = 'mor', primaryKey = 'id', preCombineField = 'amount')"
        " as select o.id, o.amount, p.customer from shop.orders o join shop.orders_read p on o.id = p.id"
    )


@HUDI.case
def save_as_table(spark: SparkSession, work: str) -> Iterator[None]:
    orders = _orders(spark, work)
    key = {"hoodie.datasource.write.recordkey.field": "id", "hoodie.datasource.write.precombine.field": "amount"}
    yield
    orders.write.format("hudi").options(**key).mode("overwrite").saveAsTable("shop.saved")
    orders.write.format("hudi").options(**key).mode("overwrite").saveAsTable("shop.saved")


@HUDI.case
def insert(spark: SparkSession, work: str) -> Iterator[None]:
    table(spark, "shop.inserted")
    table(spark, "shop.inserted_read", "mor")
    yield
    spark.sql("insert into shop.inserted select id, upper(customer), amount from shop.orders")
    spark.sql("insert into shop.inserted_read (id, amount, customer) select id, amount, customer from shop.orders")
    spark.sql("insert into shop.inserted values (9, 'z', 1.0)")
    _orders(spark, work).write.insertInto("shop.inserted")


@HUDI.case
def insert_by_name(spark: SparkSession, work: str) -> Iterator[None]:
    """Hudi matches a query by name where it has all columns, whatever their order; what Hudi keeps itself it makes anew."""
    table(spark, "shop.by_name")
    yield
    spark.sql("insert into shop.by_name select amount, id, customer from shop.orders")
    spark.sql("insert into shop.by_name select * from shop.orders_read")


@HUDI.case
def insert_overwrite(spark: SparkSession, work: str) -> Iterator[None]:
    table(spark, "shop.overwritten")
    yield
    spark.sql(
        "insert overwrite shop.overwritten select id, customer, sum(amount) from shop.orders group by id, customer"
    )


@HUDI.case
def insert_partition(spark: SparkSession, work: str) -> Iterator[None]:
    spark.sql(
        "create table shop.by_day (id int, amount double, day string) using hudi partitioned by (day)"
        " tblproperties (primaryKey = 'id', preCombineField = 'amount')"
    )
    yield
    spark.sql("insert into shop.by_day partition (day = '2026-11-22') select id, amount from shop.orders")
    spark.sql("insert into shop.by_day partition (day) select id, amount, customer from shop.orders")
    spark.sql("insert overwrite shop.by_day partition (day = '2026-11-23') select id, amount from shop.orders")


@HUDI.case
def write_to(spark: SparkSession, work: str) -> Iterator[None]:
    orders = _orders(spark, work)
    yield
    orders.writeTo("shop.made").using("hudi").tableProperty("primaryKey", "id").create()


@HUDI.case
def read(spark: SparkSession, work: str) -> Iterator[None]:
    """A table of copy-on-write and one of merge-on-read say the same."""
    yield
    for name in ("orders", "orders_read"):
        rows = spark.table(f"shop.{name}").groupBy("customer").sum("amount")
        rows.write.mode("overwrite").parquet(f"{work}/out/read_{name}")


@HUDI.case
def read_by_path(spark: SparkSession, work: str) -> Iterator[None]:
    """A table and the path that it lies at are one dataset."""
    spark.sql(
        f"create table shop.placed (id int, customer string, amount double) using hudi"
        f" tblproperties (primaryKey = 'id', preCombineField = 'amount') location '{work}/lake/placed'"
    )
    orders = _orders(spark, work)
    yield
    spark.sql("insert into shop.placed select * from shop.orders")
    save(orders, f"{work}/lake/placed", "upsert", "append")
    rows = spark.read.format("hudi").load(f"{work}/lake/placed")
    rows.select("id").write.mode("overwrite").parquet(f"{work}/out/read_by_path")


# ---- rows


def _changed(spark: SparkSession, name: str) -> tuple[str, str]:
    tables = (f"shop.{name}", f"shop.{name}_read")
    for each, kind in zip(tables, ("cow", "mor"), strict=True):
        table(spark, each, kind)
        spark.sql(f"insert into {each} select id, customer, amount from shop.orders")
    return tables


@HUDI.case
def update(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "updated")
    yield
    for each in tables:
        spark.sql(f"update {each} set customer = upper(customer) where amount > 1")


@HUDI.case
def update_of_another(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "updated_of")
    yield
    for each in tables:
        spark.sql(f"update {each} set customer = 'x' where id in (select id from shop.orders where amount > 2)")


@HUDI.case
def delete(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "deleted")
    yield
    for each in tables:
        spark.sql(f"delete from {each} where amount > 1")


@HUDI.case
def delete_of_another(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "deleted_of")
    yield
    for each in tables:
        spark.sql(f"delete from {each} where id in (select id from shop.orders where amount > 2)")


@HUDI.case
def delete_all(spark: SparkSession, work: str) -> Iterator[None]:
    """Nothing flows where all rows go."""
    tables = _changed(spark, "emptied")
    yield
    for each in tables:
        spark.sql(f"delete from {each}")
    spark.sql("truncate table shop.emptied")


@HUDI.case
def merge(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "merged")
    yield
    for each in tables:
        spark.sql(
            f"merge into {each} t using shop.orders s on t.id = s.id"
            " when matched and s.amount > 1 then update set id = s.id, customer = upper(s.customer), amount = s.amount * 2"
            " when not matched then insert (id, customer, amount) values (s.id, s.customer, s.amount)"
        )


@HUDI.case
def merge_stars(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "stars")
    yield
    for each in tables:
        spark.sql(
            f"merge into {each} t using (select id, lower(customer) customer, amount from shop.orders) s on t.id = s.id"
            " when matched then update set * when not matched then insert *"
        )


@HUDI.case
def merge_partial(spark: SparkSession, work: str) -> Iterator[None]:
    """Partial updates: only what is assigned has a new value."""
    tables = _changed(spark, "partial")
    yield
    for each in tables:
        spark.sql(
            f"merge into {each} t using shop.orders s on t.id = s.id when matched then update set amount = s.amount * 2"
        )


@HUDI.case
def merge_with_delete(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "merged_away")
    yield
    for each in tables:
        spark.sql(
            f"merge into {each} t using shop.orders s on t.id = s.id when matched and s.customer = 'a' then delete"
            " when matched then update set amount = s.amount"
        )


@HUDI.case
def merge_of_view_after_with_column(spark: SparkSession, work: str) -> Iterator[None]:
    """OpenLineage#3183: the source of a MERGE is a temporary view over what a `withColumn` made."""
    from pyspark.sql.functions import expr

    tables = _changed(spark, "merged_view")
    yield
    spark.read.parquet(f"{work}/in/orders").selectExpr("id", "customer", "amount").withColumn(
        "amount", expr("amount * 10")
    ).createOrReplaceTempView("changes")
    for each in tables:
        spark.sql(
            f"merge into {each} t using changes on t.id = changes.id"
            " when matched then update set amount = changes.amount when not matched then insert *"
        )


@HUDI.case
def merge_of_view(spark: SparkSession, work: str) -> Iterator[None]:
    tables = _changed(spark, "merged_persisted")
    spark.sql("create view shop.dear as select id, customer, amount from shop.orders where amount > 2")
    yield
    spark.sql(
        f"merge into {tables[0]} t using shop.dear s on t.id = s.id when matched then update set amount = s.amount"
    )


# ---- as it was, and what changed


@HUDI.case
def time_travel(spark: SparkSession, work: str) -> Iterator[None]:
    """The name is that of the table; which instant was read is a fact of the run."""
    yield
    path = f"{work}/lake/orders"
    for option in ("20991231235959000", "2099-12-31 23:59:59"):
        rows = spark.read.format("hudi").option("as.of.instant", option).load(path)
        rows.select("id").write.mode("overwrite").parquet(f"{work}/out/as_of")
    spark.sql("select id from shop.orders timestamp as of '2099-12-31 23:59:59'").write.mode("overwrite").parquet(
        f"{work}/out/timestamp_as_of"
    )


@HUDI.case
def incremental(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    for name, path in (("path", f"{work}/lake/orders"), ("earliest", f"{work}/lake/orders")):
        begin = "earliest" if name == "earliest" else "20200101000000000"
        rows = (
            spark.read.format("hudi")
            .option("hoodie.datasource.query.type", "incremental")
            .option("hoodie.datasource.read.begin.instanttime", begin)
            .load(path)
        )
        rows.select("id", "amount").write.mode("overwrite").parquet(f"{work}/out/incremental_{name}")


@HUDI.case
def read_optimized(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    rows = (
        spark.read.format("hudi").option("hoodie.datasource.query.type", "read_optimized").load(f"{work}/lake/orders")
    )
    rows.select("id").write.mode("overwrite").parquet(f"{work}/out/read_optimized")


@HUDI.case
def table_changes(spark: SparkSession, work: str) -> Iterator[None]:
    table(spark, "shop.followed", "cow", ", hoodie.table.cdc.enabled = 'true'")
    spark.sql("insert into shop.followed select * from shop.orders")
    yield
    spark.sql("select id, amount from hudi_table_changes('shop.followed', 'latest_state', 'earliest')").write.mode(
        "overwrite"
    ).parquet(f"{work}/out/changes_latest")
    spark.sql("select op, after from hudi_table_changes('shop.followed', 'cdc', 'earliest')").write.mode(
        "overwrite"
    ).parquet(f"{work}/out/changes_cdc")
    spark.sql(f"select id from hudi_table_changes('{work}/lake/orders', 'latest_state', 'earliest')").write.mode(
        "overwrite"
    ).parquet(f"{work}/out/changes_path")


@HUDI.case
def timeline(spark: SparkSession, work: str) -> Iterator[None]:
    """What Hudi tells of a table is no data of it."""
    yield
    spark.sql("select action, state from hudi_query_timeline('shop.orders', 'true')").write.mode("overwrite").parquet(
        f"{work}/out/timeline"
    )
    spark.sql("select key, type from hudi_metadata('shop.orders')").write.mode("overwrite").parquet(f"{work}/out/notes")


@HUDI.case
def procedures(spark: SparkSession, work: str) -> Iterator[None]:
    """The services of a table copy its rows within it: nothing flows."""
    yield
    spark.sql("call show_commits(table => 'shop.orders', limit => 5)").collect()
    spark.sql("call run_clustering(table => 'shop.orders', op => 'scheduleAndExecute')").collect()
    spark.sql("call run_clean(table => 'shop.orders')").collect()
    spark.sql("call run_compaction(op => 'scheduleandexecute', table => 'shop.orders_read')").collect()
    spark.sql("call show_table_properties(table => 'shop.orders')").collect()


# ---- the rest


@HUDI.case
def new_column(spark: SparkSession, work: str) -> Iterator[None]:
    """A column that the table gets by being written."""
    orders = _orders(spark, work)
    save(orders, f"{work}/lake/new_column", "insert", "overwrite")
    yield
    wider = orders.selectExpr("*", "amount > 2 as dear")
    save(wider, f"{work}/lake/new_column", "upsert", "append", **{"hoodie.schema.on.read.enable": "true"})


@HUDI.case
def stream(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    rows = spark.readStream.format("hudi").load(f"{work}/lake/orders").selectExpr("id", "customer", "amount * 2 amount")
    rows.writeStream.format("hudi").options(
        **{
            "hoodie.table.name": "streamed",
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.precombine.field": "amount",
            "checkpointLocation": f"{work}/checkpoint/stream",
            "path": f"{work}/lake/streamed",
        }
    ).trigger(availableNow=True).outputMode("append").start().awaitTermination()
