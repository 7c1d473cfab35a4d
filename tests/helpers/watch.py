"""Watches what the projecting thread does in the driver: it is to touch no file system, open no socket and start no Spark job.

What it sees is Hadoop's local file system, sockets of `java.net` and Spark's jobs, of that thread alone. What it does not see:
`java.io.File`, channels, and threads that a connector starts for the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.live.spark.projector import wait_until_handed_over

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONF = {
    "spark.hadoop.fs.file.impl": "sackafka.testing.Watched$Files",
    "spark.hadoop.fs.file.impl.disable.cache": "true",  # an earlier context of the JVM may have made another
}


class Watch:
    """The watch of a session that was made with `CONF`, on whose class path the test catalog is."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._watched = jvm.sackafka.testing.Watched
        self._spark = spark
        self._watched.begin(spark.sparkContext._jsc.sc())

    def taken(self, *, wait: bool = False) -> list[str]:
        """Return the jobs seen since the last time; with `wait` also those that were just started."""
        if wait:
            wait_until_handed_over(self._spark)  # they come from the listener bus
        return list(self._watched.taken())
