"""Contexts of the cases: on no platform, in Databricks by notebook and by job, in Synapse, in Fabric, with other settings."""

from __future__ import annotations

from dataclasses import replace

from tests.live.purview.assets import FABRIC, FABRIC_WORKSPACE, LAKEHOUSE, METASTORE, WORKSPACE, Asset
from tests.live.purview.expecting import Context

NAMESPACE = "contoso"
JOB = "daily flows"
OPERATION = "azure_synapse_operation"
"""The type of a process outside of Databricks: of those that every account has the one that holds column mappings."""

PLAIN = Context(name="plain", stem=f"spark://{NAMESPACE}/{JOB}", process_type=OPERATION)

_ROOT = f"databricks://{WORKSPACE}"
_WORKSPACE = Asset("databricks_workspace", _ROOT)
_CONF = {"spark.databricks.workspaceUrl": WORKSPACE}
_NOTEBOOK = Asset("databricks_notebook", f"{_ROOT}/notebooks/Shared/etl/load")
_MOUNTS = {
    "atlas.hook.spark.path.aliases": ",".join(
        (
            "dbfs:/mnt/raw=abfss://raw@contosolake.dfs.core.windows.net",
            "dbfs:/mnt/deep=abfss://raw@contosolake.dfs.core.windows.net/below/here",
            "dbfs:/mnt/blob=wasbs://drop@contosoblob.blob.core.windows.net",
        )
    )
}

NOTEBOOK = Context(
    name="notebook",
    conf=_CONF,
    properties={"spark.databricks.notebook.path": "/Shared/etl/load", "user": "ada@contoso.com"},
    settings={**_MOUNTS, "atlas.hook.spark.purview.databricks.metastore": METASTORE},
    stem=_NOTEBOOK.name,
    process_type="databricks_process",
    owners=frozenset({_WORKSPACE, _NOTEBOOK}),
)

_JOB = Asset("databricks_job", f"{_ROOT}/jobs/987654")
_TASK = Asset("databricks_notebook_task", f"{_JOB.name}/tasks/load_orders")
NOTEBOOK_TASK = Context(
    name="notebook task",
    conf=_CONF,
    properties={
        "spark.databricks.notebook.path": "/Shared/etl/load",
        "spark.databricks.job.id": "987654",
        "spark.databricks.job.runId": "1122334455",
        "spark.databricks.job.parentRunId": "1122334400",
        "spark.databricks.job.taskKey": "load_orders",
    },
    stem=_TASK.name,
    process_type="databricks_process",
    owners=frozenset({_WORKSPACE, _NOTEBOOK, _JOB, _TASK}),
)

_SCRIPT = Asset("databricks_*_task", f"{_JOB.name}/tasks/load_orders")
SCRIPT_TASK = Context(
    name="script task",
    conf=_CONF,
    properties={
        "spark.databricks.job.id": "987654",
        "spark.databricks.job.runId": "5544332211",
        "spark.databricks.job.taskKey": "load_orders",
    },
    stem=_SCRIPT.name,
    process_type="databricks_process",
    owners=frozenset({_WORKSPACE, _JOB, _SCRIPT}),
)

SYNAPSE = Context(
    name="synapse",
    conf={
        "spark.synapse.workspace.name": "contosows",
        "spark.synapse.pool.name": "small",
        "spark.synapse.context.notebookname": "load_orders",
    },
    stem="https://contosows.dev.azuresynapse.net/*",
    process_type=OPERATION,
)

FABRIC_NOTEBOOK = Context(
    name="fabric",
    conf={
        "trident.workspace.id": FABRIC_WORKSPACE,
        "trident.artifact.id": "eeeeeeee-1111-2222-3333-ffffffffffff",
        "trident.artifact.name": "load_orders",
        "trident.lakehouse.id": LAKEHOUSE,
        "trident.lakehouse.name": "sales",
    },
    stem=f"{FABRIC}/{FABRIC_WORKSPACE}/*",
    process_type=OPERATION,
)


def with_settings(context: Context, name: str, **settings: str) -> Context:
    """Return the context with settings: `column_influence="true"` is `atlas.hook.spark.purview.column.influence`."""
    of = {f"atlas.hook.spark.purview.{key.replace('_', '.')}": value for key, value in settings.items()}
    return replace(context, name=name, settings={**context.settings, **of})


PATHS = with_settings(PLAIN, "no resource sets", resource_sets="false")
INFLUENCE = with_settings(PLAIN, "with influence", column_influence="true")
TABLES_ALONE = with_settings(NOTEBOOK, "tables alone", tables="table")
PLACES_ALONE = with_settings(NOTEBOOK, "places alone", tables="location")
OWN_TYPES = replace(
    with_settings(NOTEBOOK, "own types", process_types="own"), process_type="sac_kafka_databricks_process"
)
