"""A job of many small writes of several kinds, which reports its progress and the encoded messages on pipes.

    chaos_job.py WORK ENDING WRITES     ENDING: stop, no-stop, exception, exit; SAC_KAFKA_TEST_HOOK=0: without the hook

SAC_KAFKA_TEST_PIPES=PROGRESS,ENCODED are two descriptors. On the first it writes one JSON a line: its application id, each
statement that is done. On the second each record of the hook just before it is handed to the spool,
and a line when that has returned. Pipes, because they outlive this process and no full disk stops them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession

from tests.helpers.sessions import local_session, log_to_stderr


def report(descriptor: int | None, **what: object) -> None:
    if descriptor is not None:
        line = json.dumps(what).encode() + b"\n"
        while line:
            line = line[os.write(descriptor, line) :]


def report_encoded(descriptor: int) -> None:
    """Wrap the path of all messages: report each before any other code sees it."""
    from sac_kafka.transport.spool.spool import Spool

    send: Callable[..., None] = Spool.send

    def reporting_send(self: Spool, record: Any, *others: Any) -> None:
        report(descriptor, encoded=[value.decode() for value in record.values])
        send(self, record, *others)
        report(descriptor, handed_over=True)

    Spool.send = reporting_send  # type: ignore[method-assign]


def path(spark: SparkSession, work: str, i: int) -> None:
    spark.range(5).selectExpr("id", f"id * {i} as v").write.mode("overwrite").parquet(f"{work}/path{i}")


def another_format(spark: SparkSession, work: str, i: int) -> None:
    spark.read.parquet(f"{work}/path{i - 1}").selectExpr("v", "id + 1 as next").write.json(f"{work}/json{i}")


def created_as_select(spark: SparkSession, work: str, i: int) -> None:
    spark.sql(f"create table made{i} using parquet as select id, v from parquet.`{work}/path{i - 2}`")


def inserted(spark: SparkSession, work: str, i: int) -> None:
    spark.sql(f"insert into made{i - 1} select id, {i} from range(3)")


def view(spark: SparkSession, work: str, i: int) -> None:
    spark.sql(f"create view seen{i} as select id, v + 1 as w from made{i - 2}")


def saved(spark: SparkSession, work: str, i: int) -> None:
    spark.table(f"seen{i - 1}").groupBy("w").count().write.saveAsTable(f"saved{i}")


def overwritten(spark: SparkSession, work: str, i: int) -> None:
    spark.sql(f"insert overwrite table saved{i - 1} select w, 1 as count from seen{i - 2}")


def into_a_directory(spark: SparkSession, work: str, i: int) -> None:
    spark.sql(f"insert overwrite directory '{work}/directory{i}' using csv select w, id from seen{i - 3}")


def altered(spark: SparkSession, work: str, i: int) -> None:
    spark.sql(f"alter table saved{i - 3} set tblproperties ('round' = '{i}')")


def appended(spark: SparkSession, work: str, i: int) -> None:
    spark.table(f"made{i - 7}").write.mode("append").parquet(f"{work}/path{i - 9}")


KINDS = (
    path,
    another_format,
    created_as_select,
    inserted,
    view,
    saved,
    overwritten,
    into_a_directory,
    altered,
    appended,
)


def main() -> None:
    work, ending, writes = sys.argv[1:4]
    log_to_stderr("%(asctime)s %(levelname)s %(message)s")
    pipes = os.environ.get("SAC_KAFKA_TEST_PIPES")
    progress, encoded = map(int, pipes.split(",")) if pipes else (None, None)

    spark = local_session("chaos", f"{work}/warehouse")
    if os.environ.get("SAC_KAFKA_TEST_HOOK") != "0":
        import sac_kafka

        if encoded is not None:
            report_encoded(encoded)
        sac_kafka.attach(spark)
    report(progress, application=spark.sparkContext.applicationId)

    for i in range(int(writes)):
        kind = KINDS[i % len(KINDS)]
        kind(spark, work, i)
        print("wrote", i, kind.__name__, flush=True)
        report(progress, done=i + 1)
    print("tables", len(spark.catalog.listTables()), flush=True)

    if ending == "exception":
        raise RuntimeError("the job's own error")
    if ending == "exit":
        sys.exit(3)
    if ending == "stop":
        spark.stop()
    print("end", flush=True)


if __name__ == "__main__":
    main()
