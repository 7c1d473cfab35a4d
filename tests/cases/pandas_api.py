"""Cases of the pandas API on Spark: its plans are Spark's, with an index and an order of rows that it makes itself."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any

from tests.cases.all_cases import NEEDING_PANDAS, Case, case, since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pandas_case(function: Case) -> Case:
    """A case over `pyspark.pandas`; that of Spark 3.5 cannot be imported with current pandas and NumPy."""
    NEEDING_PANDAS.add(function.__name__)

    @functools.wraps(function)
    def without_advice(spark: SparkSession, work: str) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each call advises something better
            with _ps().option_context("compute.fail_on_ansi_mode", False):  # else 4.0 refuses to work
                return function(spark, work)

    return since("4.0")(case(without_advice))


def _ps() -> Any:
    import pyspark.pandas

    return pyspark.pandas


@pandas_case
def pandas_api_copied(spark: SparkSession, work: str) -> object:
    """What it makes for itself is not written: a file, a table, CSV, JSON."""
    ps = _ps()
    ps.read_parquet(f"{work}/in/orders_parquet").to_parquet(f"{work}/out/pandas_api_copied")
    ps.read_table("cases.orders").to_table("cases.pandas_api_copied", mode="overwrite")
    names = ["id", "customer", "amount", "day"]
    ps.read_csv(f"{work}/in/orders_csv", names=names).to_csv(f"{work}/out/pandas_api_copied_csv")
    ps.read_table("cases.orders")[["id", "day"]].to_json(f"{work}/out/pandas_api_copied_json")


@pandas_case
def pandas_api_index(spark: SparkSession, work: str) -> object:
    """An index of a column is that column; the default ones are numbers that come from nowhere."""
    ps = _ps()
    ps.read_table("cases.orders", index_col="id").to_parquet(f"{work}/out/pandas_api_index", index_col="id")
    for kind in ("distributed-sequence", "distributed", "sequence"):
        with ps.option_context("compute.default_index_type", kind):
            ps.read_table("cases.customers")[["name"]].to_parquet(f"{work}/out/pandas_api_{kind}", index_col="number")


@pandas_case
def pandas_api_columns(spark: SparkSession, work: str) -> object:
    orders = _ps().read_table("cases.orders")
    orders["twice"] = orders["amount"] * 2
    orders = orders[orders["day"] != "mon"].rename(columns={"customer": "who"})
    orders.sort_values("amount").head(2).to_parquet(f"{work}/out/pandas_api_columns")


@pandas_case
def pandas_api_grouped(spark: SparkSession, work: str) -> object:
    orders = _ps().read_table("cases.orders")
    orders.groupby("customer")["amount"].sum().reset_index().to_parquet(f"{work}/out/pandas_api_grouped")
    by = orders.groupby(["customer", "day"]).agg({"amount": "max", "id": "count"})
    by.to_parquet(f"{work}/out/pandas_api_grouped", index_col=["customer", "day"])


@pandas_case
def pandas_api_merged(spark: SparkSession, work: str) -> object:
    ps = _ps()
    customers = ps.read_table("cases.customers")[["name", "country"]]
    merged = ps.read_table("cases.orders").merge(customers, left_on="customer", right_on="name", how="left")
    merged[["id", "country"]].to_parquet(f"{work}/out/pandas_api_merged")
    ps.concat(
        [ps.read_table("cases.orders")[["customer"]], customers[["name"]].rename(columns={"name": "customer"})]
    ).to_parquet(f"{work}/out/pandas_api_merged")


@pandas_case
def pandas_api_of_two_frames(spark: SparkSession, work: str) -> object:
    """A column of another frame is joined by the numbers of the rows."""
    ps = _ps()
    with ps.option_context("compute.ops_on_diff_frames", True):
        orders = ps.read_table("cases.orders")[["id"]]
        orders["country"] = ps.read_table("cases.customers")["country"]
        orders.to_parquet(f"{work}/out/pandas_api_of_two_frames")


@pandas_case
def pandas_api_to_spark(spark: SparkSession, work: str) -> object:
    ps = _ps()
    frame = ps.read_table("cases.orders")[["id", "amount"]].to_spark(index_col="number")
    frame.where("amount > 1").write.mode("overwrite").parquet(f"{work}/out/pandas_api_to_spark")
    back = spark.table("cases.orders").where("amount > 1").pandas_api(index_col="id")
    back.spark.to_table("cases.pandas_api_back", mode="overwrite", index_col="id")
    ps.sql("select id, amount from {orders}", orders=ps.read_table("cases.orders")).to_parquet(
        f"{work}/out/pandas_api_to_spark"
    )


@pandas_case
def pandas_api_functions(spark: SparkSession, work: str) -> object:
    """What goes through a function of Python is all that goes in."""
    import pandas as pd

    ps = _ps()
    orders = ps.read_table("cases.orders")

    def halved(some: Any) -> Any:
        return pd.DataFrame({"id": some["id"], "half": some["amount"] / 2})

    def of_a_group(some: Any) -> Any:
        return pd.DataFrame({"who": [some["customer"].iloc[0]], "most": [some["amount"].max()]})

    halved.__annotations__["return"] = ps.DataFrame["id":int, "half":float]
    of_a_group.__annotations__["return"] = ps.DataFrame["who":str, "most":float]
    orders[["id", "amount"]].pandas_on_spark.apply_batch(halved).to_parquet(f"{work}/out/pandas_api_functions")
    orders[["customer", "amount"]].groupby("customer").apply(of_a_group).to_parquet(f"{work}/out/pandas_api_functions")
