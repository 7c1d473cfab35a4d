"""The small local session of all jobs here; it imports nothing of the hook, because they also run without it."""

from __future__ import annotations

import logging
import sys

from pyspark.sql import SparkSession


def local_session(name: str, warehouse: str, *, cores: int = 2, **atlas: str) -> SparkSession:
    """Make it; `atlas` are settings of the hook, `client_type="file"` is `spark.atlas.client.type=file`."""
    builder = SparkSession.builder.master(f"local[{cores}]").appName(name)
    settings = {
        "spark.sql.warehouse.dir": warehouse,
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        **{f"spark.atlas.{key.replace('_', '.')}": value for key, value in atlas.items()},
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def log_to_stderr(form: str = "%(levelname)s %(name)s: %(message)s") -> None:
    """Log warnings of all, and what the hook says."""
    logging.basicConfig(level=logging.WARNING, format=form, stream=sys.stderr)
    logging.getLogger("sac_kafka").setLevel(logging.INFO)
