"""Prints docs/metrics.md, from the table of metrics: `python -m tools.metrics`."""

from __future__ import annotations

import sys

from sac_kafka.metrics.table import METRICS, PREFIX, Metric

_HEAD = """\
<!-- Generated from sac_kafka/metrics/table.py: python -m tools.metrics > docs/metrics.md -->
# Metrics

What `hook.stats()` says, for monitoring: as a file for Prometheus, as JSON, and beside Spark's own metrics. Each is switched
on by itself:

```properties
atlas.hook.spark.metrics.prometheus.path=/var/lib/node_exporter/textfile
atlas.hook.spark.metrics.json.path=/var/log/lineage
atlas.hook.spark.metrics.spark=true
atlas.hook.spark.metrics.interval.seconds=15
```

All is done by the hook's own thread, once in an interval and once at the end. A file is replaced whole, so that nobody reads
half of one, and readable by its owner only: the collector runs as the user of the jobs, or as root. Where it cannot be
written, because its directory is not there, say, the log has one line, and the job goes on. The directory is to be on a local
disk: while it hangs, so does the hook's thread.

**Prometheus.** The path is a file with an ending, or a directory, in which each job has one of its own:
`sac_kafka-<job>.prom`, which its next run replaces. The [textfile
collector](https://github.com/prometheus/node_exporter#textfile-collector) of the node exporter takes it from there. Every
metric has the labels `job_name` (the [job](glossary.md), the same on every run; `job` is Prometheus' own) and `application`
(Spark's id). A label of reasons has at most 20 values of 120 characters, the first that were seen; the others count as
`other`. A metric with a label is there once something was counted. In cluster mode the file is on the node of the driver. Runs
of one job at the same time have one file: give each a path of its own, if you want them apart.

**JSON.** `hook.stats()` whole ([API](api.md)), with `application`, `taken` (UTC) and `ended`. A directory has a file a job,
`sac_kafka-<job>.json`.

**Beside Spark's metrics.** The driver has a source `sac_kafka`, which every sink of Spark's `metrics.properties` takes (JSON
servlet, CSV, JMX, Graphite, the Prometheus servlet): `<spark.metrics.namespace or application id>.driver.sac_kafka.<name>`,
with the names below but for `sac_kafka_`; what has a label is there as the sum. What the sinks read was set in the last
interval: nothing calls Python, no port is opened. The source goes when the hook is
detached, or the application ends: what Spark's sinks see last may lack an interval.

## What there is

Names, labels and meanings stay as they are from release to release. A counter begins at 0 with each application, and
where the hook is attached to it again.

| Metric | Type | Unit | Label | Meaning |
|---|---|---|---|---|
"""

_TAIL = """
`messages_delivered_total`, `messages_spooled`, `messages_dropped_total`, `messages_rejected_total` and `messages_under_way`
are what became of all messages of the application, and add up to them. What the reasons mean: [troubles](troubles.md).

## Alerts

Four rules to begin with. A short job has ended before anybody looks, so they ask for values of its last run, not for their
growth. A driver that is killed, or whose hook hangs, writes no end: `sac_kafka_active` stays at 1, and the time of its
figures stands still, which `LineageCutOff` asks for. Its 300 seconds are to be a few of your intervals.

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
          summary: "lineage of {{ $labels.job_name }} waits in files: sac-kafka spool list, sac-kafka doctor"
      - alert: LineageCutOff
        expr: sac_kafka_active == 1 and time() - sac_kafka_written_timestamp_seconds > 300
        annotations:
          summary: "the driver of {{ $labels.job_name }} was killed, or hangs: its last lineage may be missing"
      - alert: LineageOld
        expr: time() - sac_kafka_written_timestamp_seconds{job_name="daily_orders"} > 26 * 3600
        annotations:
          summary: "{{ $labels.job_name }} has not run with the hook for a day"
```
"""


def page() -> str:
    """Give the page as Markdown."""
    return _HEAD + "".join(map(_row, METRICS)) + _TAIL


def _row(metric: Metric) -> str:
    label = f"`{metric.label}`" if metric.label else ""
    cells = (f"`{PREFIX}{metric.name}`", metric.kind.value, metric.unit, label, metric.meaning)
    return "| " + " | ".join(cells) + " |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
