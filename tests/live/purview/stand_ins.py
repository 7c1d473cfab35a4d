"""Stores in the cloud and database servers for one Spark: a Hadoop file system and a JDBC driver that keep all on this machine.

Paths and URLs are real ones (`abfss://raw@contosolake.dfs.core.windows.net/orders`, `jdbc:sqlserver://…`): Spark reads and
writes through them as it does in the cloud, with its own committers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from stack import compiling, jars
from stack.java import find_java
from tests.helpers.catalog import building as catalog
from tests.unit.hook.plugins.building import connector

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[3]
SCHEMES = ("abfss", "abfs", "wasbs", "wasb", "adl", "dbfs", "s3a", "gs")
DRIVER = "sackafka.testing.StandInDriver"
_FILE_SYSTEM = "sackafka.testing.StandInFileSystem"


def class_path() -> str:
    """Return what the JVM needs for them, and for the catalog and the connector of other tests.

    Raises:
        StackError: There is no compiler, or H2 cannot be had.
    """
    return os.pathsep.join((str(_classes()), _h2(), str(catalog.compiled()), str(connector("acme"))))


def settings(folder: Path) -> dict[str, str]:
    """Return the configuration of a session whose stores are kept in `folder`."""
    return {
        "spark.hadoop.fs.stand-in.root": str(folder),
        **{f"spark.hadoop.fs.{scheme}.impl": _FILE_SYSTEM for scheme in SCHEMES},
        # Delta's way to write its log there needs a file system of Hadoop's other kind (FileContext).
        "spark.delta.logStore.dbfs.impl": "io.delta.storage.AzureLogStore",
    }


@contextmanager
def catalogs_of_unity(spark: SparkSession) -> Iterator[None]:
    """Databricks' own catalogs: no setting names them, and so none of the session does behind the block that uses it first."""
    settings = catalog.settings("main")
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield
    for key in settings:
        spark.conf.unset(key)


def open_databases(spark: SparkSession) -> None:
    """Make the driver known to the JVM, as one on the class path makes itself known."""
    spark._jvm.java.lang.Class.forName(DRIVER)


def _classes() -> Path:
    import pyspark

    spark_jars = [str(jar) for jar in (Path(pyspark.__file__).parent / "jars").glob("*.jar")]
    return compiling.compiled(
        "the stand-in stores",
        sorted((Path(__file__).parent / "java").glob("*.java")),
        ROOT / "build" / "stores",
        java=find_java().path,
        class_path=os.pathsep.join([*spark_jars, _h2()]),
        kind=f"{pyspark.__version__}-",
    )


def _h2() -> str:
    return jars.provide("jdbc-embedded").class_path
