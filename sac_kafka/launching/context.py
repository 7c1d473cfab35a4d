"""A SparkContext of ours, without a job and without the hook: for who wants to look at the driver that it runs in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sac_kafka_auto
from sac_kafka.spark.driver import JvmDriver

NAME = "sac-kafka doctor"


@contextmanager
def driver_of_context() -> Iterator[JvmDriver]:
    """Make the context, give the driver's JVM, and stop the context; what Spark raises passes."""
    os.environ[sac_kafka_auto.VARIABLE] = sac_kafka_auto.OFF[0]  # no hook of its own stands in the way
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName(NAME).getOrCreate()
    try:
        yield JvmDriver(session.sparkContext)
    finally:
        with suppress(Exception):  # the JVM may be gone
            session.stop()
