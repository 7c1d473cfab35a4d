"""Watches what the projecting thread does in the driver: it is to touch no file system, open no socket and start no Spark job.

What it sees is Hadoop's local file system, sockets of `java.net` and Spark's jobs, of that thread alone. What it does not see:
`java.io.File`, channels, and threads that a connector starts for the call.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONF = {
    "spark.hadoop.fs.file.impl": "sackafka.testing.Watched$Files",
    "spark.hadoop.fs.file.impl.disable.cache": "true",  # an earlier context of the JVM may have made another
}
_BUS_SECONDS = 0.3


class Watch:
    """The watch of a session that was made with `CONF`, on whose class path the test catalog is."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._watched = jvm.sackafka.testing.Watched
        self._watched.begin(spark.sparkContext._jsc.sc())

    def taken(self, *, wait: bool = False) -> list[str]:
        """What was seen since the last time; with `wait` jobs too that were started just now."""
        if wait:
            time.sleep(_BUS_SECONDS)  # they are told by the listener bus
        return list(self._watched.taken())
