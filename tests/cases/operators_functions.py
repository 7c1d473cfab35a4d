"""Cases of functions that Spark cannot look into, and of functions in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import case, since, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@case
def script_transformation(spark: SparkSession, work: str) -> object:
    query = "select transform(id, customer) using 'cat' as (a string, b string) from orders"
    write(spark.sql(query), work, "script_transformation")


@case
def python_udf(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    joined = f.udf(lambda a, b: f"{a}{b}", "string")
    spark.udf.register("shout", lambda a: a.upper(), "string")
    df = spark.table("orders").select(joined("customer", "day").alias("pair"), f.expr("shout(day) loud"), "id")
    write(df.filter(joined("customer", "day") != "x"), work, "python_udf")


@case
def python_udtf(spark: SparkSession, work: str) -> object:
    from pyspark.sql.functions import udtf

    class Twice:
        def eval(self, a: str, b: float):
            yield a, b

    spark.udtf.register("twice", udtf(Twice, returnType="x string, y double"))
    query = "select o.id, t.x, t.y from orders o, lateral twice(o.customer, o.amount) t"
    write(spark.sql(query), work, "python_udtf")


@case
def joined_with(spark: SparkSession, work: str) -> object:
    from pyspark.sql import DataFrame

    a, c = spark.table("orders"), spark.table("customers")
    pairs = DataFrame(a._jdf.joinWith(c._jdf, (a.customer == c.name)._jc), spark)
    write(pairs.selectExpr("_1.id", "_2.country"), work, "joined_with")


@case
def local_checkpoint(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").filter("amount > 1").selectExpr("id", "upper(customer) who").localCheckpoint()
    write(df.selectExpr("who", "id + 1 next"), work, "local_checkpoint")


@case
def checkpoint_joined_with_itself(spark: SparkSession, work: str) -> object:
    spark.sparkContext.setCheckpointDir(f"{work}/checkpoints")
    df = spark.table("orders").select("id", "customer").checkpoint()
    again = df.alias("a").join(df.alias("b"), on="id").selectExpr("a.id", "b.customer")
    write(again, work, "checkpoint_joined_with_itself")


@since("4.0")
@case
def sql_functions(spark: SparkSession, work: str) -> object:
    spark.sql("create or replace temporary function doubled(a double) returns double return a * 2")
    spark.sql(
        "create or replace temporary function country_of(c string) returns string "
        "return (select max(country) from customers where name = c)"
    )
    write(spark.sql("select doubled(amount) d, country_of(customer) c from orders"), work, "sql_functions")


@since("4.0")
@case
def sql_table_function(spark: SparkSession, work: str) -> object:
    spark.sql(
        "create or replace temporary function countries(c string) returns table (country string) "
        "return select country from customers where name = c"
    )
    query = "select o.id, t.country from orders o, lateral countries(o.customer) t"
    write(spark.sql(query), work, "sql_table_function")


def _typed(name: str, *, function: str, columns: tuple[str, ...]) -> None:
    """A case that runs a typed operation over columns of `orders`."""

    def run(spark: SparkSession, work: str) -> object:
        from pyspark.sql import DataFrame

        typed = getattr(spark._jvm.sackafka.testing.TypedFunctions, function)
        write(DataFrame(typed(spark.table("orders").select(*columns)._jdf), spark), work, name)

    run.__name__ = name
    case(run)


_typed("typed_map", function="mapped", columns=("customer",))
_typed("typed_filter", function="filtered", columns=("id",))
_typed("typed_partitions", function="partitioned", columns=("id", "amount"))
_typed("typed_groups", function="groups", columns=("customer",))
_typed("typed_count", function="counted", columns=("customer",))
_typed("typed_reduce", function="reduced", columns=("customer",))


@case
def typed_cogroup(spark: SparkSession, work: str) -> object:
    from pyspark.sql import DataFrame

    left, right = spark.table("orders").select("customer"), spark.table("customers").select("name")
    both = spark._jvm.sackafka.testing.TypedFunctions.cogrouped(left._jdf, right._jdf)
    write(DataFrame(both, spark), work, "typed_cogroup")
