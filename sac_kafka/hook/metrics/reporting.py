"""Write metrics at each interval: to files, which are replaced atomically, and to the gauges in Spark's metrics system.

All work is done by the hook's own threads. A file that cannot be written is logged once and tried again at each interval.
"""

from __future__ import annotations

import errno
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from sac_kafka.atlas.limits import digest
from sac_kafka.escaping import escape
from sac_kafka.hook.metrics.table import METRICS, PREFIX, Metric, Snapshot, total
from sac_kafka.log import logger
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.stats import Stats
from sac_kafka.transport import private_files

if TYPE_CHECKING:
    from sac_kafka.spark.metrics_source import SparkGauges

OTHER = "other"
_MAX_LABEL_VALUES = 20
_MAX_LABEL_LENGTH = 120
_QUOTED = str.maketrans({"\\": r"\\", '"': r"\""})


class PrometheusText:
    """The metrics of one application in Prometheus' format.

    To limit cardinality, a label has at most 20 values of 120 characters, the first that occurred; all others are counted as
    `other`. A label value keeps its series once it has one, so that no counter decreases.
    """

    def __init__(self) -> None:
        self._series: dict[str, dict[str, None]] = {}

    def __call__(self, at: Snapshot, application_id: str) -> str:
        """Render every metric with the labels `job_name` (`job` is reserved by Prometheus) and `application`."""
        labels = (("job_name", escape(at.stats["job"])), ("application", escape(application_id)))
        return "".join(_family(metric, at, labels, self._series.setdefault(metric.name, {})) for metric in METRICS)


def json_text(at: Snapshot, application_id: str) -> str:
    """Render `hook.stats()` as JSON, with the application, the time (UTC) and whether the hook has ended."""
    taken = datetime.fromtimestamp(at.taken_at, tz=timezone.utc).isoformat(timespec="seconds")
    text = json.dumps({"application": application_id, "taken": taken, "ended": at.is_last, **at.stats}, indent=2)
    return text.replace("\x7f", "\\u007f") + "\n"


def _family(metric: Metric, at: Snapshot, labels: tuple[tuple[str, str], ...], series: dict[str, None]) -> str:
    """Render the lines of a metric, "" if its label has no values yet; `series` are the label values with a series."""
    found = metric.read(at)
    if not isinstance(found, Mapping):
        samples: Iterable[str] = (_sample(metric, labels, found),)
    else:
        samples = [_sample(metric, (*labels, (metric.label, value)), n) for value, n in _limit_series(found, series)]
        if not samples:
            return ""
    name = PREFIX + metric.name
    return "".join((f"# HELP {name} {metric.meaning}\n", f"# TYPE {name} {metric.kind.value}\n", *samples))


def _limit_series(found: Mapping[str, int], series: dict[str, None]) -> Iterator[tuple[str, int]]:
    shortened: dict[str, int] = {}
    for value, number in found.items():
        short = escape(value if len(value) <= _MAX_LABEL_LENGTH else f"{value[: _MAX_LABEL_LENGTH - 1]}…")
        if len(series) < _MAX_LABEL_VALUES:
            series[short] = None
        key = short if short in series else OTHER
        shortened[key] = shortened.get(key, 0) + number
    return iter(shortened.items())


def _sample(metric: Metric, labels: Iterable[tuple[str, str]], number: float) -> str:
    rendered = ",".join(f'{name}="{value.translate(_QUOTED)}"' for name, value in labels)
    return f"{PREFIX}{metric.name}{{{rendered}}} {number!r}\n"


_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_NAME_LENGTH = 80
_FIXES = {
    errno.ENOSPC: "free disk space there",
    errno.EDQUOT: "raise this user's quota there",
    errno.EROFS: "make that file system writable",
    errno.ENAMETOOLONG: "choose a shorter path",
}


_FIX = "create its directory and give this user write permission"
_GROUP = "atlas.hook.spark.metrics.file.group"


class _GroupError(Exception):
    """A file cannot have its group; the message has the fix."""


def _group_id(name: str) -> int:
    """Return the id of a group of this user.

    Raises:
        _GroupError: There is no such group, or the user is not in it.
    """
    try:
        import grp

        found = grp.getgrnam(name).gr_gid
    except (ImportError, KeyError):
        raise _GroupError(f"there is no group {name} on this machine; correct {_GROUP}") from None
    if found not in (os.getegid(), *os.getgroups()) and not private_files.is_root():
        raise _GroupError(f"this user is not in the group {name}; add it, or name another one in {_GROUP}")
    return found


@dataclass(frozen=True, slots=True)
class MetricsFile:
    """A file, or a directory with one file per job.

    `key` is the setting that names it, `suffix` the suffix of file names, `text` renders the content for an application id.
    `mode` are the file's permissions, `group` is the name of its group, None for that of a new file.
    """

    key: str
    path: Path
    suffix: str
    text: Callable[[Snapshot, str], str]
    mode: int = 0o600
    group: str | None = None

    def write(self, at: Snapshot, application_id: str) -> None:
        """Write the file of a job.

        Raises:
            OSError: It cannot be written.
            _GroupError: It cannot have that group.
        """
        text = self.text(at, application_id).encode("utf-8", "replace")
        group = None if self.group is None else _group_id(self.group)
        private_files.replace(self.file(at.stats["job"]), text, self.mode, group)

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
        gauges: SparkGauges | None = None,
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
            place.write(at, self._application_id)
        except (OSError, _GroupError) as e:
            if place.key not in self._logged:
                self._logged.add(place.key)
                why: object = e
                if isinstance(e, OSError):
                    why = f"{e.strerror or e}; {_FIXES.get(e.errno or 0, _FIX)}, or correct {place.key}"
                logger.warning("metrics are not written to %s: %s", place.path, why)


def reports(
    settings: MetricsSettings, application_id: str, gauges: Callable[[Iterable[str]], SparkGauges | None]
) -> Reports:
    """Build the reports that the settings enable; `gauges` registers gauges of the given names in Spark's metrics system."""
    named = (
        ("atlas.hook.spark.metrics.prometheus.path", settings.prometheus_path, ".prom", PrometheusText()),
        ("atlas.hook.spark.metrics.json.path", settings.json_path, ".json", json_text),
    )
    return Reports(
        (
            MetricsFile(key, Path(path), suffix, text, settings.file_mode, settings.file_group)
            for key, path, suffix, text in named
            if path
        ),
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
