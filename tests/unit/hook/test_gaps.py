"""Log of unknown sources: once per class, the fix first, and at most the first classes."""

from __future__ import annotations

import logging

import pytest

from sac_kafka.hook.pipeline_stats import MAX_LINES, GapLog
from tests.helpers.pipelines import Pipeline
from tests.helpers.workers import batch
from tests.unit.atlas.flows import CONTEXT


def test_each_class_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    gaps = GapLog()
    for n in (1, 2):
        gaps.log_new({"relation not understood: a.B": n, "executions": n})
    (logged,) = [r.getMessage() for r in caplog.records]
    assert logged.startswith("set an option with its name")
    assert logged.endswith(": relation not understood: a.B")


def test_only_the_first_classes_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    GapLog().log_new({f"sink not understood: a.B{n}": 1 for n in range(2 * MAX_LINES)})
    assert len(caplog.records) == MAX_LINES


def test_a_failed_write_of_a_flow_that_was_not_sent_before_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sac_kafka")
    pipeline = Pipeline(CONTEXT)
    for line in batch("second_insert_fails").splitlines():
        list(pipeline.run(line))
    (logged,) = [r.getMessage() for r in caplog.records]
    assert logged.startswith("failed, so its lineage is not sent: write to ")
    assert "sink2 (org.apache.spark.Spark" in logged
    assert pipeline.emitter.stats.unsent_failures == 1
