"""Print docs/metrics.md, generated from the table of metrics: `python -m dev.metrics`."""

from __future__ import annotations

import sys

from sac_kafka.hook.metrics.table import METRICS, PREFIX, Metric

_HEAD = """\
<!-- Generated from sac_kafka/hook/metrics/table.py: python -m dev.metrics > docs/metrics.md -->
# Metrics

The hook can export the statistics of `hook.stats()` as a Prometheus file, as JSON, and through Spark's metrics system:

```properties
atlas.hook.spark.metrics.prometheus.path=/var/lib/node_exporter/textfile
atlas.hook.spark.metrics.json.path=/var/log/lineage
atlas.hook.spark.metrics.spark=true
atlas.hook.spark.metrics.interval.seconds=15
```

The hook's own thread writes metrics at each interval and once at the end.
Files are replaced atomically, and only their owner can read them. For a collector of another user, such as node_exporter,
set `atlas.hook.spark.metrics.file.mode=644`, or `640` and a group of both users in `atlas.hook.spark.metrics.file.group`.
If a file cannot be written, one warning is logged and the job continues.
Use a local disk: if the file system hangs, the hook's thread hangs too.

**Prometheus.** The path is a file, or a directory in which each job writes `sac_kafka-<job>.prom`, which its next run replaces,
for the [textfile collector](https://github.com/prometheus/node_exporter#textfile-collector) of the node exporter.
Every metric has the labels `job_name` (the [job](glossary.md), the same in every run) and `application` (Spark's application id).
A label has at most 20 values of 120 characters, the first that occurred; all others are counted as `other`.
A metric with a label appears once something was counted.
In cluster mode the file is on the driver's node.
Concurrent runs of one job need different paths.

**JSON.** The complete `hook.stats()` ([API](api.md)) with `application`, `taken` (UTC) and `ended`.
In a directory each job writes `sac_kafka-<job>.json`.

**Spark's metrics.** The driver registers a source `sac_kafka`, which every sink of Spark's `metrics.properties` reports
as `<spark.metrics.namespace or application id>.driver.sac_kafka.<name>`.
Names are those below without `sac_kafka_`; a metric with a label is reported as the sum.
Sinks read the values of the last interval. The source is removed at the end, so sinks may miss the last interval.

## List of metrics

Names, labels and meanings are stable across releases.
Counters start at 0 when the hook is attached.

| Metric | Type | Label | Meaning |
|---|---|---|---|
"""

_TAIL = """
`messages_delivered_total`, `messages_spooled`, `messages_dropped_total`, `messages_rejected_total` and `messages_in_flight`
add up to all messages of the application. [Troubles](troubles.md) explains the reasons.

## Alerts

Lost lineage never fails a job, so set at least one alert.
A short job may end between two scrapes, so the rules use the values of the last run and not their rate.
If a driver is killed or its hook hangs, `sac_kafka_active` stays 1 and
`sac_kafka_written_timestamp_seconds` stops increasing, which `LineageCutOff` detects.

```yaml
groups:
  - name: lineage
    rules:
      - alert: LineageLost
        expr: sac_kafka_messages_dropped_total + sac_kafka_messages_rejected_total > 0 or sac_kafka_events_lost_total > 0
        annotations:
          summary: "{{ $labels.job_name }} has lost lineage: hook.stats() and its log have the reasons"
      - alert: LineageWaits
        expr: sac_kafka_problem == 1 or sac_kafka_messages_spooled > 0
        for: 30m
        annotations:
          summary: "lineage of {{ $labels.job_name }} is spooled: sac-kafka spool list, sac-kafka doctor"
      - alert: LineageCutOff
        expr: sac_kafka_active == 1 and time() - sac_kafka_written_timestamp_seconds > 300
        annotations:
          summary: "the driver of {{ $labels.job_name }} was killed or hangs: its last lineage may be missing"
      - alert: LineageOld
        expr: time() - sac_kafka_written_timestamp_seconds{job_name="daily_orders"} > 26 * 3600
        annotations:
          summary: "{{ $labels.job_name }} has not run with the hook for a day"
```
"""


def page() -> str:
    """Render the page as Markdown."""
    return _HEAD + "".join(map(_row, METRICS)) + _TAIL


def _row(metric: Metric) -> str:
    label = f"`{metric.label}`" if metric.label else ""
    cells = (f"`{PREFIX}{metric.name}`", metric.kind.value, label, metric.meaning)
    return "| " + " | ".join(cells) + " |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
