"""Metrics as text: Prometheus format as read by its own client, bounded labels, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dev.metrics import page
from sac_kafka.hook.metrics.reporting import PrometheusText, json_text
from sac_kafka.hook.metrics.table import METRICS, PREFIX, MetricKind, Snapshot, total
from sac_kafka.stats import Stats, stats_of_none
from tests.helpers.work import Text, assert_linear

NONE = stats_of_none(None, {})


def snapshot(**stats: object) -> Snapshot:
    values: Stats = {**NONE, "job": "daily", **stats}  # type: ignore[typeddict-item]
    return Snapshot(stats=values, taken_at=1_700_000_000.5)


def test_prometheus_client_reads_the_text() -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    reason = 'says "no"\\ and\nmore: \ud800'
    text = PrometheusText()(snapshot(job='a "b"\\\nc', undelivered={reason: 3}), "app-1")

    families = {f.name: f for f in parser.text_string_to_metric_families(text.encode("utf-8", "replace").decode())}

    (sample,) = families["sac_kafka_undelivered"].samples
    assert sample.labels == {
        "job_name": 'a "b"\\\\nc',
        "application": "app-1",
        "reason": 'says "no"\\ and\\nmore: \\ud800',
    }
    assert sample.value == 3
    assert families["sac_kafka_written_timestamp_seconds"].samples[0].value == 1_700_000_000.5
    assert families["sac_kafka_executions"].type == "counter"


def test_outcomes_of_records_add_up() -> None:
    messages = {"delivered": 5, "spooled": 4, "dropped": 3, "rejected": 2, "replayed": 7, "in_flight": 1}
    at = snapshot(messages=messages)

    names = {metric.name: total(metric, at) for metric in METRICS if metric.name.startswith("messages_")}

    assert names == {
        "messages_total": 0,
        "messages_delivered_total": 5,
        "messages_spooled": 4,
        "messages_dropped_total": 3,
        "messages_rejected_total": 2,
        "messages_replayed_total": 7,
        "messages_in_flight": 1,
    }


def test_reasons_without_end_are_twenty_series_and_nothing_is_lost() -> None:
    errors = {f"{i} {'x' * 200}": 1 for i in range(500)}
    lines = [line for line in PrometheusText()(snapshot(errors=errors), "a").splitlines() if "_errors_total{" in line]

    assert len(lines) == 21
    assert 'kind="other"} 480' in lines[-1]
    assert all(len(line) < 250 for line in lines)
    assert len(set(lines)) == 21


def test_reason_keeps_its_series() -> None:
    text, early = PrometheusText(), {f"early {i}": 1 for i in range(15)}
    text(snapshot(captured=early), "a")
    late = {**{f"late {i}": 1 for i in range(10)}, **dict.fromkeys(early, 2)}
    lines = [line for line in text(snapshot(captured=late), "a").splitlines() if "_captured_total{" in line]
    assert sum('category="early' in line and line.endswith("} 2") for line in lines) == 15
    assert sum('category="late' in line for line in lines) == 5
    assert sum('category="other"} 5' in line for line in lines) == 1


def test_reasons_that_are_the_same_when_cut_are_one_series() -> None:
    errors = {"x" * 200 + str(i): 1 for i in range(3)}
    (line,) = [x for x in PrometheusText()(snapshot(errors=errors), "a").splitlines() if "_errors_total{" in x]
    assert line.endswith('…"} 3')


@pytest.mark.parametrize(
    "stats",
    [
        lambda size: {"undelivered": {Text('"\\\n' * size + str(i)): 1 for i in range(3)}},
        lambda size: {"undelivered": {Text(f"reason {i}"): 1 for i in range(size)}},
        lambda size: {"job": Text("}{" * size)},
    ],
    ids=["long", "many", "job"],
)
def test_hostile_reasons_take_linear_time(stats: Callable[[int], dict[str, object]]) -> None:
    assert_linear(lambda size: lambda: PrometheusText()(snapshot(**stats(size)), "a"), 100)


def test_problem_and_end_are_numbers() -> None:
    named = {metric.name: metric for metric in METRICS}
    ended = Snapshot(stats={**NONE, "problem": "no broker"}, taken_at=0.0, is_last=True)
    assert [total(named[name], snapshot()) for name in ("problem", "active")] == [0, 1]
    assert [total(named[name], ended) for name in ("problem", "active")] == [1, 0]


def test_json_has_the_statistics_and_the_application() -> None:
    document = json.loads(json_text(snapshot(executions=2), "app-1"))
    assert {key: document.pop(key) for key in ("application", "taken", "ended")} == {
        "application": "app-1",
        "taken": "2023-11-14T22:13:20+00:00",
        "ended": False,
    }
    assert document == {**NONE, "job": "daily", "executions": 2}


def test_names_follow_the_conventions_of_prometheus() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    for metric in METRICS:
        assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER), metric.name
        assert metric.unit in metric.name or metric.unit != "seconds", metric.name


def test_every_statistic_is_a_metric() -> None:
    """Change each statistic and expect another metric; statistics without a number are listed here."""
    shown = {"disabled": None, "job": None, "sink": None}
    changed = {
        "executions": 1,
        "failed": 1,
        "processes": 1,
        "completeness": {**NONE["completeness"], "writes": 1},
        "messages": {**NONE["messages"], "dropped": 1},
        "message_types": {"T": 1},
        "undelivered": {"r": 1},
        "spool": {**NONE["spool"], "files": 1},
        "captured": {"w": 1},
        "excluded": {**NONE["excluded"], "changes": {"r": 1}},
        "capture_seconds": 1.5,
        "listener": {"r": 1},
        "errors": {"k": 1},
        "problem": "p",
        "destinations": [{"name": name, "messages": NONE["messages"], "problem": None} for name in ("", "archive")],
    }
    assert {*changed, *shown} == {*NONE}
    for key, value in changed.items():
        assert PrometheusText()(snapshot(**{key: value}), "a") != PrometheusText()(snapshot(), "a"), key


def test_page_is_generated_from_the_table() -> None:
    text = (Path(__file__).parents[4] / "docs" / "metrics.md").read_text("utf-8")
    assert text == page(), "run: python -m dev.metrics > docs/metrics.md"


def test_alerts_use_existing_metrics() -> None:
    yaml = pytest.importorskip("yaml")
    text = page().partition("```yaml\n")[2].partition("```")[0]
    names = {PREFIX + metric.name for metric in METRICS}
    for rule in yaml.safe_load(text)["groups"][0]["rules"]:
        used_metrics = set(re.findall(rf"{PREFIX}\w+", rule["expr"]))
        assert used_metrics, rule
        assert used_metrics <= names, rule
