"""Bounds of the listener: excess is cut or dropped, and counted: budget, hand-off, text queue, Spark's queue."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.plan import wire
from sac_kafka.plan.nodes import walk
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.spark.listener import ListenerSettings
from tests.helpers.live_runs import APPLICATION, SETTINGS, Capture
from tests.helpers.staged import Actions
from tests.live.spark.projector import wait_until_handed_over, wait_until_held, wait_until_projected
from tests.live.spark.sleeper import hold, release, sleepy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

Start = Callable[..., Capture]


@pytest.fixture(scope="module")
def data(spark: SparkSession, work: Path) -> DataFrame:
    for name in ("a", "b", "c"):
        spark.range(3).selectExpr("id", "id as x", "id as y").write.parquet(f"{work}/in/{name}")
        spark.read.parquet(f"{work}/in/{name}").createOrReplaceTempView(name)
    return spark.read.parquet(f"{work}/in/a")


@pytest.fixture
def start(spark: SparkSession, data: DataFrame) -> Iterator[Start]:
    captures: list[Capture] = []

    def start(handoff_events: int = 256, **bounds: float) -> Capture:
        bounds = {"stuck_seconds": SETTINGS.bounds.stuck_seconds, **bounds}
        settings = dataclasses.replace(SETTINGS, handoff_events=handoff_events, bounds=DriverBounds(**bounds))
        captures.append(Capture(spark, settings))
        return captures[-1]

    yield start
    release(spark)
    for capture in captures:
        capture.listener.detach()


def projected(text: str) -> list[wire.Projected]:
    return [line for line in wire.read(text) if isinstance(line, wire.Projected)]


def counters(text: str) -> dict[str, int]:
    return {k: n for line in wire.read(text) if isinstance(line, wire.Counters) for k, n in line.counts.items()}


def run(actions: Actions, text: str) -> list[tuple[list[str], int]]:
    """Of each process its inputs, and how many columns its lineage has."""
    return [
        ([d.key.rpartition("/")[2] for d in process.inputs], len(process.columns))
        for line in projected(text)
        for process in actions.add(line.event)
    ]


QUERY = (
    "select a.id, (select max(x) from b) m, a.x + 1 p from a where a.id in (select y from c) "
    "and exists (select 1 from b b2 where b2.id = a.id)"
)


@pytest.mark.parametrize("budget", [0, 1, 5, 12, 25])
def test_past_its_budget_an_event_keeps_commands_leaves_and_subqueries(
    spark: SparkSession, start: Start, work: Path, budget: int
) -> None:
    capture = start(event_values=budget)
    text = capture.text_of(lambda: spark.sql(QUERY).write.mode("overwrite").parquet(f"{work}/out"))
    actions = Actions(APPLICATION)
    assert run(actions, text) == [(["a", "b", "c"], 0)]
    assert actions.counts["column lineage omitted: the plan is over the budget of an event"] == 1
    assert sum(line.notes.get("columns cut", 0) for line in projected(text)) > 0


@pytest.mark.subset
def test_within_its_budget_an_event_keeps_all(spark: SparkSession, start: Start, work: Path) -> None:
    capture = start(event_values=200)
    text = capture.text_of(lambda: spark.sql(QUERY).write.mode("overwrite").parquet(f"{work}/out"))
    assert run(Actions(APPLICATION), text) == [(["a", "b", "c"], 3)]
    plans = [line.event.query_execution.analyzed for line in projected(text) if hasattr(line.event, "query_execution")]
    assert not [node for plan in plans for node in walk(plan) if node.columns_cut]


def test_more_events_than_the_hand_off_takes_are_counted(
    spark: SparkSession, data: DataFrame, start: Start, work: Path
) -> None:
    capture = start(handoff_events=3)
    hold(spark)
    sleepy(spark, data).write.parquet(f"{work}/held")
    wait_until_held(spark, capture.listener)
    for i in range(4):
        data.write.parquet(f"{work}/behind{i}")
    wait_until_handed_over(spark)
    release(spark)
    text = capture.drain()
    # Of ten events the start of the held one is through, its end is held, two wait, and six are dropped.
    assert counters(text) == {"dropped: hand-off full": 6}
    assert len(projected(text)) == 4
    text = capture.text_of(lambda: data.write.parquet(f"{work}/after"))
    assert len(projected(text)) == 2


def four_writes(data: DataFrame, work: Path) -> None:
    for _ in range(4):
        data.write.mode("overwrite").parquet(f"{work}/queue")


def without_a_poll(spark: SparkSession, capture: Capture, action: Callable[[], object]) -> str:
    """Return the text of an action, read only after all of it was in the queue."""
    action()
    wait_until_projected(spark, capture.listener)
    return capture.drain()


def test_more_text_than_the_queue_takes_is_counted_in_events(
    spark: SparkSession, data: DataFrame, start: Start, work: Path
) -> None:
    capture = start(queue_events=4)
    text = without_a_poll(spark, capture, lambda: four_writes(data, work))
    assert (len(projected(text)), counters(text)) == (4, {"dropped: text queue full": 4})
    text = capture.text_of(lambda: data.write.mode("overwrite").parquet(f"{work}/queue"))
    assert len(projected(text)) == 2


def test_more_text_than_the_queue_takes_is_counted_in_characters(
    spark: SparkSession, data: DataFrame, start: Start, work: Path
) -> None:
    one = start().text_of(lambda: data.write.mode("overwrite").parquet(f"{work}/queue"))
    capture = start(queue_bytes=len(one) * 5 // 2)
    text = without_a_poll(spark, capture, lambda: four_writes(data, work))
    dropped = counters(text)["dropped: text queue full"]
    assert len(projected(text)) + dropped == 8
    assert 1 <= dropped <= 4
    text = capture.text_of(lambda: data.write.mode("overwrite").parquet(f"{work}/queue"))
    assert len(projected(text)) == 2


def test_an_event_that_would_fill_the_queue_is_projected_without_columns(
    spark: SparkSession, data: DataFrame, start: Start, work: Path
) -> None:
    wide = data.selectExpr(*(f"id + {i} as a_rather_long_name_of_a_column_{i}" for i in range(100)))
    full = start().text_of(lambda: wide.write.mode("overwrite").parquet(f"{work}/wide"))
    capture = start(queue_bytes=len(full))
    text = capture.text_of(lambda: wide.write.mode("overwrite").parquet(f"{work}/wide"))
    assert counters(text) == {"event without columns: too large": 1}
    assert run(Actions(APPLICATION), text) == [(["a"], 0)]


def test_a_marker_comes_out_after_all_earlier_events(
    spark: SparkSession, data: DataFrame, start: Start, work: Path
) -> None:
    capture = start()
    for marker in (101, 102):
        data.write.mode("overwrite").parquet(f"{work}/marked")
        capture.listener.mark(marker)
    kinds = [type(line).__name__ for line in wire.read(capture.drain())]
    assert kinds == ["Projected", "Projected", "Marker"] * 2


def test_settings_have_one_line_each() -> None:
    settings = ListenerSettings(literals=False, redact_keys=("(?i)mine",), redact_values=("a\\d", "b"))
    lines = ListenerSettings.text(settings, "").split("\n")
    assert lines[-3:] == ["redact.key\t(?i)mine", "redact.value\ta\\d", "redact.value\tb"]
    assert "stuck.ms\t30000" in lines
