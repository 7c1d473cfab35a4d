"""The name of a job: what stays the same from run to run, and so names its flows."""

from __future__ import annotations

import re

from sac_kafka.lineage.paths import without_run

_SEPARATORS = " \t_-.:/,;|#"


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
    name = re.sub(r"(?i)[\[({<]\s*(?:(?:run|id|date|at)?[\s:=#_-]*)\s*[\])}>]", " ", name)
    name = re.sub(r"\s+", " ", name)
    name = re.sub(rf"([{re.escape(_SEPARATORS)}])(?:\s*[{re.escape(_SEPARATORS)}])+", r"\1", name)
    return name.strip(_SEPARATORS) or application_name
