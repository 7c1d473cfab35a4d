"""Names of jobs that nobody chose, or that change from run to run: their flows are mixed with others', or made anew each time."""

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
"""What shells, notebooks and servers call their applications, in small letters; a number or an id may follow."""

_NUMBERED = re.compile(r"(?:^|[\W_])(?:run|attempt|build|batch|try|execution)[ _.:#=-]{0,2}\d+(?!\d)", re.IGNORECASE)
_CURE = "name it: attach(spark, job_name='daily_orders'), or atlas.hook.spark.job.name"


def doubt_of(job: str) -> str | None:
    """Why a job had better be named otherwise; None where its name will do. `job` is what was made of the application's name.

    >>> doubt_of("runs2024"), doubt_of("trial 3"), doubt_of("zeppelin_orders")
    (None, None, None)
    """
    stem = re.sub(r"(?:[ _-]?(?:session)?[ _-]?\d*)\Z", "", job.strip().lower()[:100])
    if stem in SHARED:
        return f"the job's name {job} is shared by all that choose none; {_CURE}"
    if _NUMBERED.search(job[:1000]):
        return f"the job's name {job} seems to change from run to run; {_CURE}"
    return None


def doubt_of_chosen(job: str) -> str | None:
    """Why a job that a setting names had better be named otherwise; None where its name will do.

    >>> doubt_of_chosen("build 7")
    """
    begun = job.find("{{")
    if begun < 0 or job.find("}}", begun) < 0:
        return None
    return (
        f"write the job's name {job} out: nobody has filled in what stands in braces, so that all jobs share it (Databricks does "
        "that in parameters of tasks only)"
    )
