"""Valid messages in the dialect of Purview, hand-written from Microsoft's documented samples."""

from __future__ import annotations

import json
from typing import Any

SOURCE = "https://contosolake.dfs.core.windows.net/raw/orders/"
SINK = "mssql://contososql.database.windows.net/sales/dbo/orders"
WORKSPACE = "databricks://adb-1.2.azuredatabricks.net"
MAPPING = [
    {"DatasetMapping": {"Source": SOURCE, "Sink": SINK}, "ColumnMapping": [{"Source": "id", "Sink": "order_id"}]},
    {"DatasetMapping": {"Source": "*", "Sink": SINK}, "ColumnMapping": [{"Source": "*", "Sink": "loaded_at"}]},
]


def entity(guid: str, type_name: str, qualified_name: str, **attributes: Any) -> dict[str, Any]:
    values = {"qualifiedName": qualified_name, "name": qualified_name.rstrip("/").rpartition("/")[2], **attributes}
    return {"typeName": type_name, "guid": guid, "attributes": values}


def record(**message: Any) -> dict[str, Any]:
    return {
        "version": {"version": "1.0.0", "versionParts": [1]},
        "msgCompressionKind": "NONE",
        "msgSplitIdx": 1,
        "msgSplitCount": 1,
        "msgCreationTime": 1760000000000,
        "message": {"type": "ENTITY_CREATE_V2", "user": "etl", **message},
    }


def flow() -> dict[str, Any]:
    process = entity("-3", "sac_kafka_process", "job/flow", columnMapping=json.dumps(MAPPING), rowsWritten=7)
    process["attributes"] |= {
        "inputs": [{"guid": "-1", "typeName": "azure_datalake_gen2_path"}],
        "outputs": [{"guid": "-2", "typeName": "azure_sql_table"}],
    }
    process["relationshipAttributes"] = {"application": {"guid": "-4", "typeName": "sac_kafka_application"}}
    entities = [
        entity("-1", "azure_datalake_gen2_path", SOURCE),
        entity("-2", "azure_sql_table", SINK),
        process,
        entity("-4", "sac_kafka_application", "spark://primary/job", jobName="job", platform="synapse"),
    ]
    return record(entities={"referredEntities": {}, "entities": entities})


def databricks_flow() -> dict[str, Any]:
    def reference(guid: str, name: str) -> dict[str, str]:
        return {"guid": guid, "typeName": name}

    workspace = entity("-1", "databricks_workspace", WORKSPACE)
    job = entity("-2", "databricks_job", f"{WORKSPACE}/jobs/7", jobId=7)
    job["relationshipAttributes"] = {"workspace": reference("-1", "databricks_workspace")}
    notebook = entity("-3", "databricks_notebook", f"{WORKSPACE}/notebooks/a")
    notebook["relationshipAttributes"] = {"workspace": reference("-1", "databricks_workspace")}
    task = entity("-4", "databricks_notebook_task", f"{WORKSPACE}/jobs/7/tasks/t")
    task["relationshipAttributes"] = {
        "job": reference("-2", "databricks_job"),
        "notebook": reference("-3", "databricks_notebook"),
    }
    made = entity("-5", "azure_datalake_gen2_path", SOURCE)
    process = entity("-6", "databricks_process", f"{WORKSPACE}/jobs/7/tasks/t/processes/x")
    process["attributes"] |= {"inputs": [], "outputs": [reference("-5", "azure_datalake_gen2_path")]}
    process["relationshipAttributes"] = {"task": reference("-4", "databricks_notebook_task")}
    return record(entities={"referredEntities": {}, "entities": [workspace, job, notebook, task, made, process]})
