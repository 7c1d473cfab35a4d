"""Files in storage accounts, as the samples of today's solutions have them: abfss to abfss, wasbs, roots, files, folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.purview.assets import (
    ANY,
    Asset,
    abfss,
    blob_set,
    gen2_container,
    gen2_files,
    gen2_path,
    gen2_set,
    unknown,
    wasbs,
)
from tests.live.purview.contexts import PATHS, PLAIN
from tests.live.purview.expecting import case, flow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = "id, customer, amount, day"
CSV = "id int, customer string, amount double"
RAW = gen2_set("raw/orders")


@case(
    PLAIN,
    flow({RAW: "id, amount > total", gen2_set("raw/customers"): "country"}, gen2_set("out/two_inputs")),
)
def two_inputs(spark: SparkSession, work: str) -> None:
    orders, customers = spark.read.parquet(abfss("raw/orders")), spark.read.parquet(abfss("raw/customers"))
    joined = orders.join(customers, orders.customer == customers.name)
    joined.selectExpr("id", "amount as total", "country").write.mode("overwrite").parquet(abfss("out/two_inputs"))


@case(PLAIN, flow({gen2_container("landing"): COLUMNS}, gen2_set("out/from_root")))
def from_a_containers_root(spark: SparkSession, work: str) -> None:
    schema = f"{CSV}, day string"
    spark.read.schema(schema).option("header", True).csv(abfss("landing/")).write.parquet(abfss("out/from_root"))


@case(PLAIN, flow({blob_set("drop/orders"): COLUMNS}, gen2_set("out/from_blob")))
def wasbs_to_abfss(spark: SparkSession, work: str) -> None:
    spark.read.parquet(wasbs("drop/orders")).write.json(abfss("out/from_blob"))


for _kind in ("csv", "json", "orc"):

    @case(PLAIN, flow({gen2_set(f"raw/formats/{_kind}"): COLUMNS}, gen2_set(f"out/as_{_kind}")), name=f"as_{_kind}")
    def _(spark: SparkSession, work: str, kind: str = _kind) -> None:
        source = spark.read.format(kind).schema(f"{CSV}, day string").option("header", True)
        source.load(abfss(f"raw/formats/{kind}")).write.format(kind).save(abfss(f"out/as_{kind}"))


@case(PLAIN, flow({RAW: COLUMNS}, gen2_set("out/parted/{day}/{customer}")))
def partitioned_output(spark: SparkSession, work: str) -> None:
    spark.read.parquet(abfss("raw/orders")).write.partitionBy("day", "customer").parquet(abfss("out/parted"))


@case(PLAIN, flow({gen2_path("raw/drop/orders.csv"): "id, customer, amount"}, gen2_set("out/one_file")))
def one_file(spark: SparkSession, work: str) -> None:
    """The file itself, not its folder."""
    spark.read.schema(CSV).option("header", True).csv(abfss("raw/drop/orders.csv")).write.parquet(abfss("out/one_file"))


@case(PLAIN, flow({gen2_files("raw/feeds/feed_{N}.csv"): "id"}, gen2_set("out/feeds")))
def files_of_a_pattern(spark: SparkSession, work: str) -> None:
    found = spark.read.schema(CSV).option("header", True).csv(abfss("raw/feeds/feed_*.csv"))
    found.select("id").write.parquet(abfss("out/feeds"))


@case(
    PLAIN,
    flow({gen2_set("raw/orders", "https://fabrikamlake.dfs.core.windows.net"): COLUMNS}, gen2_set("raw/orders_there")),
)
def two_accounts(spark: SparkSession, work: str) -> None:
    spark.read.parquet(abfss("raw/orders", "fabrikamlake")).write.parquet(abfss("raw/orders_there"))


@case(PLAIN, flow({gen2_set("out/itself"): COLUMNS}, gen2_set("out/itself")))
def into_its_own_input(spark: SparkSession, work: str):
    spark.read.parquet(abfss("raw/orders")).write.parquet(abfss("out/itself"))
    yield
    spark.read.parquet(abfss("out/itself")).write.mode("append").parquet(abfss("out/itself"))


@case(PATHS, flow({gen2_path("raw/orders/"): "id"}, gen2_path("out/as_paths/")))
def directories_as_paths(spark: SparkSession, work: str) -> None:
    """Where the account is scanned without resource sets."""
    spark.read.parquet(abfss("raw/orders")).select("id").write.parquet(abfss("out/as_paths"))


# ---- other stores

S3 = Asset("aws_s3_v2_*", "s3://contoso-bucket/raw/orders*")
GCS = Asset("*", "*contoso-gcs*raw/orders*")


@case(PLAIN, flow({S3: "id"}, gen2_set("out/from_s3")), flow({GCS: "id"}, gen2_set("out/from_gcs")))
def other_clouds(spark: SparkSession, work: str) -> None:
    spark.read.parquet("s3a://contoso-bucket/raw/orders").select("id").write.parquet(abfss("out/from_s3"))
    spark.read.parquet("gs://contoso-gcs/raw/orders").select("id").write.parquet(abfss("out/from_gcs"))


@case(PLAIN, flow({unknown("*shop.orders*"): "id"}, gen2_set("out/from_unknown")))
def from_an_unknown_source(spark: SparkSession, work: str) -> None:
    """An unknown source is a data set with a clear name, and the flow is reported."""
    options = {"acme.host": "db1", "acme.table": "shop.orders"}
    source = spark.read.format("com.acme.spark.AcmeProvider").options(**options).load()
    source.select("id").write.parquet(abfss("out/from_unknown"))


@case(PLAIN, flow({ANY: "* > id"}, gen2_set("out/from_driver")))
def from_the_drivers_own_rows(spark: SparkSession, work: str) -> None:
    spark.range(3).write.parquet(abfss("out/from_driver"))
