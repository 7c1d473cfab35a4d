"""Options of the tests' JVMs, which live for seconds: most of that time goes into loading and compiling Spark's classes.

`python -m tests.helpers.jvm` makes the archive of Spark's classes in build/: with it a Spark starts and leaves in half the time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"
ENVIRONMENT = "JDK_JAVA_OPTIONS"

# Without the optimising compiler a Spark job takes a quarter less time.
# That compiler also takes the small code cache along, and a full one turns compiling off.
OPTIONS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"

_JOB = """
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1")
    .config("spark.sql.warehouse.dir", "warehouse").enableHiveSupport().getOrCreate()
)
spark.range(3).selectExpr("id", "id as x").write.parquet("in")
spark.read.parquet("in").createOrReplaceTempView("a")
spark.sql("create table t using parquet as select id, max(b.x) m from a join a b using (id) group by id")
spark.sql("insert into t select id, (select count(*) from a) from a where id in (select x from a)")
spark.createDataFrame([(1, "a")], "a int, b string").write.json("out")
spark.read.json("out").write.option("header", True).csv("text")
spark.sparkContext.textFile("text").map(len).saveAsTextFile("lengths")
stream = spark.readStream.schema("id bigint, x bigint").parquet("in").writeStream.format("noop")
stream.option("checkpointLocation", "checkpoint").trigger(availableNow=True).start().awaitTermination()
spark.stop()
"""


def archive(spark: str) -> Path:
    """Return the path for the classes of a version of Spark."""
    return BUILD / f"classes-{spark}.jsa"


def options(spark: str) -> str:
    """Return the value of `ENVIRONMENT` for JVMs that run this version of Spark.

    A JVM that has other classes, or is another Java, goes without the archive; that it does is no news.
    """
    path = archive(spark)
    return f"{OPTIONS} -XX:SharedArchiveFile={path} -Xlog:cds*=off" if path.is_file() else OPTIONS


def spark_of(python: str) -> str:
    """Return the version of PySpark that an interpreter of a virtual environment has."""
    (found,) = Path(python).parents[1].glob("lib/python*/site-packages/pyspark-*.dist-info")
    return found.name.removeprefix("pyspark-").removesuffix(".dist-info")


def set_options() -> None:
    """Let the JVMs that this process starts, and those that its children start, run so; what the user has set holds."""
    with suppress(PackageNotFoundError):  # tests that need no Spark run without PySpark
        os.environ.setdefault(ENVIRONMENT, options(version("pyspark")))


def make(spark: str) -> None:
    """Run a job of many parts with this interpreter's Spark and keep the classes that it has loaded.

    Raises:
        subprocess.CalledProcessError: The job failed; its output is in the error.
    """
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as work:
        made = Path(work, "made.jsa")
        environment = {**os.environ, ENVIRONMENT: f"{OPTIONS} -XX:ArchiveClassesAtExit={made} -Xlog:cds*=off"}
        command = [sys.executable, "-c", _JOB]
        subprocess.run(command, cwd=work, env=environment, check=True, capture_output=True, text=True)
        if made.is_file():  # only the JVM that leaves last has all
            made.replace(archive(spark))


if __name__ == "__main__":
    try:
        make(version("pyspark"))
    except subprocess.CalledProcessError as error:
        sys.exit(f"no archive of Spark's classes, the job failed: {error.stderr.splitlines()[-1]}")
