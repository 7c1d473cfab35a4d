"""Recognise job names that are shared by unrelated jobs, or that change from run to run and so create new flows each time."""

from __future__ import annotations

import re

SHARED = (
    "pyspark-shell",
    "pysparkshell",
    "spark-shell",
    "spark shell",
    "sparkr",
    "sparkr-shell",
    "spark-sql",
    "databricks shell",
    "databricks-connect",
    "zeppelin",
    "jupyter",
    "ipython",
    "notebook",
    "livy",
    "thrift jdbc/odbc server",
    "spark connect server",
)
"""Default application names of shells, notebooks and servers, in lower case; a number or an id may follow."""

_NUMBERED = re.compile(r"(?:^|[\W_])(?:run|attempt|build|batch|try|execution)[ _.:#=-]{0,2}\d+(?!\d)", re.IGNORECASE)
SET_A_NAME = (
    "set a name: --conf spark.atlas.hook.spark.job.name=daily_orders, "
    "or in Python attach(spark, job_name='daily_orders')"
)
"""What to do about a job name, for every kind of driver."""


def job_name_warning(job: str) -> str | None:
    """Return a warning about a job name that was derived from the application's name; None if the name is usable.

    >>> job_name_warning("runs2024"), job_name_warning("trial 3"), job_name_warning("zeppelin_orders")
    (None, None, None)
    """
    stem = re.sub(r"(?:[ _-]?(?:session)?[ _-]?\d*)\Z", "", job.strip().lower()[:100])
    if stem in SHARED:
        return f"the job's name {job} is a default that unrelated jobs share, so their flows are mixed; {SET_A_NAME}"
    if _NUMBERED.search(job[:1000]):
        return f"the job's name {job} seems to change from run to run, so every run creates new flows; {SET_A_NAME}"
    return None


def configured_name_warning(job: str) -> str | None:
    """Return a warning about a configured job name that contains an unresolved reference; None if the name is usable.

    >>> configured_name_warning("build 7")
    """
    begun = job.find("{{")
    if begun < 0 or job.find("}}", begun) < 0:
        return None
    return (
        f"the job's name {job} contains an unresolved reference, so that all jobs share it; write the name out (Databricks "
        "resolves references in parameters of tasks only)"
    )
