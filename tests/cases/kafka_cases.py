"""Small jobs over Kafka topics whose lineage is known, as `cases`; they need a broker and the jars of Spark's Kafka source.

`python -m tests.cases.kafka_cases FOLDER BOOTSTRAP JAR,…` runs them all in this process and writes each one's batch to
`FOLDER/<case>.txt`, folder and servers replaced by fixed ones of the same kind. `tests/live/spark/test_kafka_source.py` runs it;
to record, copy the batches to `fixtures/kafka/<Spark version>`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KafkaCase = Callable[["SparkSession", str, str], object]
KAFKA_CASES: dict[str, KafkaCase] = {}
OF_SPARK_3: set[str] = set()
"""Cases that read a topic as a stream: Spark 4.3 has no Kafka source yet whose streams run, its own is not published."""
TOPICS = ("cases.one", "cases.two", "cases.three")
WORK = "/work-of-the-case"
SERVERS = "broker-of-the-case:9092"


def kafka_case(function: KafkaCase) -> KafkaCase:
    KAFKA_CASES[function.__name__] = function
    return function


def of_spark_3(function: KafkaCase) -> KafkaCase:
    OF_SPARK_3.add(function.__name__)
    return kafka_case(function)


def names(spark_version: str) -> list[str]:
    """Return the cases that this Spark can run."""
    return [name for name in KAFKA_CASES if spark_version.startswith("3.") or name not in OF_SPARK_3]


def orders(spark: SparkSession, work: str) -> DataFrame:
    return spark.read.parquet(f"{work}/in")


def write(df: DataFrame, servers: str, **options: str) -> None:
    df.write.format("kafka").option("kafka.bootstrap.servers", servers).options(**options).save()


def read(spark: SparkSession, servers: str, **options: str) -> DataFrame:
    return spark.read.format("kafka").option("kafka.bootstrap.servers", servers).options(**options).load()


@kafka_case
def topic_written(spark: SparkSession, work: str, servers: str) -> object:
    df = orders(spark, work).selectExpr("cast(id as string) key", "name value")
    write(df, servers, topic="cases.one", **{"kafka.atlas.cluster.name": "prod"})


@kafka_case
def topic_of_a_column(spark: SparkSession, work: str, servers: str) -> object:
    write(orders(spark, work).selectExpr("name value", "'cases.two' topic"), servers)


@kafka_case
def topics_of_a_condition(spark: SparkSession, work: str, servers: str) -> object:
    topic = "case when id > 1 then 'cases.two' else 'cases.three' end topic"
    write(orders(spark, work).selectExpr("name value", topic).filter("value is not null"), servers)


@kafka_case
def topics_of_a_union(spark: SparkSession, work: str, servers: str) -> object:
    df = orders(spark, work)
    write(df.selectExpr("name value", "'cases.one' topic").union(df.selectExpr("'x'", "'cases.three'")), servers)


@kafka_case
def topics_that_rows_name(spark: SparkSession, work: str, servers: str) -> object:
    write(orders(spark, work).selectExpr("name value", "concat('cases.', 'o', 'ne', substr(name, 9)) topic"), servers)


@kafka_case
def topics_read(spark: SparkSession, work: str, servers: str) -> object:
    df = read(spark, servers, subscribe="cases.one, cases.two").filter("offset >= 0")
    df.selectExpr("cast(key as string) k", "cast(value as string) v").write.mode("overwrite").parquet(f"{work}/read")


@kafka_case
def topic_assigned(spark: SparkSession, work: str, servers: str) -> object:
    df = read(spark, servers, assign='{"cases.one": [0]}', includeHeaders="true")
    df.select("value", "headers").write.mode("overwrite").parquet(f"{work}/assigned")


@kafka_case
def topics_by_pattern(spark: SparkSession, work: str, servers: str) -> object:
    df = read(spark, servers, subscribePattern="cases.*")
    df.select("value").write.mode("overwrite").parquet(f"{work}/pattern")


@kafka_case
def topic_to_topic(spark: SparkSession, work: str, servers: str) -> object:
    write(read(spark, servers, subscribe="cases.one").selectExpr("key", "value"), servers, topic="cases.three")


# ---- streams


def stream(spark: SparkSession, servers: str, **options: str) -> DataFrame:
    """Topics as a stream, from their beginning."""
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    return source.option("startingOffsets", "earliest").options(**options).load()


def run(df: DataFrame, work: str, name: str, file_format: str = "parquet", **options: str) -> None:
    """Write all that there is, and end."""
    writer = df.writeStream.format(file_format).option("checkpointLocation", f"{work}/checkpoints/{name}")
    query = writer.options(**options).trigger(availableNow=True).start()
    assert query.awaitTermination(300)


@kafka_case
def stream_into_topics_of_a_column(spark: SparkSession, work: str, servers: str) -> object:
    df = spark.readStream.schema("id int, name string").parquet(f"{work}/in")
    topic = "case when id > 1 then 'cases.two' else 'cases.three' end topic"
    to = {"kafka.bootstrap.servers": servers}
    run(df.selectExpr("name value", topic), work, "stream_topics", "kafka", **to)


@of_spark_3
def stream_of_a_topic_into_a_topic(spark: SparkSession, work: str, servers: str) -> object:
    df = stream(spark, servers, subscribe="cases.one", **{"kafka.atlas.cluster.name": "prod"})
    to = {"kafka.bootstrap.servers": servers, "topic": "cases.two"}
    run(df.selectExpr("key", "upper(cast(value as string)) value"), work, "stream_topic", "kafka", **to)


@of_spark_3
def stream_of_partitions(spark: SparkSession, work: str, servers: str) -> object:
    df = stream(spark, servers, assign='{"cases.one": [0]}', includeHeaders="true")
    run(df.selectExpr("cast(value as string) v", "headers"), work, "stream_assigned", path=f"{work}/out/assigned")


@of_spark_3
def stream_by_a_pattern(spark: SparkSession, work: str, servers: str) -> object:
    df = stream(spark, servers, subscribePattern="cases[.](one|two)")
    run(df.selectExpr("topic", "value"), work, "stream_pattern", path=f"{work}/out/pattern")


@of_spark_3
def stream_joined_with_a_stream(spark: SparkSession, work: str, servers: str) -> object:
    left = stream(spark, servers, subscribe="cases.one").selectExpr("cast(value as string) l", "timestamp at")
    right = stream(spark, servers, subscribe="cases.two").selectExpr("cast(value as string) r", "timestamp then")
    left, right = left.withWatermark("at", "1 minute"), right.withWatermark("then", "1 minute")
    run(left.join(right, left["l"] == right["r"]).select("l", "then"), work, "stream_join", path=f"{work}/out/join")


def main() -> None:
    from tests.helpers.live_runs import Capture, session

    folder, servers, jars = sys.argv[1:]
    work = f"{folder}/work"
    spark = session(work, **{"spark.jars": jars})
    spark.createDataFrame([(1, "a"), (2, "b")], "id int, name string").write.mode("overwrite").parquet(f"{work}/in")
    capture = Capture(spark)
    for name in names(spark.version):
        text = capture.text_of(lambda name=name: KAFKA_CASES[name](spark, work, servers))
        Path(folder, f"{name}.txt").write_text(text.replace(work, WORK).replace(servers, SERVERS) + "\n")
    spark.stop()


if __name__ == "__main__":
    main()
