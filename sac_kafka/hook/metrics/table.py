"""Define every metric: name, type, unit, description, and how its value is read from `Stats`.

The Prometheus file, Spark's metrics and docs/metrics.md are generated from this table. Names and labels are a stable
interface: users' alert rules and dashboards depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from sac_kafka.stats import Stats
from sac_kafka.version import __version__

PREFIX = "sac_kafka_"
"""Prefix of names in Prometheus files. Spark's metrics have no prefix: they belong to the source `sac_kafka`."""


class MetricKind(Enum):
    """Prometheus' metric types: a counter only increases while an application runs, a gauge goes up and down."""

    COUNTER = "counter"
    GAUGE = "gauge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Statistics of a hook at one time (epoch seconds); `is_last` is True for those taken at its end."""

    stats: Stats
    taken_at: float
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric; `name` has no prefix. With a `label`, `read` returns one number per label value."""

    name: str
    kind: MetricKind
    unit: str
    meaning: str
    read: Callable[[Snapshot], float | Mapping[str, int]]
    label: str = ""


def _counter(
    name: str, unit: str, meaning: str, read: Callable[[Stats], float | Mapping[str, int]], label: str = ""
) -> Metric:
    return Metric(
        name=name, kind=MetricKind.COUNTER, unit=unit, meaning=meaning, read=lambda at: read(at.stats), label=label
    )


def _gauge(
    name: str, unit: str, meaning: str, read: Callable[[Snapshot], float | Mapping[str, int]], label: str = ""
) -> Metric:
    return Metric(name=name, kind=MetricKind.GAUGE, unit=unit, meaning=meaning, read=read, label=label)


METRICS: tuple[Metric, ...] = (
    _gauge(
        "active",
        "",
        "1 while the hook is attached, 0 in its final report; stays 1 if the driver is killed",
        lambda at: int(not at.is_last),
    ),
    _gauge(
        "written_timestamp_seconds",
        "seconds",
        "time of this report, in seconds since the epoch",
        lambda at: at.taken_at,
    ),
    _gauge("version_info", "", "always 1; the label is the hook's version", lambda _: {__version__: 1}, "version"),
    _counter("executions_total", "executions", "SQL executions observed", lambda s: s["executions"]),
    _counter("executions_failed_total", "executions", "SQL executions observed that failed", lambda s: s["failed"]),
    _counter("processes_total", "processes", "processes sent", lambda s: s["processes"]),
    _gauge(
        "writes",
        "writes",
        "successful actions that wrote to a dataset",
        lambda at: at.stats["completeness"]["writes"],
    ),
    _gauge(
        "writes_with_table_lineage",
        "writes",
        "writes with complete table lineage",
        lambda at: at.stats["completeness"]["with_table_lineage"],
    ),
    _gauge(
        "writes_with_column_lineage",
        "writes",
        "writes with complete table and column lineage",
        lambda at: at.stats["completeness"]["with_column_lineage"],
    ),
    _gauge(
        "writes_not_complete",
        "writes",
        "writes with incomplete lineage, by reason",
        lambda at: at.stats["completeness"]["reasons"],
        "reason",
    ),
    _counter("messages_total", "messages", "messages sent, by type", lambda s: s["message_types"], "type"),
    _counter(
        "messages_delivered_total",
        "messages",
        "messages acknowledged by the sink",
        lambda s: s["messages"]["delivered"],
    ),
    _counter("messages_dropped_total", "messages", "messages lost", lambda s: s["messages"]["dropped"]),
    _counter(
        "messages_rejected_total",
        "messages",
        "messages permanently rejected by the sink and moved to `rejected` in the spool directory",
        lambda s: s["messages"]["rejected"],
    ),
    _counter(
        "messages_replayed_total",
        "messages",
        "spooled messages of earlier applications delivered by this one",
        lambda s: s["messages"]["replayed"],
    ),
    _gauge(
        "messages_spooled",
        "messages",
        "messages of this application stored in the spool",
        lambda at: at.stats["messages"]["spooled"],
    ),
    _gauge(
        "messages_in_flight",
        "messages",
        "messages sent and not yet acknowledged",
        lambda at: at.stats["messages"]["in_flight"],
    ),
    _gauge(
        "undelivered",
        "messages",
        "messages spooled, dropped or rejected, by reason",
        lambda at: at.stats["undelivered"],
        "reason",
    ),
    _gauge(
        "problem",
        "",
        "1 while messages cannot be delivered, else 0",
        lambda at: int(at.stats["problem"] is not None),
    ),
    _gauge(
        "spool_files",
        "files",
        "files in the spool directory, of all applications",
        lambda at: at.stats["spool"]["files"],
    ),
    _gauge("spool_messages", "messages", "messages in these files", lambda at: at.stats["spool"]["records"]),
    _gauge("spool_bytes", "bytes", "total size of these files", lambda at: at.stats["spool"]["bytes"]),
    _counter(
        "captured_total",
        "events",
        "captured events, and what was skipped or not supported, by category",
        lambda s: s["captured"],
        "category",
    ),
    _counter(
        "excluded_datasets_total",
        "datasets",
        "inputs and outputs excluded, by rule",
        lambda s: s["excluded"]["datasets"],
        "rule",
    ),
    _counter(
        "excluded_processes_total",
        "processes",
        "processes excluded, by rule",
        lambda s: s["excluded"]["processes"],
        "rule",
    ),
    _counter(
        "excluded_changes_total",
        "changes",
        "catalog changes excluded, by rule",
        lambda s: s["excluded"]["changes"],
        "rule",
    ),
    _counter(
        "events_lost_total",
        "events",
        "events lost or truncated in the driver's JVM, by reason",
        lambda s: s["listener"],
        "reason",
    ),
    _counter("errors_total", "errors", "internal errors of the hook, by kind", lambda s: s["errors"], "kind"),
    _counter(
        "capture_seconds_total",
        "seconds",
        "time spent on capturing query plans in the driver's JVM",
        lambda s: s["capture_seconds"],
    ),
)
"""All metrics, in the order in which they are written."""


def total(metric: Metric, at: Snapshot) -> float:
    """Return a metric as one number, summed over its label values."""
    found = metric.read(at)
    return sum(found.values()) if isinstance(found, Mapping) else found
