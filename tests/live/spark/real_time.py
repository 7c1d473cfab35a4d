"""A query in real-time mode, Kafka to Kafka: `python -m tests.live.spark.real_time FOLDER BOOTSTRAP JARS FROM TO`."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 Spark's own name for them

import sac_kafka
from tests.helpers.waiting import until

BATCH = "5 seconds"
BATCHES = 3
_PATIENCE_SECONDS = 240


def main(folder: Path, bootstrap: str, paths: str, source: str, target: str) -> None:
    settings = {
        "spark.jars": paths,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.atlas.client.type": "file",
        "spark.atlas.client.file.path": str(folder / "messages.jsonl"),
        "spark.atlas.metadata.namespace": "test",
        "spark.atlas.hook.spark.job.name": "real_time",
    }
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    hook = sac_kafka.attach(spark)
    kafka = {"kafka.bootstrap.servers": bootstrap}
    read = spark.readStream.format("kafka").options(**kafka, subscribe=source, startingOffsets="earliest").load()
    made = read.select(F.upper(read.value.cast("string")).alias("value"))
    query = _started(spark, made, kafka | {"topic": target, "checkpointLocation": str(folder / "checkpoint")})
    until(lambda: len(query.recentProgress) >= BATCHES or not query.isActive, seconds=_PATIENCE_SECONDS)
    print("batches", [each["batchId"] for each in query.recentProgress])
    query.stop()
    print(hook.flush(20))
    spark.stop()


def _started(spark: SparkSession, made: DataFrame, options: dict[str, str]):
    writer = made.writeStream.format("kafka").options(**options).outputMode("update").queryName("copies")
    if spark.version.startswith("4.1"):  # its Python has no word for this trigger
        jvm = spark._jvm
        writer._jwrite = writer._jwrite.trigger(jvm.org.apache.spark.sql.streaming.Trigger.RealTime(BATCH))
        return writer.start()
    return writer.trigger(realTime=BATCH).start()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
