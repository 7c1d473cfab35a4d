"""Choose the name of a job, which stays the same from run to run and so names its flows.

A dbt model is a job: its name is in the comment that dbt puts before each statement. Source: docs.getdbt.com, query-comment
(`/* {"app": "dbt", …, "node_id": "model.project.name"} */`). Where statements are masked, the listener keeps
`/* dbt model.project.name */` of it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from sac_kafka.model import Application
from sac_kafka.names.paths import without_run
from sac_kafka.plan.execution import APPLICATION_NAME, JOB_NAME

_SEPARATORS = " \t_-.:/,;|#"
_EMPTY_BRACKETS = re.compile(
    r"[\[({<]\s*(?:(?:run|id|date|at)[\s:=#_-]*|[:=#_-][\s:=#_-]*)?[\])}>]", re.IGNORECASE
)  # no alternative after \s* begins with a blank, which would cause backtracking
_BLANKS = re.compile(r"\s+")
_REDACTED = "*********(redacted)"
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


def with_session_job(
    application: Application, at_start: Mapping[str, str] | None, by_now: Mapping[str, str] | None
) -> Application:
    """Return the application under the job name of one of its sessions.

    A configured job name takes precedence over one made from an application name; for each, the session's over the driver's.

    Args:
        application: The application, under the driver's job name.
        at_start: Settings of the session that differed from the driver's when the execution started; None if unknown. Spark may
            have redacted a value that looks like a secret ("hourly" contains "url").
        by_now: Those settings that name jobs, at the end of the execution or later.
    """
    now = by_now or {}
    if at_start is None:
        at_start = now
    settings = {key: now.get(key, "") if at_start[key] == _REDACTED else at_start[key] for key in at_start}
    chosen, name = settings.get(JOB_NAME, "").strip(), settings.get(APPLICATION_NAME, "").strip()
    if not chosen and (application.is_job_chosen or not name):
        return application
    return dataclasses.replace(application, job=job_name(chosen, name), is_job_chosen=bool(chosen))
