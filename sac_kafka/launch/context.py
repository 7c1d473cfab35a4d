"""Start a SparkContext without job and hook, for commands that inspect the driver."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sac_kafka_auto
from sac_kafka.spark.driver import JvmDriver

NAME = "sac-kafka doctor"


@contextmanager
def driver_of_context() -> Iterator[JvmDriver]:
    """Start the context, yield the driver's JVM, and stop the context; Spark's errors are not caught."""
    os.environ[sac_kafka_auto.VARIABLE] = sac_kafka_auto.OFF[0]  # do not attach a hook to this context
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName(NAME).getOrCreate()
    try:
        yield JvmDriver(session.sparkContext)
    finally:
        with suppress(Exception):  # the JVM may have ended
            session.stop()
