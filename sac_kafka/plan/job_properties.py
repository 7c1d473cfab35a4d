"""Name the properties of jobs by which a server or a platform identifies who runs an execution; a thread's jobs inherit them."""

from __future__ import annotations

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
