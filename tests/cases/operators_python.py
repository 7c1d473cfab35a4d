"""Cases of Python functions that need pandas and pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.cases.all_cases import NEEDING_PANDAS, Case, case, since, write

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import SparkSession


def with_pandas(function: Case) -> Case:
    NEEDING_PANDAS.add(function.__name__)
    return case(function)


@with_pandas
def pandas_udfs(spark: SparkSession, work: str) -> object:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    plus = f.pandas_udf(lambda a, b: a + b, "double", f.PandasUDFType.SCALAR)
    mean = f.pandas_udf(lambda v: float(v.mean()), "double", f.PandasUDFType.GROUPED_AGG)
    df = spark.table("orders")
    each = df.select("customer", plus("id", "amount").alias("total"), "amount", "day")
    each = each.withColumn("typical", mean("amount").over(Window.partitionBy("day")))
    write(each.groupBy("customer").agg(mean("total").alias("m"), mean("typical").alias("t")), work, "pandas_udfs")


@with_pandas
def map_in_pandas(spark: SparkSession, work: str) -> object:
    def rows(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch.assign(who=batch["customer"].str.upper())[["id", "who"]]

    df = spark.table("orders").select("id", "customer").mapInPandas(rows, "id bigint, who string")
    write(df, work, "map_in_pandas")


@with_pandas
def map_in_arrow(spark: SparkSession, work: str) -> object:
    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    write(spark.table("orders").select("id", "day").mapInArrow(rows, "a bigint, b string"), work, "map_in_arrow")


@with_pandas
def apply_in_pandas(spark: SparkSession, work: str) -> object:
    def first(group: pd.DataFrame) -> pd.DataFrame:
        return group[["customer", "amount"]].set_axis(["who", "a"], axis=1)

    df = spark.table("orders").select("customer", "amount", "day").groupBy("day")
    write(df.applyInPandas(first, "who string, a double"), work, "apply_in_pandas")


@with_pandas
def cogroup_in_pandas(spark: SparkSession, work: str) -> object:
    def both(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return left[["id"]]

    left = spark.table("orders").select("id", "customer").groupBy("customer")
    right = spark.table("customers").select("name", "country").groupBy("name")
    write(left.cogroup(right).applyInPandas(both, "id bigint"), work, "cogroup_in_pandas")


@since("4.0")
@with_pandas
def apply_in_arrow(spark: SparkSession, work: str) -> object:
    def same(group: pa.Table) -> pa.Table:
        return group

    df = spark.table("orders").select("id", "day").groupBy("day")
    write(df.applyInArrow(same, "id bigint, day string"), work, "apply_in_arrow")
