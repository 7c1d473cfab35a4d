"""Settings: where the hook's metrics are written, and its two lines in the driver's log."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.choices import ReportForm
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import FILE_MODE, PATH, TEXT, seconds


@dataclass(frozen=True, kw_only=True, repr=False)
class MetricsSettings(Subject):
    """Destinations and interval of the hook's metrics, and the form of its lines in the driver's log."""

    report: ReportForm = setting(
        "atlas.hook.spark.report",
        default=ReportForm.TEXT,
        doc="Form of the [two lines](user-guide.md#what-the-log-says) in the driver's log, when the hook is attached and at its "
        "end. json: one object a line; off: none, unless messages were not delivered.",
    )
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
    file_mode: int = setting(
        "atlas.hook.spark.metrics.file.mode",
        kind=FILE_MODE,
        default=0o600,
        documented="600",
        doc="Permissions of these files. 644: readable by everyone, such as node_exporter.",
    )
    file_group: str | None = setting(
        "atlas.hook.spark.metrics.file.group",
        kind=TEXT,
        doc="Their group, one of the job's user; with the mode 640. Default: that of a new file.",
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

    @property
    def is_enabled(self) -> bool:
        """Whether metrics are written anywhere."""
        return bool(self.prometheus_path or self.json_path or self.spark)
