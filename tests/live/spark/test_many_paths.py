"""A year of directories and thousands of files, read at once by a real Spark, are one data set and one process."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.model import PathDataset
from sac_kafka.names.files import MAX_LOCATIONS
from tests.helpers.live_runs import Capture

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
DAYS, FILES, LONGEST_EVENT = 365, 5_000, 1_000_000


@pytest.fixture(scope="module")
def capture(spark: SparkSession) -> Iterator[Capture]:
    capture = Capture(spark)
    yield capture
    capture.listener.detach()


def read_and_written(spark: SparkSession, capture: Capture, paths: list[str], out: Path) -> PathDataset:
    """Return the only input of the only process of a copy; Spark itself reads no row of it."""
    frame = spark.read.schema("id int").csv(paths).where("false")
    text = capture.text_of(lambda: frame.coalesce(1).write.parquet(f"file:{out}"))
    assert len(text) < LONGEST_EVENT
    (process,) = capture.processes_of(text)
    (found,) = process.inputs
    assert isinstance(found, PathDataset)
    return found


def test_a_year_of_directories(spark: SparkSession, capture: Capture, tmp_path: Path) -> None:
    for n in range(DAYS):
        day = tmp_path / "in" / f"{date(2026, 1, 1) + timedelta(days=n):%Y/%m/%d}"
        day.mkdir(parents=True)
        (day / "orders.csv").write_text("1\n")
    found = read_and_written(spark, capture, [f"{tmp_path}/in/2026/*/*"], tmp_path / "out")
    assert found.path == f"file:{tmp_path}/in"
    assert len(found.locations) == DAYS


@pytest.mark.exhaustive
def test_thousands_of_files(spark: SparkSession, capture: Capture, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for n in range(FILES):
        (tmp_path / "in" / f"part_{n:x}.csv").write_text("1\n")
    found = read_and_written(spark, capture, [f"{tmp_path}/in/part_*.csv"], tmp_path / "out")
    assert found.path == f"file:{tmp_path}/in"
    assert len(found.locations) == MAX_LOCATIONS
