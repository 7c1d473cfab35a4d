"""Render metrics as text: Prometheus' exposition format (version 0.0.4) and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone

from sac_kafka.hook.metrics.table import METRICS, PREFIX, Metric, Snapshot

OTHER = "other"
_MAX_LABEL_VALUES = 20
_MAX_LABEL_LENGTH = 120
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class PrometheusText:
    """The metrics of one application in Prometheus' format.

    To limit cardinality, a label has at most 20 values of 120 characters, the first that occurred; all others are counted as
    `other`. A label value keeps its series once it has one, so that no counter decreases.
    """

    def __init__(self) -> None:
        self._series: dict[str, dict[str, None]] = {}

    def __call__(self, at: Snapshot, application_id: str) -> str:
        """Render every metric with the labels `job_name` (`job` is reserved by Prometheus) and `application`."""
        labels = (("job_name", at.stats["job"]), ("application", application_id))
        return "".join(_family(metric, at, labels, self._series.setdefault(metric.name, {})) for metric in METRICS)


def json_text(at: Snapshot, application_id: str) -> str:
    """Render `hook.stats()` as JSON, with the application, the time (UTC) and whether the hook has ended."""
    taken = datetime.fromtimestamp(at.taken_at, tz=timezone.utc).isoformat(timespec="seconds")
    return json.dumps({"application": application_id, "taken": taken, "ended": at.is_last, **at.stats}, indent=2) + "\n"


def _family(metric: Metric, at: Snapshot, labels: tuple[tuple[str, str], ...], series: dict[str, None]) -> str:
    """Render the lines of a metric, "" if its label has no values yet; `series` are the label values with a series."""
    found = metric.read(at)
    if not isinstance(found, Mapping):
        samples: Iterable[str] = (_sample(metric, labels, found),)
    else:
        samples = [_sample(metric, (*labels, (metric.label, value)), n) for value, n in _bounded(found, series)]
        if not samples:
            return ""
    name = PREFIX + metric.name
    return "".join((f"# HELP {name} {metric.meaning}\n", f"# TYPE {name} {metric.kind.value}\n", *samples))


def _bounded(found: Mapping[str, int], series: dict[str, None]) -> Iterator[tuple[str, int]]:
    shortened: dict[str, int] = {}
    for value, number in found.items():
        short = value if len(value) <= _MAX_LABEL_LENGTH else f"{value[: _MAX_LABEL_LENGTH - 1]}…"
        if len(series) < _MAX_LABEL_VALUES:
            series[short] = None
        key = short if short in series else OTHER
        shortened[key] = shortened.get(key, 0) + number
    return iter(shortened.items())


def _sample(metric: Metric, labels: Iterable[tuple[str, str]], number: float) -> str:
    rendered = ",".join(f'{name}="{value.translate(_ESCAPED)}"' for name, value in labels)
    return f"{PREFIX}{metric.name}{{{rendered}}} {number!r}\n"
