"""A Spark of this process: one context per module, all in one JVM. Separate jobs are run by `drivers`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from tests.helpers.catalog import building
from tests.helpers.live_runs import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session", autouse=True)
def class_path() -> None:
    """Put the test catalog on the class path of the one JVM of all contexts."""
    building.on_class_path()


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def spark(work: Path) -> Iterator[SparkSession]:
    spark = session(str(work))
    yield spark
    spark.stop()
