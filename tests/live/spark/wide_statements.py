"""Wide and long statements: what makes the hook's thread do much at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITES = 4


def run_wide_statements(spark: SparkSession, work: str) -> None:
    """Write 2,000 columns, read them, choose by 30,000 values, and run a statement of 5 MB: four writes."""
    wide = [f"id + {i} as c{i}" for i in range(2000)]
    spark.range(2).selectExpr(*wide).write.parquet(f"{work}/wide")
    spark.read.parquet(f"{work}/wide").selectExpr("*", "c1 + c2 as more").write.parquet(f"{work}/wider")
    several = ",".join(map(str, range(30_000)))
    spark.sql(f"create table chosen using parquet as select id from range(9) where id in ({several})")
    long = " ".join(f"/* {'long' * 20} */ id + 1 as x{i}," for i in range(20))
    comment = "\n".join("-- " + "what a generator writes " * 4 for _ in range(50_000))
    spark.sql(f"create table long using parquet as\n{comment}\nselect {long} id from range(3)")
