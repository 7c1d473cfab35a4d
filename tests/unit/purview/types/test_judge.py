"""The judge of Purview's messages: the defects that it must find, and valid messages, which Atlas' own classes accept, too."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.every_row import every_row
from tests.helpers.judge.judging import judge as atlas
from tests.unit.purview.judge import entities_of, problems
from tests.unit.purview.samples import MAPPING, SINK, SOURCE, databricks_flow, flow, record


@pytest.mark.parametrize("good", [flow(), databricks_flow()], ids=["flow", "databricks"])
def test_a_right_message_has_no_problems_and_atlas_own_classes_agree(good: dict[str, Any]) -> None:
    text = json.dumps(good)
    assert problems(text) == []
    (verdict,) = atlas().verdicts([text])
    assert (verdict.result, verdict.problems) == ("OK", ()), verdict


def entities(of: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = of["message"]["entities"]["entities"]
    return found


def mapping(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[dict[str, Any]], None]:
    def edit(of: dict[str, Any]) -> None:
        changed = copy.deepcopy(MAPPING)
        change(changed)
        entities(of)[2]["attributes"]["columnMapping"] = json.dumps(changed)

    return edit


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "type": (lambda of: entities(of)[1].update(typeName="azure_sql_tabel"), "unknown type"),
    "attribute": (
        lambda of: entities(of)[1]["attributes"].update(colour="red"),
        "unknown attribute of azure_sql_table",
    ),
    "relationship": (
        lambda of: entities(of)[1].update(relationshipAttributes={"owners": []}),
        "unknown relationship of azure_sql_table",
    ),
    "mandatory": (
        lambda of: entities(of)[1]["attributes"].pop("name"),
        "name: mandatory attribute of azure_sql_table is missing",
    ),
    "null": (lambda of: entities(of)[1]["attributes"].update(owner=None), "owner is null"),
    "value": (lambda of: entities(of)[2]["attributes"].update(rowsWritten="7"), "rowsWritten must be long, not a text"),
    "dangling guid": (
        lambda of: entities(of)[2]["attributes"].update(outputs=[{"guid": "-9", "typeName": "azure_sql_table"}]),
        "which is in no message",
    ),
    "dangling name": (
        lambda of: entities(of)[2]["attributes"].update(
            inputs=[{"typeName": "azure_sql_table", "uniqueAttributes": {"qualifiedName": "mssql://x/y/z/t"}}]
        ),
        "which is in no message",
    ),
    "wrong type of reference": (
        lambda of: entities(of)[2]["attributes"].update(outputs=[{"guid": "-2", "typeName": "mssql_table"}]),
        "the type of the entity with guid -2 is azure_sql_table",
    ),
    "no DataSet": (
        lambda of: [
            each.update(typeName="azure_sql_server")
            for each in (entities(of)[1], *entities(of)[2]["attributes"]["outputs"])
        ],
        "must reference a DataSet",
    ),
    "one for many": (
        lambda of: entities(of)[2]["attributes"].update(outputs={"guid": "-2", "typeName": "azure_sql_table"}),
        "must be a list",
    ),
    "guid twice": (lambda of: entities(of)[1].update(guid="-1"), "has the same guid"),
    "guid": (lambda of: entities(of)[1].update(guid="2"), "is not the text of a negative number"),
    "32 KB": (
        lambda of: entities(of)[2]["attributes"].update(plan="x" * 32765),
        "plan has 32769 bytes with its name: more than 32768 are not kept",
    ),
    "1 MB": (lambda of: of.update(msgSourceIP="1" * 1_000_000), "fewer than 1000000 arrive"),
    "compressed": (lambda of: of.update(msgCompressionKind="GZIP"), "compressed"),
    "split": (lambda of: of.update(msgSplitCount=2), "split"),
    "V1": (lambda of: of["message"].update(type="ENTITY_CREATE"), "only V2 ones are"),
    "version": (lambda of: of.update(version={"version": "2.0.0"}), "the server loses a message without a version"),
    "empty": (lambda of: entities(of).clear(), "no entities"),
    "mapping of no input": (
        mapping(lambda pairs: pairs[0]["DatasetMapping"].update(Source=SOURCE + "x")),
        "is no input",
    ),
    "mapping of no output": (mapping(lambda pairs: pairs[0]["DatasetMapping"].update(Sink="x")), "is no output"),
    "mapping without columns": (mapping(lambda pairs: pairs[0].update(ColumnMapping=[])), "is empty"),
    "mapping in small letters": (
        mapping(lambda pairs: pairs[0].update(columnMapping=pairs[0].pop("ColumnMapping"))),
        "not of DatasetMapping and ColumnMapping",
    ),
    "pair twice": (
        mapping(lambda pairs: pairs[0]["ColumnMapping"].append(pairs[0]["ColumnMapping"][0])),
        "stands twice",
    ),
    "datasets twice": (mapping(lambda pairs: pairs.append(pairs[0])), "two DatasetMappings"),
    "no JSON": (lambda of: entities(of)[2]["attributes"].update(columnMapping="[{"), "columnMapping is no JSON"),
}


@every_row("name", WRONG)
def test_each_defect_is_found(name: str) -> None:
    change, problem = WRONG[name]
    message = flow()
    change(message)
    assert any(problem in each for each in problems(json.dumps(message))), problems(json.dumps(message))


def test_databricks_process_without_its_task_is_rejected() -> None:
    message = databricks_flow()
    del entities(message)[5]["relationshipAttributes"]
    (problem,) = problems(json.dumps(message))
    assert "task: the entity must reference its owner (R6); send a reference to a databricks_runnable" in problem
    (verdict,) = atlas().verdicts([json.dumps(message)])
    assert verdict.result == "BAD"
    assert "task: mandatory attribute value missing" in verdict.violations[0]


def test_invalid_record_is_found() -> None:
    assert problems("{") == ["the record is no JSON"]
    assert problems("[]") == ["the record is no object: Purview does not understand a list of messages"]
    assert "message is no object" in problems('{"version": {"version": "1.0.0"}}')


def test_reference_to_an_earlier_message_or_scanned_asset_is_valid() -> None:
    message = flow()
    by_name = {"typeName": "azure_sql_table", "uniqueAttributes": {"qualifiedName": SINK}}
    entities(message)[2]["attributes"]["outputs"] = [by_name]
    earlier = record(entities={"entities": [entities(message).pop(1)]})
    text = json.dumps(message)
    assert problems(text)
    assert problems(text, [json.dumps(earlier)]) == []
    assert problems(text, scanned={("azure_sql_table", SINK)}) == []
    assert [each["guid"] for each in entities_of(text)] == ["-1", "-3", "-4"]


def test_partial_updates_and_deletions_are_judged() -> None:
    reference = {"typeName": "azure_sql_table", "uniqueAttributes": {"qualifiedName": SINK}}
    update = record(
        type="ENTITY_PARTIAL_UPDATE_V2",
        entityId=reference,
        entity={"entity": {"typeName": "azure_sql_table", "attributes": {"description": "daily"}}},
    )
    assert problems(json.dumps(update)) == []
    assert problems(json.dumps(record(type="ENTITY_DELETE_V2", entities=[reference]))) == []
    unknown = {**reference, "typeName": "azure_sql_tabel"}
    (problem,) = problems(json.dumps(record(type="ENTITY_DELETE_V2", entities=[unknown])))
    assert "unknown type" in problem
    del update["message"]["entityId"]
    assert any("message.entityId = null" in each for each in problems(json.dumps(update)))
