"""Every metric once: name, kind, unit, meaning, and how it is read out of `Stats`.

The files of Prometheus, Spark's metrics and docs/metrics.md are made of this table. Names and labels stay as they are:
rules and dashboards of users stand on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from sac_kafka.figures import Stats
from sac_kafka.version import __version__

PREFIX = "sac_kafka_"
"""How the names begin in Prometheus' files; Spark's metrics have them below the source `sac_kafka`, without this."""


class MetricKind(Enum):
    """The types of Prometheus: a counter only grows while an application runs, a gauge goes up and down."""

    COUNTER = "counter"
    GAUGE = "gauge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What metrics are read out of: a hook's figures, when they were taken (epoch seconds), and whether they are its last."""

    stats: Stats
    taken_at: float
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: `name` is without the prefix; with a `label`, `read` gives a number for each of its values."""

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
        "1 while the hook listens, 0 in what it writes at its end; a driver that is killed leaves 1",
        lambda at: int(not at.is_last),
    ),
    _gauge("written_timestamp_seconds", "seconds", "when these figures were taken, since 1970", lambda at: at.taken_at),
    _gauge("version_info", "", "1; the label is the hook's version", lambda _: {__version__: 1}, "version"),
    _counter("executions_total", "executions", "statements seen", lambda s: s["executions"]),
    _counter("executions_failed_total", "executions", "statements seen that failed", lambda s: s["failed"]),
    _counter("processes_total", "processes", "flows sent", lambda s: s["processes"]),
    _gauge("writes", "writes", "actions that wrote to a dataset", lambda at: at.stats["completeness"]["writes"]),
    _gauge(
        "writes_with_table_lineage",
        "writes",
        "those of them of which all inputs are told",
        lambda at: at.stats["completeness"]["with_table_lineage"],
    ),
    _gauge(
        "writes_with_column_lineage",
        "writes",
        "those of which all columns are told, too",
        lambda at: at.stats["completeness"]["with_column_lineage"],
    ),
    _gauge(
        "writes_not_complete",
        "writes",
        "the others, by reason",
        lambda at: at.stats["completeness"]["reasons"],
        "reason",
    ),
    _counter("messages_total", "messages", "messages sent, by type", lambda s: s["message_types"], "type"),
    _counter(
        "messages_delivered_total",
        "messages",
        "messages that the sink has taken",
        lambda s: s["messages"]["delivered"],
    ),
    _counter("messages_dropped_total", "messages", "messages that are lost", lambda s: s["messages"]["dropped"]),
    _counter(
        "messages_rejected_total",
        "messages",
        "messages refused for good, and set aside",
        lambda s: s["messages"]["rejected"],
    ),
    _counter(
        "messages_replayed_total",
        "messages",
        "messages of earlier applications that were delivered now",
        lambda s: s["messages"]["replayed"],
    ),
    _gauge(
        "messages_spooled",
        "messages",
        "messages of this application that wait in files",
        lambda at: at.stats["messages"]["spooled"],
    ),
    _gauge(
        "messages_under_way",
        "messages",
        "messages sent, without an answer so far",
        lambda at: at.stats["messages"]["under_way"],
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
        "1 while messages do not get through, else 0",
        lambda at: int(at.stats["problem"] is not None),
    ),
    _gauge("spool_files", "files", "files of the spool, of all applications", lambda at: at.stats["spool"]["files"]),
    _gauge("spool_messages", "messages", "messages that wait in them", lambda at: at.stats["spool"]["records"]),
    _gauge("spool_bytes", "bytes", "the size of the spool's files", lambda at: at.stats["spool"]["bytes"]),
    _counter(
        "captured_total",
        "events",
        "what was seen, skipped or not understood",
        lambda s: s["captured"],
        "what",
    ),
    _counter(
        "left_out_datasets_total",
        "datasets",
        "inputs and outputs that rules have left out",
        lambda s: s["left_out"]["datasets"],
        "rule",
    ),
    _counter(
        "left_out_processes_total",
        "processes",
        "flows that rules have left out",
        lambda s: s["left_out"]["processes"],
        "rule",
    ),
    _counter(
        "left_out_changes_total",
        "changes",
        "changes of a catalog that rules have left out",
        lambda s: s["left_out"]["changes"],
        "rule",
    ),
    _counter(
        "events_lost_total",
        "events",
        "events that were lost or cut in the driver's JVM",
        lambda s: s["listener"],
        "reason",
    ),
    _counter("errors_total", "errors", "errors of the hook that were swallowed", lambda s: s["errors"], "kind"),
    _counter(
        "projecting_seconds_total",
        "seconds",
        "time that the driver's JVM has spent on writing plans down",
        lambda s: s["projecting_seconds"],
    ),
)
"""All of them, in the order in which they are written."""


def total(metric: Metric, at: Snapshot) -> float:
    """Give a metric as one number: of one with a label, the sum over its values."""
    found = metric.read(at)
    return sum(found.values()) if isinstance(found, Mapping) else found
