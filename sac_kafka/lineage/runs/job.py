"""The name of a job: what stays the same from run to run, and so names its flows."""

from __future__ import annotations

import re

from sac_kafka.lineage.datasets.paths import without_run

_SEPARATORS = " \t_-.:/,;|#"
_EMPTY_BRACKETS = re.compile(
    r"[\[({<]\s*(?:(?:run|id|date|at)[\s:=#_-]*|[:=#_-][\s:=#_-]*)?[\])}>]", re.IGNORECASE
)  # after \s* no alternative begins with a blank: else the two would share it in every way
_BLANKS = re.compile(r"\s+")
_SEVERAL_SEPARATORS = re.compile(rf"([{re.escape(_SEPARATORS)}])[{re.escape(_SEPARATORS)}]+")


def job_name(configured: str | None, application_name: str) -> str:
    """The configured name, else the application's name without dates, times, UUIDs and application ids.

    >>> job_name(None, "orders_2026-11-21T05:00")
    'orders'
    >>> job_name(None, "load [run local-1795233600000] daily")
    'load daily'
    """
    if configured:
        return configured
    name = without_run(application_name)
    name = _BLANKS.sub(" ", _EMPTY_BRACKETS.sub(" ", name))
    name = _SEVERAL_SEPARATORS.sub(r"\1", name)
    return name.strip(_SEPARATORS) or application_name
