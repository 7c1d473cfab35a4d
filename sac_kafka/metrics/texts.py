"""Figures as text: the exposition format of Prometheus (version 0.0.4), and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone

from sac_kafka.metrics.table import METRICS, PREFIX, Metric, Snapshot

OTHER = "other"
_MAX_VALUES = 20
_LONGEST = 120
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class PrometheusText:
    """The figures of one application as Prometheus reads them.

    A label of reasons has at most 20 values of 120 characters, those that were seen first: what is left counts as `other`, so
    that no job makes series without end. A value that has a series keeps it: no counter goes back.
    """

    def __init__(self) -> None:
        self._shown: dict[str, dict[str, None]] = {}

    def __call__(self, at: Snapshot, application_id: str) -> str:
        """Give every metric, with the labels `job_name` (`job` is Prometheus' own) and `application`."""
        own = (("job_name", at.stats["job"]), ("application", application_id))
        return "".join(_family(metric, at, own, self._shown.setdefault(metric.name, {})) for metric in METRICS)


def json_text(at: Snapshot, application_id: str) -> str:
    """Give `hook.stats()` whole, with the application, when it was taken (UTC), and whether the hook has ended."""
    taken = datetime.fromtimestamp(at.taken_at, tz=timezone.utc).isoformat(timespec="seconds")
    told = {"application": application_id, "taken": taken, "ended": at.is_last, **at.stats}
    return json.dumps(told, indent=2) + "\n"


def _family(metric: Metric, at: Snapshot, own: tuple[tuple[str, str], ...], shown: dict[str, None]) -> str:
    """The lines of a metric; none where nothing was seen for any value of its label. `shown` are the values with a series."""
    found = metric.read(at)
    if not isinstance(found, Mapping):
        samples: Iterable[str] = (_sample(metric, own, found),)
    else:
        samples = [_sample(metric, (*own, (metric.label, value)), n) for value, n in _bounded(found, shown)]
        if not samples:
            return ""
    name = PREFIX + metric.name
    return "".join((f"# HELP {name} {metric.meaning}\n", f"# TYPE {name} {metric.kind.value}\n", *samples))


def _bounded(found: Mapping[str, int], shown: dict[str, None]) -> Iterator[tuple[str, int]]:
    shortened: dict[str, int] = {}
    for value, number in found.items():
        short = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
        if len(shown) < _MAX_VALUES:
            shown[short] = None
        key = short if short in shown else OTHER
        shortened[key] = shortened.get(key, 0) + number
    return iter(shortened.items())


def _sample(metric: Metric, labels: Iterable[tuple[str, str]], number: float) -> str:
    shown = ",".join(f'{name}="{value.translate(_ESCAPED)}"' for name, value in labels)
    return f"{PREFIX}{metric.name}{{{shown}}} {number!r}\n"
