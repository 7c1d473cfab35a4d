"""OpenLineage events through the bridge into a real Atlas: flows, columns, facts, labels; and why their types are Spark's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sac_kafka.tools.cli.main import main
from tests.live.server.live_atlas import RunningAtlas
from tests.unit.openlineage.small_events import dataset, event, parent, schema

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]

NAMESPACE = "bridged"
ORDERS, REPORT = "rdbms_table", "spark_table"
EVENTS = [
    event(
        "START",
        second=1,
        job="daily.load",
        inputs=[dataset("shop.sales.orders", "postgres://db1:5432", schema=schema("id", "amount"))],
        run_facets={"processing_engine": {"name": "Airflow", "version": "3.3.2"}, "parent": parent("dag-run", "daily")},
        job_facets={"tags": {"tags": [{"key": "tier1", "value": "true"}]},
                    "ownership": {"owners": [{"name": "team:sales"}]}},
    ),
    event(
        "COMPLETE",
        second=9,
        job="daily.load",
        outputs=[
            dataset(
                "mart.report",
                schema=schema("total"),
                documentation={"description": "Revenue of the day"},
                columnLineage={"fields": {"total": {"inputFields": [
                    {"namespace": "postgres://db1:5432", "name": "shop.sales.orders", "field": "amount",
                     "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum(amount)"}]}
                ]}}},
            )
        ],
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def bridged(atlas_server: RunningAtlas, tmp_path_factory: pytest.TempPathFactory) -> RunningAtlas:
    folder = tmp_path_factory.mktemp("bridge")
    (folder / "events.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in EVENTS), "utf-8")
    mark = atlas_server.logs.mark()
    conf = {
        "atlas.client.type": "kafka",
        "atlas.kafka.bootstrap.servers": atlas_server.bootstrap,
        "atlas.metadata.namespace": NAMESPACE,
        "atlas.hook.spool.dir": str(folder / "spool"),
    }
    (folder / "bridge.properties").write_text("".join(f"{name}={value}\n" for name, value in conf.items()), "utf-8")
    words = ["--conf-file", str(folder / "bridge.properties")]
    assert main(["bridge", "--file", str(folder / "events.jsonl"), *words]) == 0
    atlas_server.wait_consumed()
    atlas_server.assert_no_complaints(mark)
    return atlas_server


def process(server: RunningAtlas) -> dict[str, Any]:
    (name,) = [each for each in server.rest.names("spark_process") if each.endswith(f"@{NAMESPACE}")]
    found = server.rest.entity("spark_process", name)
    assert found is not None
    return found


def test_flow_and_its_facts_arrive(bridged: RunningAtlas) -> None:
    found = process(bridged)
    assert found["attributes"]["name"] == "prod/daily.load: sales.orders -> mart.report"
    custom = found["customAttributes"]
    assert (custom["engine"], custom["parent_job"], custom["owner"]) == ("Airflow 3.3.2", "daily", "team:sales")
    assert found["labels"] == ["tier1"]
    assert bridged.rest.attributes("spark_table", f"mart.report@{NAMESPACE}")["comment"] == "Revenue of the day"


def test_column_lineage_arrives_with_its_process(bridged: RunningAtlas) -> None:
    name = process(bridged)["attributes"]["qualifiedName"]
    assert bridged.rest.related("spark_process", name, "columnLineages") == ["mart.report.total"]


def test_column_lineage_of_the_built_in_process_would_be_lost(bridged: RunningAtlas) -> None:
    """Atlas drops the message: the column lineage that it ships belongs to a spark_process only."""

    def entity(type_name: str, name: str, **ends: Any) -> dict[str, Any]:
        return {"typeName": type_name, "attributes": {"qualifiedName": f"{name}@{NAMESPACE}", "name": name, **ends}}

    def end(type_name: str, name: str) -> dict[str, Any]:
        return {"typeName": type_name, "uniqueAttributes": {"qualifiedName": f"{name}@{NAMESPACE}"}}

    builtin = entity("Process", "built-in", inputs=[], outputs=[])
    column = entity("spark_column_lineage", "of-the-built-in", process=end("Process", "built-in"))
    mark = bridged.logs.mark()
    for entities in ([builtin], [column]):
        message = {"type": "ENTITY_CREATE_V2", "user": "bridge", "entities": {"entities": entities}}
        bridged.send([{"version": {"version": "1.0.0", "versionParts": [1]}, "message": message}])
    assert bridged.rest.entity("Process", f"built-in@{NAMESPACE}") is not None
    found = bridged.rest.entity("spark_column_lineage", f"of-the-built-in@{NAMESPACE}")
    assert len(bridged.logs.dropped(mark)) == 1 or not (found or {}).get("relationshipAttributes", {}).get("process")
