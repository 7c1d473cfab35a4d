"""Cases of what is kept between queries: caches, checkpoints, temporary views that are replaced; and of what is observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import case, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@case
def observed(spark: SparkSession, work: str) -> object:
    """Figures of the rows on their way are no columns and decide none; neither where two are observed."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as f

    figures = Observation()
    seen = spark.table("orders").where("amount > 1").observe(figures, f.max("day").alias("last"))
    write(seen.select("id", "customer").observe("more", f.count(f.lit(1)).alias("n")), work, "observed")
    assert figures.get == {"last": "tue"}


@case
def cache_of_a_query(spark: SparkSession, work: str) -> object:
    """CACHE TABLE … AS makes a temporary view: what is written from it is read from the query's tables, cached or not."""
    spark.sql("cache table cached_orders as select id, customer who from orders where day = 'mon'")
    spark.sql("insert into sink select who, id from cached_orders")
    spark.sql("uncache table cached_orders")
    spark.sql("insert into sink select who, id from cached_orders")
    spark.sql("drop view cached_orders")


@case
def cache_of_a_table(spark: SparkSession, work: str) -> object:
    spark.sql("cache lazy table customers")
    spark.sql("insert into sink select name, 1.0 from customers")
    spark.table("customers").groupBy("name").count().write.mode("overwrite").parquet(f"{work}/out/cache_of_a_table")
    spark.sql("uncache table customers")


@case
def cache_of_a_join(spark: SparkSession, work: str) -> object:
    """Persisted, used twice and joined with itself; then no more."""
    frame = spark.sql(
        "select o.id, o.amount, c.country from orders o join customers c on o.customer = c.name"
    ).persist()
    frame.count()
    twice = frame.alias("a").join(frame.alias("b"), "id").selectExpr("id", "a.amount + b.amount both", "b.country")
    write(twice, work, "cache_of_a_join")
    frame.unpersist(blocking=True)
    write(frame.select("country"), work, "cache_of_a_join")


@case
def checkpoint_not_eager(spark: SparkSession, work: str) -> object:
    """Rows that are kept only when they are first needed."""
    spark.sparkContext.setCheckpointDir(f"{work}/checkpoints")
    orders = spark.table("orders").where("amount > 1")
    write(orders.checkpoint(eager=False).select("id"), work, "checkpoint_not_eager")
    write(orders.localCheckpoint(eager=False).select("day"), work, "checkpoint_not_eager")


@case
def checkpoints_of_the_same_columns(spark: SparkSession, work: str) -> object:
    """A semi join keeps the ids of columns, and two reads of one table have the same: each checkpoint is still its own."""
    name = "checkpoints_of_the_same_columns"
    spark.sparkContext.setCheckpointDir(f"{work}/checkpoints")
    customers = spark.table("customers").withColumnRenamed("name", "customer")
    for make in ("checkpoint", "localCheckpoint"):
        for is_eager in (True, False):
            every = getattr(spark.table("orders"), make)(eager=is_eager)
            known = getattr(spark.table("orders").join(customers, "customer", "left_semi"), make)(eager=is_eager)
            write(every.select("id"), work, name)
            write(known.select("day"), work, name)


@case
def checkpoint_joined_with_its_source(spark: SparkSession, work: str) -> object:
    """What is first read on the right of such a join has other ids there than it was made with."""
    orders = spark.table("orders")
    customers = spark.table("customers").withColumnRenamed("name", "customer")
    for is_eager in (True, False):
        done = orders.join(customers, "customer", "left_semi").localCheckpoint(eager=is_eager)
        write(orders.join(done, "id", "left_anti").select("id"), work, "checkpoint_joined_with_its_source")
    done = orders.where("amount > 1").withColumnRenamed("amount", "had").localCheckpoint()
    write(orders.join(done, "id").select("had"), work, "checkpoint_joined_with_its_source")


@case
def checkpoint_in_a_loop(spark: SparkSession, work: str) -> object:
    """Each is made of the one before: the last one still comes from the table."""
    frame = spark.table("orders").select("id", "customer", "amount")
    for _ in range(8):
        frame = frame.selectExpr("id", "customer", "amount + 1 amount").localCheckpoint()
    write(frame.where("amount > 9"), work, "checkpoint_in_a_loop")


@case
def temp_view_replaced_by_its_own_rows(spark: SparkSession, work: str) -> object:
    """A view that is replaced by what was read from it is only a name."""
    spark.table("orders").select("id", "amount").createOrReplaceTempView("growing")
    for i in range(3):
        spark.table("growing").selectExpr("id", f"amount * {i + 2} amount").createOrReplaceTempView("growing")
    grown = spark.table("growing").crossJoin(spark.table("customers")).select("amount", "name")
    grown.createOrReplaceTempView("growing")
    write(spark.table("growing"), work, "temp_view_replaced_by_its_own_rows")
    spark.catalog.dropTempView("growing")


@case
def temp_view_of_a_value_that_was_read(spark: SparkSession, work: str) -> object:
    """What reads the view holds none of the values of its definition."""
    name = "temp_view_of_a_value_that_was_read"
    spark.sql("create table if not exists control using parquet as select 'customers-of-the-north' as customer")
    read = spark.table("control").collect()[0].customer
    spark.sql(f"create or replace temp view of_a_value as select id, day from orders where customer <> '{read}'")
    spark.table("orders").where(f"customer <> '{read}'").createOrReplaceGlobalTempView("of_a_value")
    write(spark.table("of_a_value"), work, name)
    write(spark.sql("select amount from global_temp.of_a_value"), work, f"{name}_global")
