"""Settings: where the hook's metrics are written."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import BOOLEAN, PATH, seconds


@dataclass(frozen=True, kw_only=True, repr=False)
class MetricsSettings(Subject):
    """Destinations and interval of the hook's metrics."""

    prometheus_path: str | None = setting(
        "atlas.hook.spark.metrics.prometheus.path",
        kind=PATH,
        default=None,
        doc="Writes the [metrics](metrics.md) to this file in Prometheus' text format, for the textfile collector of the node "
        "exporter. If the path is a directory, each job writes its own file `sac_kafka-<job>.prom`.",
    )
    json_path: str | None = setting(
        "atlas.hook.spark.metrics.json.path",
        kind=PATH,
        default=None,
        doc="Writes `hook.stats()` to this file as JSON. If the path is a directory, each job writes its own file "
        "`sac_kafka-<job>.json`.",
    )
    spark: bool = setting(
        "atlas.hook.spark.metrics.spark",
        kind=BOOLEAN,
        default=False,
        doc="true: registers the metrics as the source `sac_kafka` in the driver's Spark metrics system, so that all "
        "configured Spark sinks report them.",
    )
    interval_seconds: float = setting(
        "atlas.hook.spark.metrics.interval.seconds",
        kind=seconds(1, 3600),
        default=15.0,
        unit="seconds",
        doc="Interval at which metrics are written while the application runs. They are also written once at its end.",
    )
