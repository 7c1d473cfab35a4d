"""Write metrics at each interval: to files, which are replaced atomically, and to the gauges in Spark's metrics system.

All work is done by the hook's own threads. A file that cannot be written is logged once and tried again at each interval.
"""

from __future__ import annotations

import errno
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.atlas.limits import digest
from sac_kafka.hook.metrics.table import METRICS, Snapshot, total
from sac_kafka.hook.metrics.texts import PrometheusText, json_text
from sac_kafka.log import logger
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.spark.port import Gauges
from sac_kafka.stats import Stats
from sac_kafka.transport import private_files

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_NAME_LENGTH = 80
_FIXES = {
    errno.ENOSPC: "free disk space there",
    errno.EDQUOT: "raise this user's quota there",
    errno.EROFS: "make that file system writable",
    errno.ENAMETOOLONG: "choose a shorter path",
}


@dataclass(frozen=True, slots=True)
class MetricsFile:
    """A file, or a directory with one file per job.

    `key` is the setting that names it, `suffix` the suffix of file names, `text` renders the content for an application id.
    """

    key: str
    path: Path
    suffix: str
    text: Callable[[Snapshot, str], str]

    def file(self, job: str) -> Path:
        """Return the file of a job.

        Raises:
            OSError: The path does not exist and has no suffix. It is probably a missing directory; a file of that name
                would not be read by any collector.
        """
        if self.path.is_dir():
            return self.path / f"sac_kafka-{file_name(job)}{self.suffix}"
        if not self.path.suffix and not self.path.exists():
            raise FileNotFoundError(errno.ENOENT, f"no such directory (a file name would end in {self.suffix})")
        return self.path


class Reports:
    """Periodic metrics reports of one hook.

    Args:
        places: The files to write.
        application_id: Spark's application id.
        interval_seconds: Time between reports.
        gauges: The gauges in Spark's metrics system, None if they are disabled.
        clock: Monotonic clock in seconds.
        now: Wall clock in epoch seconds.
    """

    def __init__(
        self,
        places: Iterable[MetricsFile] = (),
        application_id: str = "",
        interval_seconds: float = 0.0,
        *,
        gauges: Gauges | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._places = tuple(places)
        self._application_id = application_id
        self._interval_seconds = interval_seconds
        self._gauges = gauges
        self._clock, self._now = clock, now
        self._next = clock()
        self._logged: set[str] = set()

    @property
    def _is_enabled(self) -> bool:
        return bool(self._places or self._gauges)

    def report_if_due(self, stats: Callable[[], Stats]) -> None:
        """Write a report if the interval has passed."""
        if self._is_enabled and self._clock() >= self._next:
            self._next = self._clock() + self._interval_seconds
            self._report(Snapshot(stats=stats(), taken_at=self._now()))

    def report_last(self, stats: Callable[[], Stats]) -> None:
        """Write the final report at the end of the hook."""
        if self._is_enabled:
            self._report(Snapshot(stats=stats(), taken_at=self._now(), is_last=True))

    def close(self) -> None:
        """Unregister the gauges; files are kept."""
        if self._gauges is not None:
            self._gauges.close()

    def _report(self, at: Snapshot) -> None:
        for place in self._places:
            self._write(place, at)
        if self._gauges is not None:
            self._gauges.update(total(metric, at) for metric in METRICS)

    def _write(self, place: MetricsFile, at: Snapshot) -> None:
        try:
            text = place.text(at, self._application_id)
            private_files.replace(place.file(at.stats["job"]), text.encode("utf-8", "replace"))
        except OSError as e:
            if place.key not in self._logged:
                self._logged.add(place.key)
                logger.warning(
                    "metrics are not written to %s: %s; %s, or correct %s",
                    place.path,
                    e.strerror or e,
                    _FIXES.get(e.errno or 0, "create its directory and give this user write permission"),
                    place.key,
                )


def reports(
    settings: MetricsSettings, application_id: str, gauges: Callable[[Iterable[str]], Gauges | None]
) -> Reports:
    """Build the reports that the settings enable; `gauges` registers gauges of the given names in Spark's metrics system."""
    named = (
        ("atlas.hook.spark.metrics.prometheus.path", settings.prometheus_path, ".prom", PrometheusText()),
        ("atlas.hook.spark.metrics.json.path", settings.json_path, ".json", json_text),
    )
    return Reports(
        (MetricsFile(key, Path(path), suffix, text) for key, path, suffix, text in named if path),
        application_id,
        settings.interval_seconds,
        gauges=gauges(metric.name for metric in METRICS) if settings.spark else None,
    )


def file_name(job: str) -> str:
    """Return a job's name in a form that is safe in file names and unique per job.

    >>> file_name("daily_orders"), file_name("a/b") == file_name("a b")
    ('daily_orders', False)
    """
    safe = _UNSAFE.sub("_", job)[:_MAX_NAME_LENGTH]
    return safe if safe == job and job else f"{safe}-{digest(job, 8)}"
