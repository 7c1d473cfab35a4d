"""Five streaming queries as one driver has them: `streams.py WORK BOOTSTRAP NAME BATCHES`; settings in PYSPARK_SUBMIT_ARGS.

Topic → topic; topic → Delta → Iceberg; files → a function that writes two tables of a database; topics by a pattern → files.
The names of topics begin with NAME. Each query takes one record or file a batch; the driver ends once each has run BATCHES of
them, in addition to those of earlier drivers, and that of the pattern has rows of `NAME_seen_later`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

import sac_kafka

work, servers, prefix, batches = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
EVERY = "1 second"  # so that those that are fast leave the processors to the others, and none is done long before them
spark = SparkSession.builder.appName("streams").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
database = {"url": f"jdbc:derby:{work}/reporting;create=true", "driver": "org.apache.derby.jdbc.EmbeddedDriver"}


def topics(**options: str) -> DataFrame:
    """Topics, a record a batch."""
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    source = source.option("startingOffsets", "earliest").option("kafka.metadata.max.age.ms", "500")
    return source.option("maxOffsetsPerTrigger", 1).options(**options).load()


def start(df: DataFrame, name: str, file_format: str = "", table: str | None = None, **options: str) -> StreamingQuery:
    """Return a query with a separate checkpoint."""
    writer = (
        df.writeStream.queryName(name).option("checkpointLocation", f"{work}/checkpoints/{name}").options(**options)
    )
    writer = writer.trigger(processingTime=EVERY)
    if file_format:
        writer = writer.format(file_format)
    return writer.start() if table is None else writer.toTable(table)


def both(batch: DataFrame, batch_id: int) -> None:
    """Two writes of one batch."""
    del batch_id
    batch.selectExpr("id", "item").write.format("jdbc").options(**database, dbtable="ITEMS").mode("append").save()
    totals = batch.groupBy("item").sum("price").withColumnRenamed("sum(price)", "total")
    totals.write.format("jdbc").options(**database, dbtable="TOTALS").mode("append").save()


def commits(name: str) -> int:
    """Return how many batches a query has done, in all drivers."""
    return 1 + max((int(each.name) for each in Path(work, "checkpoints", name, "commits").glob("[0-9]*")), default=-1)


wanted = {name: commits(name) + batches for name in ("copied", "raw", "mart", "items")}
spark.sql("create table if not exists ic.lake.mart (item string, gross double) using iceberg")
spark.createDataFrame([], "item string, price double").write.format("delta").mode("append").save(f"{work}/lake/raw")
hook = sac_kafka.attach(spark)
sales = topics(subscribe=f"{prefix}_sales")
files = spark.readStream.schema("id int, item string, price double").option("maxFilesPerTrigger", 1)
raw = spark.readStream.option("maxFilesPerTrigger", 1).format("delta").load(f"{work}/lake/raw")
parsed = sales.selectExpr("split(cast(value as string), ',') p").selectExpr("p[0] item", "cast(p[1] as double) price")

counted = [
    start(
        sales.selectExpr("key", "upper(cast(value as string)) value"),
        "copied",
        "kafka",
        topic=f"{prefix}_copies",
        **{"kafka.bootstrap.servers": servers},
    ),
    start(parsed, "raw", "delta", path=f"{work}/lake/raw"),
    start(raw.selectExpr("item", "price * 1.2 gross"), "mart", "iceberg", table="ic.lake.mart"),
    files.csv(f"{work}/in/items").writeStream.queryName("items").foreachBatch(both)
    .option("checkpointLocation", f"{work}/checkpoints/items").trigger(processingTime=EVERY).start(),
]  # fmt: skip
seen = topics(subscribePattern=f"{prefix}_seen_.*", maxOffsetsPerTrigger="100").selectExpr(
    "topic", "cast(value as string) value"
)
pattern = start(seen, "seen", "parquet", path=f"{work}/out/seen")

while any(commits(name) < number for name, number in wanted.items()) or not (
    Path(work, "out/seen/_spark_metadata").is_dir()
    and spark.read.parquet(f"{work}/out/seen").where("topic like '%_seen_later'").count()
):
    failed = [q.exception() for q in (*counted, pattern) if q.exception() is not None]
    assert not failed, failed
    time.sleep(0.2)
for query in (*counted, pattern):
    query.stop()
assert hook.flush(600), hook.stats()
Path(work, "stats.txt").write_text(repr(dict(hook.stats())))
spark.stop()
