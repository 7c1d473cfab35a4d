"""Choose the name of a job, which stays the same from run to run and so names its flows."""

from __future__ import annotations

import re

from sac_kafka.names.paths import without_run

_SEPARATORS = " \t_-.:/,;|#"
_EMPTY_BRACKETS = re.compile(
    r"[\[({<]\s*(?:(?:run|id|date|at)[\s:=#_-]*|[:=#_-][\s:=#_-]*)?[\])}>]", re.IGNORECASE
)  # no alternative after \s* begins with a blank, which would cause backtracking
_BLANKS = re.compile(r"\s+")
_SEVERAL_SEPARATORS = re.compile(rf"([{re.escape(_SEPARATORS)}])[{re.escape(_SEPARATORS)}]+")


def job_name(configured: str | None, application_name: str, platform_job: str | None = None) -> str:
    """Return the configured name, else the platform's, else the application's without dates, times, UUIDs and application ids.

    >>> job_name(None, "orders_2026-11-21T05:00")
    'orders'
    >>> job_name(None, "load [run local-1795233600000] daily")
    'load daily'
    >>> job_name(None, "Databricks Shell", "Daily orders/load")
    'Daily orders/load'
    """
    return configured or platform_job or without_run_specifics(application_name) or application_name


def without_run_specifics(name: str) -> str:
    """Return a name without dates, times, UUIDs and application ids; "" if nothing else is left."""
    rest = _BLANKS.sub(" ", _EMPTY_BRACKETS.sub(" ", without_run(name)))
    return _SEVERAL_SEPARATORS.sub(r"\1", rest).strip(_SEPARATORS)
