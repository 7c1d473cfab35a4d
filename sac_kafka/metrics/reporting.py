"""Writes the figures where settings say: files, replaced whole, and the gauges that Spark's sinks read.

All is done by the hook's own threads. What cannot be written is one line in the log, and tried again the next time.
"""

from __future__ import annotations

import errno
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.atlas.limits import digest
from sac_kafka.figures import Stats
from sac_kafka.log import logger
from sac_kafka.metrics.gauges import Gauges
from sac_kafka.metrics.table import METRICS, Snapshot, total
from sac_kafka.metrics.texts import PrometheusText, json_text
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.transport import private_files

_PLAIN = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 80
_CURES = {
    errno.ENOSPC: "make room there",
    errno.EDQUOT: "raise this user's quota there",
    errno.EROFS: "make that file system writable",
    errno.ENAMETOOLONG: "choose a shorter path",
}


@dataclass(frozen=True, slots=True)
class MetricsFile:
    """A file, or a directory with a file a job: the setting that names it, its path, ending, and what is written."""

    key: str
    path: Path
    ending: str
    text: Callable[[Snapshot, str], str]

    def file(self, job: str) -> Path:
        """Give the file of a job.

        Raises:
            OSError: The path is neither there nor that of a file, by its ending: a directory is missing, and a file in its
                place would be read by nobody.
        """
        if self.path.is_dir():
            return self.path / f"sac_kafka-{file_name(job)}{self.ending}"
        if not self.path.suffix and not self.path.exists():
            raise FileNotFoundError(errno.ENOENT, f"no such directory, and a file would end in {self.ending}")
        return self.path


class Reports:
    """The reports of one hook.

    Args:
        places: Where files are written.
        application_id: Spark's.
        interval_seconds: How often.
        gauges: What Spark's sinks read, None where they are not to.
        clock: Monotonic seconds.
        now: Epoch seconds.
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
        self._said: set[str] = set()

    @property
    def _is_wanted(self) -> bool:
        return bool(self._places or self._gauges)

    def when_due(self, stats: Callable[[], Stats]) -> None:
        """Report, if it is time to."""
        if self._is_wanted and self._clock() >= self._next:
            self._next = self._clock() + self._interval_seconds
            self._report(Snapshot(stats=stats(), taken_at=self._now()))

    def last(self, stats: Callable[[], Stats]) -> None:
        """Report once more: the hook has ended."""
        if self._is_wanted:
            self._report(Snapshot(stats=stats(), taken_at=self._now(), is_last=True))

    def close(self) -> None:
        """Take the gauges away; the files stay."""
        if self._gauges is not None:
            self._gauges.close()

    def _report(self, at: Snapshot) -> None:
        for place in self._places:
            self._write(place, at)
        if self._gauges is not None:
            self._gauges.show(total(metric, at) for metric in METRICS)

    def _write(self, place: MetricsFile, at: Snapshot) -> None:
        try:
            text = place.text(at, self._application_id)
            private_files.replace(place.file(at.stats["job"]), text.encode("utf-8", "replace"))
        except OSError as e:
            if place.key not in self._said:
                self._said.add(place.key)
                logger.warning(
                    "metrics are not written to %s: %s; %s, or correct %s",
                    place.path,
                    e.strerror or e,
                    _CURES.get(e.errno or 0, "make its directory and let this user write there"),
                    place.key,
                )


def reports(
    settings: MetricsSettings, application_id: str, gauges: Callable[[Iterable[str]], Gauges | None]
) -> Reports:
    """Make the reports that the settings ask for; `gauges` gives, by the names of metrics, what Spark's sinks read."""
    named = (
        ("atlas.hook.spark.metrics.prometheus.path", settings.prometheus_path, ".prom", PrometheusText()),
        ("atlas.hook.spark.metrics.json.path", settings.json_path, ".json", json_text),
    )
    return Reports(
        (MetricsFile(key, Path(path), ending, text) for key, path, ending, text in named if path),
        application_id,
        settings.interval_seconds,
        gauges=gauges(metric.name for metric in METRICS) if settings.spark else None,
    )


def file_name(job: str) -> str:
    """A job's name as a part of a file's; two jobs never share one.

    >>> file_name("daily_orders"), file_name("a/b") == file_name("a b")
    ('daily_orders', False)
    """
    plain = _PLAIN.sub("_", job)[:_LONGEST]
    return plain if plain == job and job else f"{plain}-{digest(job, 8)}"
