"""A projection that does not come back costs its event, and neither the capture nor the job."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.plan import wire
from sac_kafka.settings.driver import DriverBounds
from tests.helpers.live_runs import SETTINGS, Capture
from tests.helpers.waiting import until
from tests.live.spark.projector import age, thread, wait_until_held
from tests.live.spark.sleeper import hold, release, sleepy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset, pytest.mark.oldest]

REPLACEMENTS = 3
STUCK_SECONDS = 600.0
"""Nothing takes so long by itself: what is stuck is made older (`age`)."""
ENDLESS = r"(a+)+\1b"
"""Takes 2^n steps for n times an a: the reference keeps Java from remembering what it has tried."""


@pytest.fixture(scope="module")
def data(spark: SparkSession, work: Path) -> DataFrame:
    spark.range(3).write.parquet(f"{work}/in")
    return spark.read.parquet(f"{work}/in")


@pytest.fixture
def capture(spark: SparkSession) -> Iterator[Capture]:
    capture = Capture(
        spark, dataclasses.replace(SETTINGS, bounds=DriverBounds(stuck_seconds=STUCK_SECONDS, stop_wait_seconds=0.5))
    )
    hold(spark)
    yield capture
    release(spark)
    capture.listener.detach()


def stuck(text: str) -> list[str]:
    return [line.stack for line in wire.read(text) if isinstance(line, wire.Stuck)]


def counters(text: str) -> dict[str, int]:
    return {k: n for line in wire.read(text) if isinstance(line, wire.Counters) for k, n in line.counts.items()}


def is_matching(spark: SparkSession) -> bool:
    """Return whether a projecting thread is inside an expression."""
    stacks = spark.sparkContext._jvm.java.lang.Thread.getAllStackTraces()
    return any(
        "java.util.regex" in " ".join(map(str, stacks[thread]))
        for thread in stacks
        if thread.getName().startswith("sac-kafka-projector")
    )


def write(df: DataFrame, path: str) -> None:
    df.write.mode("overwrite").parquet(path)


def text_of_stuck(spark: SparkSession, capture: Capture, data: DataFrame, path: str) -> str:
    """Return the text for a write that is never projected, once its time is over."""
    write(sleepy(spark, data), path)
    wait_until_held(spark, capture.listener)
    before = capture.listener.poll(0) or ""
    assert stuck(before) == []
    age(spark, capture.listener, STUCK_SECONDS)
    return f"{before}\n{capture.drain()}"


def test_a_stuck_event_is_logged_once_and_counted_and_the_next_is_projected(
    spark: SparkSession, data: DataFrame, capture: Capture, work: Path
) -> None:
    abandoned = thread(capture.listener)
    text = text_of_stuck(spark, capture, data, f"{work}/slow")
    (stack,) = stuck(text)
    assert "Sleeper.invoke" in stack
    assert counters(text)["dropped: projection stuck"] == 1
    assert capture.processes_of(text) == []

    text = capture.text_of(lambda: write(data, f"{work}/quick"))
    assert stuck(text) == []
    assert [p.outputs[0].key for p in capture.processes_of(text)] == [f"path:file:{work}/quick"]

    release(spark)  # the abandoned thread wakes: its event has been counted and is not projected any more
    until(lambda: not abandoned.isAlive())
    assert capture.processes_of(capture.drain()) == []


@pytest.mark.parametrize("ends", [False, True])
def test_an_endless_redaction_uses_no_cpu_once_it_is_abandoned(
    spark: SparkSession, data: DataFrame, work: Path, ends: bool
) -> None:
    """Given up because it takes too long, or because the application has ended."""
    bounds = DriverBounds(stuck_seconds=STUCK_SECONDS, stop_wait_seconds=0.5)
    settings = dataclasses.replace(SETTINGS, bounds=bounds, redact_values=(ENDLESS,))
    capture = Capture(spark, settings)
    write(data, f"{work}/{'a' * 80}c")
    until(lambda: is_matching(spark))
    if ends:
        capture.listener.java.onApplicationEnd(None)
    else:
        age(spark, capture.listener, STUCK_SECONDS)
        assert stuck(capture.listener.poll(0) or "")
    until(lambda: not is_matching(spark))
    text = capture.text_of(lambda: write(data, f"{work}/quick"))
    assert [p.outputs[0].key for p in capture.processes_of(text)] == ([] if ends else [f"path:file:{work}/quick"])
    assert not any("projection failed" in each for each in counters(text))
    capture.listener.detach()


def test_capturing_stops_with_a_warning_after_several_stuck_events(
    spark: SparkSession, data: DataFrame, capture: Capture, work: Path
) -> None:
    text = ""
    for i in range(REPLACEMENTS + 1):
        text += text_of_stuck(spark, capture, data, f"{work}/slow{i}") + "\n"
    assert len(stuck(text)) == REPLACEMENTS + 1
    assert counters(text)["dropped: projection stuck"] == REPLACEMENTS + 1

    # Markers still pass, so that a flush does not wait in vain.
    text = capture.text_of(lambda: write(data, f"{work}/quick"))
    assert capture.processes_of(text) == []
    assert counters(text + "\n" + (capture.listener.poll(500) or ""))["dropped: capturing has stopped"] >= 2
