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


def job_name(configured: str | None, application_name: str, platform_job: str | None = None) -> str:
    """The configured name, else the platform's, else the application's without dates, times, UUIDs and application ids.

    >>> job_name(None, "orders_2026-11-21T05:00")
    'orders'
    >>> job_name(None, "load [run local-1795233600000] daily")
    'load daily'
    >>> job_name(None, "Databricks Shell", "Daily orders/load")
    'Daily orders/load'
    """
    return configured or platform_job or without_parts_of_a_run(application_name) or application_name


def without_parts_of_a_run(name: str) -> str:
    """The name without dates, times, UUIDs and application ids; "" where nothing else is in it."""
    rest = _BLANKS.sub(" ", _EMPTY_BRACKETS.sub(" ", without_run(name)))
    return _SEVERAL_SEPARATORS.sub(r"\1", rest).strip(_SEPARATORS)
