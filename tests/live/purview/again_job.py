"""A job of three flows for a day: `again_job.py WORK DAY` reads the day's partition, and writes a table and a report.

It is run with the properties file that its test gives it; its only line about lineage is `attach`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sac_kafka
from tests.helpers.sessions import local_session
from tests.live.purview import prepared, stand_ins
from tests.live.purview.assets import abfss


def main() -> None:
    work, day = sys.argv[1:]
    spark = local_session(f"load {day}", f"{work}/warehouse-{day}", stand_ins.settings(Path(work) / "stores"))
    prepared.orders(spark).write.mode("overwrite").parquet(abfss(f"raw/orders/day={day}"))
    hook = sac_kafka.attach(spark)
    orders = spark.read.parquet(abfss(f"raw/orders/day={day}"))
    orders.selectExpr("id", "amount as total").write.mode("overwrite").parquet(abfss(f"curated/orders/day={day}"))
    orders.write.mode("overwrite").parquet(abfss(f"curated/report/{day.replace('-', '/')}"))
    orders.groupBy("customer").count().write.mode("overwrite").json(abfss("curated/customers"))
    hook.flush(60)
    spark.stop()


if __name__ == "__main__":
    main()
