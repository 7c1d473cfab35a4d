"""Name the properties of jobs by which a server or a platform identifies who runs an execution; a thread's jobs inherit them."""

from __future__ import annotations

from collections.abc import Mapping

EXECUTION, ROOT_EXECUTION = "spark.sql.execution.id", "spark.sql.execution.root.id"
JOB_GROUP = "spark.jobGroup.id"
KYUUBI_USER = "kyuubi.session.user"

DATABRICKS_JOB, DATABRICKS_RUN = "spark.databricks.job.id", "spark.databricks.job.parentRunId"
DATABRICKS_TASK, DATABRICKS_TASK_RUN = "spark.databricks.job.taskKey", "spark.databricks.job.runId"
DATABRICKS_NOTEBOOK, DATABRICKS_USER = "spark.databricks.notebook.path", "user"
FABRIC_ITEM, FABRIC_ITEM_NAME = "trident.artifact.id", "trident.artifact.name"
SYNAPSE_NOTEBOOK, SYNAPSE_RUN = "spark.synapse.context.notebookname", "spark.synapse.nbs.runid"
SYNAPSE_PIPELINE_RUN, SYNAPSE_ACTIVITY = "spark.synapse.context.pipelinejobid", "spark.synapse.context.activityname"
SYNAPSE_ACTIVITY_RUN = "spark.synapse.context.activityrunid"

PLATFORM_KEYS = (
    DATABRICKS_JOB,
    DATABRICKS_RUN,
    DATABRICKS_TASK,
    DATABRICKS_TASK_RUN,
    DATABRICKS_NOTEBOOK,
    DATABRICKS_USER,
    FABRIC_ITEM,
    FABRIC_ITEM_NAME,
    SYNAPSE_NOTEBOOK,
    SYNAPSE_RUN,
    SYNAPSE_PIPELINE_RUN,
    SYNAPSE_ACTIVITY,
    SYNAPSE_ACTIVITY_RUN,
)
"""Properties that platforms set for the threads of a notebook or task (`lineage.runs.platforms`)."""
IDENTITY_KEYS = (JOB_GROUP, *PLATFORM_KEYS)
"""Properties by which a notebook or task is identified: on Databricks the job group contains ids of the job and its run."""
EXECUTION_KEYS = (EXECUTION, ROOT_EXECUTION, KYUUBI_USER, *IDENTITY_KEYS)


def note_of(properties: Mapping[str, str]) -> str:
    """Return the id of the Zeppelin note that a job group names; "" for other groups.

    >>> note_of({"spark.jobGroup.id": "zeppelin|ann|2A94M5J1Z|paragraph_1423836981412_-1007008116"})
    '2A94M5J1Z'
    """
    parts = properties.get(JOB_GROUP, "").split("|")  # zeppelin|<user>|<note>|<paragraph>
    return parts[2] if len(parts) == 4 and parts[0] == "zeppelin" else ""


def identifies(properties: Mapping[str, str]) -> bool:
    """Return whether properties name a notebook or task."""
    return any(key in properties for key in PLATFORM_KEYS) or note_of(properties) != ""
