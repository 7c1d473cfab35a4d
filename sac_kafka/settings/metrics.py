"""Settings: where the hook's metrics are written."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import PATH, seconds


@dataclass(frozen=True, kw_only=True, repr=False)
class MetricsSettings(Subject):
    """Destinations and interval of the hook's metrics."""

    prometheus_path: str | None = setting(
        "atlas.hook.spark.metrics.prometheus.path",
        kind=PATH,
        doc="Writes the [metrics](metrics.md) to this file, or to `sac_kafka-<job>.prom` in this directory, in "
        "Prometheus' text format.",
    )
    json_path: str | None = setting(
        "atlas.hook.spark.metrics.json.path",
        kind=PATH,
        doc="Writes `hook.stats()` to this file, or to `sac_kafka-<job>.json` in this directory.",
    )
    spark: bool = setting(
        "atlas.hook.spark.metrics.spark",
        default=False,
        doc="true: Spark's metrics sinks report the metrics of the source `sac_kafka`.",
    )
    interval_seconds: float = setting(
        "atlas.hook.spark.metrics.interval.seconds",
        kind=seconds(1, 3600),
        default=15.0,
        doc="Interval at which metrics are written; they are also written at the end.",
    )
