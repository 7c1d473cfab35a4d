"""Purview's types on a real Atlas: it accepts them, stores a message of them, and draws its lineage."""

from __future__ import annotations

import copy
import json

import pytest

from sac_kafka.purview.types import OWN, definitions
from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.purview_types import register
from tests.unit.purview.account import Account
from tests.unit.purview.judge import entities_of, problems
from tests.unit.purview.samples import MAPPING, SINK, SOURCE, WORKSPACE, databricks_flow, flow
from tests.unit.purview.types.everything import DATASETS, flow_of
from tests.unit.purview.types.everything import SINK as TOTALS

pytestmark = pytest.mark.atlas

PROCESS = "job/flow"
ASSET = "azure_datalake_gen2_resource_set:https://contosolake.dfs.core.windows.net/curated/totals/{SparkPartitions}"


@pytest.fixture(scope="module")
def atlas(atlas_server: RunningAtlas) -> RunningAtlas:
    register(atlas_server)
    return atlas_server


def test_the_server_has_the_types_afterwards(atlas: RunningAtlas) -> None:
    assert register(atlas) == []
    there = {each["name"]: each for each in atlas.rest.get("/v2/types/typedefs")["entityDefs"]}
    for ours in definitions([OWN])["entityDefs"]:
        attributes = {each["name"] for each in there[ours["name"]]["attributeDefs"]}
        assert attributes == {each["name"] for each in ours["attributeDefs"]}
        assert there[ours["name"]]["superTypes"] == ours["superTypes"]


def test_a_flow_with_its_columns_is_stored_and_drawn(atlas: RunningAtlas) -> None:
    message = flow()
    assert problems(json.dumps(message)) == []
    mark = atlas.logs.mark()
    atlas.send([message])
    atlas.assert_no_complaints(mark)
    kept = atlas.rest.attributes("sac_kafka_process", PROCESS)
    assert json.loads(kept["columnMapping"]) == MAPPING
    assert kept["rowsWritten"] == 7
    assert atlas.rest.lineage("azure_sql_table", SINK) == [
        f"azure_datalake_gen2_path:{SOURCE} -> sac_kafka_process:{PROCESS}",
        f"sac_kafka_process:{PROCESS} -> azure_sql_table:{SINK}",
    ]
    assert atlas.rest.related("sac_kafka_application", "spark://primary/job", "processes") == ["flow"]


def test_the_chain_of_databricks_is_stored(atlas: RunningAtlas) -> None:
    mark = atlas.logs.mark()
    atlas.send([databricks_flow()])
    atlas.assert_no_complaints(mark)
    assert atlas.rest.related("databricks_workspace", WORKSPACE, "jobs") == ["7"]
    assert atlas.rest.related("databricks_notebook_task", f"{WORKSPACE}/jobs/7/tasks/t", "processes") == ["x"]


@pytest.mark.parametrize("types", ["built-in", pytest.param("own", marks=pytest.mark.exhaustive)])
def test_a_flow_of_every_kind_of_dataset_is_stored(atlas: RunningAtlas, types: str) -> None:
    account = Account(purview__process__types=types)
    sent = [message.value for each in DATASETS.values() for message in account.made(flow_of(each, TOTALS))]
    mark = atlas.logs.mark()
    atlas.send(sent)
    atlas.assert_no_complaints(mark)
    process = {"built-in": "azure_synapse_operation", "own": "sac_kafka_process"}[types]
    reported = {
        f"{process}:{each['attributes']['qualifiedName']} -> {ASSET}"
        for message in sent
        for each in entities_of(message)
        if each["typeName"] == process
    }
    assert reported <= set(atlas.rest.lineage(*ASSET.split(":", 1), direction="INPUT", depth=1))


def test_the_server_drops_messages_that_the_judge_refuses(atlas: RunningAtlas) -> None:
    message = copy.deepcopy(databricks_flow())
    process = entities_of(json.dumps(message))[-1] | {"typeName": "sac_kafka_databricks_process"}
    del process["relationshipAttributes"]
    process["attributes"]["qualifiedName"] = "without a task"
    message["message"]["entities"]["entities"][-1] = process
    assert any("task: the entity must reference its owner" in each for each in problems(json.dumps(message)))
    mark = atlas.logs.mark()
    atlas.send([message])
    assert len(atlas.logs.dropped(mark)) == 1
    assert atlas.logs.complaints(mark) != []  # else no other test would hear of what the server complains of
    assert atlas.rest.entity("sac_kafka_databricks_process", "without a task") is None
