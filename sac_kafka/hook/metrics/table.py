"""Define every metric: name, type, unit, description, and how its value is read from `Stats`.

The Prometheus file, Spark's metrics and docs/metrics.md are generated from this table. Names and labels are a stable
interface: users' alert rules and dashboards depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, cast

from sac_kafka.settings.sinks import FIRST
from sac_kafka.stats import DestinationStats, Stats
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


MetricReader = Callable[[Snapshot], float | Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric; `name` has no prefix. With a `label`, `read` returns one number per label value."""

    name: str
    kind: MetricKind
    unit: str
    meaning: str
    read: MetricReader
    label: str = ""


def _metric(kind: MetricKind, name: str, unit: str, meaning: str, value: str | MetricReader, label: str = "") -> Metric:
    """Return a metric; `value` reads it, or is the place of its value in `Stats`: keys joined by dots."""

    def read(at: Snapshot) -> float | Mapping[str, int]:
        found: Any = at.stats
        for key in str(value).split("."):
            found = found[key]
        return cast("float | Mapping[str, int]", found)

    return Metric(
        name=name, kind=kind, unit=unit, meaning=meaning, read=value if callable(value) else read, label=label
    )


_counter = partial(_metric, MetricKind.COUNTER)
_gauge = partial(_metric, MetricKind.GAUGE)


def _each_destination(at: Snapshot, read: Callable[[DestinationStats], int]) -> Mapping[str, int]:
    """Return a number of each destination; nothing if there is only one."""
    destinations = at.stats["destinations"]
    return {each["name"] or FIRST: read(each) for each in destinations} if len(destinations) > 1 else {}


def _by_destination(state: str) -> MetricReader:
    """Return the reader of messages in a state by destination."""
    return lambda at: _each_destination(at, lambda destination: cast("dict[str, int]", destination["messages"])[state])


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
    _counter("executions_total", "executions", "SQL executions observed", "executions"),
    _counter("executions_failed_total", "executions", "SQL executions observed that failed", "failed"),
    _counter("processes_total", "processes", "processes sent", "processes"),
    _gauge("writes", "writes", "successful actions that wrote to a dataset", "completeness.writes"),
    _gauge(
        "writes_with_table_lineage", "writes", "writes with complete table lineage", "completeness.with_table_lineage"
    ),
    _gauge(
        "writes_with_column_lineage",
        "writes",
        "writes with complete table and column lineage",
        "completeness.with_column_lineage",
    ),
    _gauge(
        "writes_not_complete", "writes", "writes with incomplete lineage, by reason", "completeness.reasons", "reason"
    ),
    _counter("messages_total", "messages", "messages sent, by type", "message_types", "type"),
    _counter("messages_delivered_total", "messages", "messages acknowledged by the sink", "messages.delivered"),
    _counter("messages_dropped_total", "messages", "messages lost", "messages.dropped"),
    _counter(
        "messages_rejected_total",
        "messages",
        "messages permanently rejected by the sink and moved to `rejected` in the spool directory",
        "messages.rejected",
    ),
    _counter(
        "messages_replayed_total",
        "messages",
        "spooled messages of earlier applications delivered by this one",
        "messages.replayed",
    ),
    _gauge("messages_spooled", "messages", "messages of this application stored in the spool", "messages.spooled"),
    _gauge("messages_in_flight", "messages", "messages sent and not yet acknowledged", "messages.in_flight"),
    *(
        metric(f"destination_{name}", "messages", f"{meaning}, if there are several destinations", read, "destination")
        for metric, name, meaning, read in (
            (_counter, "delivered_total", "messages acknowledged", _by_destination("delivered")),
            (_counter, "dropped_total", "messages lost", _by_destination("dropped")),
            (_counter, "rejected_total", "messages permanently rejected", _by_destination("rejected")),
            (_counter, "replayed_total", "messages of earlier applications delivered", _by_destination("replayed")),
            (_gauge, "spooled", "messages stored in its spool", _by_destination("spooled")),
            (_gauge, "in_flight", "messages sent and not yet acknowledged", _by_destination("in_flight")),
        )
    ),
    _gauge(
        "destination_problem",
        "",
        "1 while messages cannot be delivered, else 0, if there are several destinations",
        lambda at: _each_destination(at, lambda destination: int(destination["problem"] is not None)),
        "destination",
    ),
    _gauge("undelivered", "messages", "messages spooled, dropped or rejected, by reason", "undelivered", "reason"),
    _gauge(
        "problem", "", "1 while messages cannot be delivered, else 0", lambda at: int(at.stats["problem"] is not None)
    ),
    _gauge("spool_files", "files", "files in the spool directory, of all applications", "spool.files"),
    _gauge("spool_messages", "messages", "messages in these files", "spool.records"),
    _gauge("spool_bytes", "bytes", "total size of these files", "spool.bytes"),
    _counter(
        "captured_total",
        "events",
        "captured events, and what was skipped or not supported, by category",
        "captured",
        "category",
    ),
    _counter(
        "excluded_datasets_total", "datasets", "inputs and outputs excluded, by rule", "excluded.datasets", "rule"
    ),
    _counter("excluded_processes_total", "processes", "processes excluded, by rule", "excluded.processes", "rule"),
    _counter("excluded_changes_total", "changes", "catalog changes excluded, by rule", "excluded.changes", "rule"),
    _counter(
        "events_lost_total", "events", "events lost or truncated in the driver's JVM, by reason", "listener", "reason"
    ),
    _counter("errors_total", "errors", "internal errors of the hook, by kind", "errors", "kind"),
    _counter(
        "capture_seconds_total", "seconds", "time spent on capturing query plans in the driver's JVM", "capture_seconds"
    ),
)
"""All metrics, in the order in which they are written."""


def total(metric: Metric, at: Snapshot) -> float:
    """Return a metric as one number, summed over its label values."""
    found = metric.read(at)
    return sum(found.values()) if isinstance(found, Mapping) else found
