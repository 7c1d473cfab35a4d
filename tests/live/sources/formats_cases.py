"""Cases over further formats, and over values that hold a record: JSON, CSV, XML, Avro within a column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_AVRO = (
    '{"type": "record", "name": "order", "fields": [{"name": "id", "type": "int"},'
    ' {"name": "who", "type": {"type": "record", "name": "who", "fields": [{"name": "name", "type": "string"}]}}]}'
)


def prepare(spark: SparkSession, work: str) -> None:
    orders = spark.createDataFrame([(1, "a", 2.0), (2, "b", 3.0)], "id int, customer string, amount double")
    orders.write.mode("overwrite").parquet(f"{work}/in/orders")
    events = orders.selectExpr(
        "cast(id as string) key",
        "to_json(struct(id, customer)) value",
        "concat(id, ',', customer) line",
        "concat('<o><id>', id, '</id></o>') xml",
    )
    events.write.mode("overwrite").parquet(f"{work}/in/events")
    orders.select(_to_avro()).write.mode("overwrite").parquet(f"{work}/in/records")
    orders.write.mode("overwrite").format("avro").save(f"{work}/in/avro")


def _to_avro() -> Column:
    from pyspark.sql import functions as f
    from pyspark.sql.avro.functions import to_avro

    record = f.struct(f.col("id"), f.struct(f.coalesce("customer", f.lit("")).alias("name")).alias("who"))
    return to_avro(record, _AVRO).alias("value")


def _out(rows: DataFrame, work: str, name: str) -> None:
    rows.write.mode("overwrite").parquet(f"{work}/out/{name}")


FORMATS = Family(name="formats", jars={"3.5": "formats-3.5", "4.1": "formats-4.1"}, prepare=prepare)


# ---- files


@FORMATS.case
def avro_files(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    orders = spark.read.format("avro").load(f"{work}/in/avro")
    orders.selectExpr("id", "amount * 2 twice").write.mode("overwrite").format("avro").save(f"{work}/out/avro")


@FORMATS.case
def avro_table(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    spark.sql(f"create table kept using avro partitioned by (customer) as select * from avro.`{work}/in/avro`")
    spark.sql("insert into kept partition (customer = 'c') select id, amount from kept where amount > 2")


@FORMATS.case
def xml_files(spark: SparkSession, work: str) -> Iterator[None]:
    """Of com.databricks:spark-xml on Spark 3.5, Spark's own since 4.0."""
    orders = spark.read.parquet(f"{work}/in/orders")
    yield
    orders.selectExpr("id", "upper(customer) customer").write.mode("overwrite").format("xml").option(
        "rowTag", "order"
    ).save(f"{work}/out/xml")
    rows = spark.read.format("xml").option("rowTag", "order").schema("id int, customer string").load(f"{work}/out/xml")
    _out(rows.select("customer"), work, "from_xml_files")


@FORMATS.case
def binary_files(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    files = spark.read.format("binaryFile").option("pathGlobFilter", "*.parquet").load(f"{work}/in/orders")
    _out(files.selectExpr("path", "length(content) size"), work, "binary_files")


# ---- records within a column


@FORMATS.case
def fields_of_json(spark: SparkSession, work: str) -> Iterator[None]:
    """All fields of a parsed record are from the column that was parsed: also of a struct that is taken apart later."""
    yield
    events = spark.read.parquet(f"{work}/in/events")
    parsed = events.selectExpr("key", "from_json(value, 'id int, who struct<name: string>, tags array<string>') as o")
    _out(parsed.selectExpr("key", "o.id", "o.who.name as customer", "o.tags[0] as tag"), work, "fields_of_json")
    _out(parsed.select("o.*"), work, "all_fields_of_json")
    _out(parsed.selectExpr("key", "explode(o.tags) as tag"), work, "exploded_json")


@FORMATS.case
def paths_in_json(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    events = spark.read.parquet(f"{work}/in/events")
    _out(
        events.selectExpr("get_json_object(value, '$.customer') customer", "json_tuple(value, 'id') as id"),
        work,
        "paths_in_json",
    )


@FORMATS.case
def fields_of_csv(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    events = spark.read.parquet(f"{work}/in/events")
    parsed = events.selectExpr("from_csv(line, 'id int, customer string') as o")
    _out(parsed.select("o.customer"), work, "fields_of_csv")


@FORMATS.only(since="4.0")
def fields_of_xml(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    events = spark.read.parquet(f"{work}/in/events")
    parsed = events.selectExpr("key", "from_xml(xml, 'id int') as o", "schema_of_xml('<o><id>1</id></o>') as what")
    _out(parsed.selectExpr("o.id", "what", "to_xml(o) as again"), work, "fields_of_xml")


@FORMATS.case
def fields_of_avro(spark: SparkSession, work: str) -> Iterator[None]:
    from pyspark.sql.avro.functions import from_avro

    yield
    records = spark.read.parquet(f"{work}/in/records").select(from_avro("value", _AVRO).alias("o"))
    _out(records.selectExpr("o.id", "o.who.name as customer"), work, "fields_of_avro")


@FORMATS.only(since="4.0")
def fields_of_a_variant(spark: SparkSession, work: str) -> Iterator[None]:
    yield
    events = spark.read.parquet(f"{work}/in/events").selectExpr("key", "parse_json(value) as v")
    _out(
        events.selectExpr("key", "variant_get(v, '$.id', 'int') as id", "v:customer::string as customer"),
        work,
        "variants",
    )


@FORMATS.case
def records_made(spark: SparkSession, work: str) -> Iterator[None]:
    """What makes the `value` of a topic: all columns that went into the record."""
    from pyspark.sql import functions as f

    yield
    orders = spark.read.parquet(f"{work}/in/orders")
    _out(orders.select(f.col("id").cast("string").alias("key"), _to_avro()), work, "avro_made")
    _out(orders.selectExpr("to_json(struct(*)) as value"), work, "json_made")
    _out(orders.selectExpr("to_csv(struct(id, amount)) as value"), work, "csv_made")
    _out(orders.selectExpr("to_json(named_struct('k', id, 'n', upper(customer))) as value"), work, "named_made")
