"""Settings: where the hook's figures are written for monitoring."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import BOOLEAN, PATH, seconds


@dataclass(frozen=True, kw_only=True, repr=False)
class MetricsSettings(Subject):
    """Where the hook's figures are written for monitoring."""

    prometheus_path: str | None = setting(
        "atlas.hook.spark.metrics.prometheus.path",
        kind=PATH,
        default=None,
        doc="The figures are written to this file in the text format of Prometheus, for the textfile collector of its node "
        "exporter. In a directory each job has a file of its own, `sac_kafka-<job>.prom`. What they mean is in docs/metrics.md.",
    )
    json_path: str | None = setting(
        "atlas.hook.spark.metrics.json.path",
        kind=PATH,
        default=None,
        doc="`hook.stats()` is written to this file as JSON. In a directory each job has a file of its own, "
        "`sac_kafka-<job>.json`.",
    )
    spark: bool = setting(
        "atlas.hook.spark.metrics.spark",
        kind=BOOLEAN,
        default=False,
        doc="true: the figures stand beside Spark's own metrics, as the source `sac_kafka` of the driver, wherever "
        "Spark's sinks take them.",
    )
    interval_seconds: float = setting(
        "atlas.hook.spark.metrics.interval.seconds",
        kind=seconds(1, 3600),
        default=15.0,
        unit="seconds",
        doc="How often the figures are written while the application runs; once more at its end.",
    )
