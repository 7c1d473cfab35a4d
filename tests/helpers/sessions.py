"""The small local session of all tests and jobs; it imports nothing of the hook, because jobs also run without it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENT = {
    "hook_spark_attach_timeout_seconds": "300",
    "hook_spark_exit_timeout_seconds": "60",
    "hook_spark_capture_stop_wait_seconds": "60",
}
"""Settings, as `atlas_conf` takes them, of a job whose every message counts: a slow machine costs none of them. What cannot
be delivered is not waited for all the same."""


def local_session(
    name: str, warehouse: str, conf: Mapping[str, str] | None = None, *, cores: int = 2, log_level: str = "OFF"
) -> SparkSession:
    """Make it, its tables below `warehouse`; `conf` is further configuration of Spark."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.sql.warehouse.dir": warehouse,
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        **(conf or {}),
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName(name)
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel(log_level)
    return spark


def atlas_conf(**settings: str) -> dict[str, str]:
    """Settings of the hook as Spark's configuration: `client_type="file"` is `spark.atlas.client.type=file`."""
    return {f"spark.atlas.{key.replace('_', '.')}": value for key, value in settings.items()}


def log_to_stderr(form: str = "%(levelname)s %(name)s: %(message)s") -> None:
    """Log warnings of all loggers, and everything of the hook."""
    logging.basicConfig(level=logging.WARNING, format=form, stream=sys.stderr)
    logging.getLogger("sac_kafka").setLevel(logging.INFO)
