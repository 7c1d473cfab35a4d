"""Name the job of a session (`names/job_names.py`).

A dbt model is a job: its name is in the comment that dbt puts before each statement. Source: docs.getdbt.com, query-comment
(`/* {"app": "dbt", …, "node_id": "model.project.name"} */`). Where statements are masked, the listener keeps
`/* dbt model.project.name */` of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from sac_kafka.model import Application
from sac_kafka.names.job_names import job_name
from sac_kafka.plan.execution import APPLICATION_NAME, JOB_NAME

_REDACTED = "*********(redacted)"


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
