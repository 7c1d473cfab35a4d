"""The session of one family, chosen by `make test-sources`: the one JVM of a process has the jars of one only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from tests.helpers.catalog import building
from tests.helpers.live_runs import Capture, session
from tests.helpers.watch import CONF, Watch
from tests.live.sources.families import FAMILIES
from tests.live.sources.family import Family, spark_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHOSEN = os.environ.get("SAC_KAFKA_TEST_SOURCE", "")


@pytest.fixture(scope="session")
def family() -> Family:
    return FAMILIES[CHOSEN]


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="session")
def spark(family: Family, work: Path) -> Iterator[SparkSession]:
    if (reason := family.missing()) is not None:
        pytest.skip(reason)
    jars = spark_jars([family.list_of_jars(version("pyspark"))])
    building.on_class_path()
    spark = session(str(work), **{**CONF, **jars, **family.conf(str(work))})
    family.prepare(spark, str(work))
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def watch(spark: SparkSession) -> Watch:
    return Watch(spark)


@pytest.fixture(scope="session")
def capture(spark: SparkSession, family: Family) -> Capture:
    return Capture(spark, family.settings)
