"""Describe the schedulers and servers that start jobs, in the same form as `platforms`."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.lineage.runs.platforms import YARN_TAGS, Lookup, Platform, tag_of


def _airflow_keys(variable: str, label: str = "") -> tuple[str, ...]:
    """Return the keys of an Airflow variable: in the environment of a client, or passed on to a driver elsewhere."""
    passed_on = (f"spark.yarn.appMasterEnv.{variable}", f"spark.kubernetes.driverEnv.{variable}")
    return (f"env:{variable}", *passed_on, *((f"spark.kubernetes.driver.label.{label}",) if label else ()))


AIRFLOW = Platform(
    name="airflow",
    documented=(
        "airflow.apache.org, airflow.utils.operator_helpers (AIRFLOW_CTX_*, of BashOperator and of every task's process)",
        "airflow.apache.org, cncf.kubernetes provider (labels dag_id, task_id, run_id, try_number of pods)",
    ),
    signs=_airflow_keys("AIRFLOW_CTX_DAG_ID", "dag_id"),
    facts={
        "parent_job": _airflow_keys("AIRFLOW_CTX_DAG_ID", "dag_id"),
        "parent_task": _airflow_keys("AIRFLOW_CTX_TASK_ID", "task_id"),
        "parent_run_id": _airflow_keys("AIRFLOW_CTX_DAG_RUN_ID", "run_id"),
        "parent_attempt": _airflow_keys("AIRFLOW_CTX_TRY_NUMBER", "try_number"),
    },
    names=("{parent_job}.{parent_task}", "{parent_job}"),
)

OPENLINEAGE = Platform(
    name="openlineage",
    documented=("openlineage.io, Spark configuration (parentJobName, parentRunId: Airflow's provider adds them)",),
    signs=("spark.openlineage.parentJobName",),
    facts={
        "parent_job": ("spark.openlineage.parentJobName",),
        "parent_run_id": ("spark.openlineage.parentRunId",),
    },
    names=("{parent_job}",),
)

_ACTION = "spark.oozie.action.id"


def _oozie(value: Lookup) -> Mapping[str, str]:
    """Return the action's name: its id is `<id of the workflow's run>@<action>`."""
    return {"parent_task": value(_ACTION).partition("@")[2]}


OOZIE = Platform(
    name="oozie",
    documented=("oozie.apache.org, Spark action (oozie.* reaches the application as spark.oozie.*)",),
    signs=("spark.oozie.job.id", _ACTION),
    facts={"parent_run_id": ("spark.oozie.job.id",)},
    reads=(_ACTION,),
    read=_oozie,
)


def _livy(value: Lookup) -> Mapping[str, str]:
    """Return the id by which Livy tags its applications: `livy-batch-<number>-<random>`."""
    for kind in ("livy-session-", "livy-batch-"):
        if tag := tag_of(value(YARN_TAGS), kind):
            return {"parent_run_id": f"{kind}{tag}"}
    return {}


LIVY = Platform(
    name="livy",
    documented=("livy.apache.org, BatchSession and SparkYarnApp (the tag in spark.yarn.tags)",),
    signs=(YARN_TAGS,),
    facts={},
    reads=(YARN_TAGS,),
    read=_livy,
)

PARENTS = (AIRFLOW, OPENLINEAGE, OOZIE, LIVY)
"""Schedulers in order of precedence: the first with any fact is used."""
