"""V1 messages: the same content as Referenceables, complete in every message."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import (
    ColumnLineage,
    ColumnSource,
    Dependency,
    RdbmsDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.settings.classifications import Classification
from sac_kafka.settings.declarations.choices import MessageForm
from tests.unit.atlas.flows import DAY, NOW, ORDERS, ORDINARY, columns, copy, messages_for, path, process, table

V1 = {"message_form": MessageForm.V1}


def _bodies(sent) -> list[dict[str, Any]]:
    return [json.loads(message.value)["message"] for message in sent]


def _ids(value: Any) -> set[str]:
    """Return the guids that values refer to."""
    if isinstance(value, dict):
        if value.get("jsonClass", "").endswith("$_Id"):
            return {value["id"]}
        return set().union(*map(_ids, value.values()))
    return set().union(*map(_ids, value)) if isinstance(value, list) else set()


def test_ordinary_process_is_one_entity_create():
    (message,) = messages_for(ORDINARY, **V1)
    (body,) = _bodies([message])
    assert body["type"] == message.type == "ENTITY_CREATE"
    process = next(entity for entity in body["entities"] if entity["typeName"] == "spark_process")
    assert process["values"]["queryText"].startswith("insert overwrite directory")
    assert len(process["values"]["inputs"]) == len(process["values"]["outputs"]) == 1


def test_r25_nested_objects_carry_their_json_class():
    (body,) = _bodies(messages_for(ORDINARY, **V1))
    for entity in body["entities"]:
        assert entity["jsonClass"].endswith("$_Reference")
        assert entity["id"]["jsonClass"].endswith("$_Id")
    assert _ids([entity["values"] for entity in body["entities"]])


@pytest.mark.slow
@pytest.mark.parametrize("width", [3, 100])
def test_every_reference_is_in_its_message(width):
    names = [f"c{n}" for n in range(width)]
    remembered = Remembered(max_age_ms=DAY)
    wide = copy(table("wide", *names), path("hdfs://nn1/wide", *names))
    for _ in range(2):
        sent = messages_for(wide, remembered, message_max_bytes=30_000, **V1)
        for message in sent:
            remembered.confirm(message.tokens, NOW)
            assert len(message.value) <= 30_000
            body = json.loads(message.value)["message"]
            there = {entity["id"]["id"] for entity in body["entities"]}
            assert _ids([entity["values"] for entity in body["entities"]]) <= there
    lineage = {e["values"]["qualifiedName"] for b in _bodies(sent) for e in b["entities"] if "lineage" in e["typeName"]}
    assert len(lineage) == width


@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param(ORDERS, path("hdfs://nn1/out", "id", "total"), id="table"),
        pytest.param(path("hdfs://nn1/in"), path("hdfs://nn1/out"), id="paths whose schema is unknown"),
        pytest.param(
            RdbmsDataset(
                rdbms_type="derby", host="", port=None, database="shop", table="orders", columns=columns("id")
            ),
            path("hdfs://nn1/out", "total"),
            id="query that a database runs",
        ),
    ],
)
def test_a_column_that_its_dataset_does_not_list_is_in_the_message(source, target):
    lineage = ColumnLineage(
        dataset=target.key, column="total", sources=(ColumnSource(source.key, "price", Dependency.TRANSFORMATION),)
    )
    (body,) = _bodies(messages_for(process([source], [target], [lineage]), **V1))
    there = {entity["id"]["id"]: entity for entity in body["entities"]}
    assert _ids([entity["values"] for entity in body["entities"]]) <= set(there)
    (of_column,) = (e["values"] for e in body["entities"] if "column_lineage" in e["typeName"])
    (price,), (total,) = ([there[end["id"]]["values"] for end in of_column[side]] for side in ("inputs", "outputs"))
    assert (price["name"], total["name"]) == ("price", "total")
    assert {"table", "record"} & price.keys()


def test_known_definition_is_a_full_update_and_a_changed_table_a_partial_one():
    remembered = Remembered(max_age_ms=DAY)
    for message in messages_for(TableDefined(table=ORDERS), remembered, **V1):
        remembered.confirm(message.tokens, NOW)
    (partial,) = _bodies(messages_for(TableDefined(table=dataclasses.replace(ORDERS, comment=None)), remembered, **V1))
    assert partial["type"] == "ENTITY_PARTIAL_UPDATE"
    assert (partial["typeName"], partial["attribute"]) == ("spark_table", "qualifiedName")
    assert partial["attributeValue"] == "sales.orders@prod"
    assert partial["entity"]["values"]["comment"] is None
    wider = dataclasses.replace(ORDERS, columns=(*ORDERS.columns, *table("t", "note").columns))
    assert [b["type"] for b in _bodies(messages_for(TableDefined(table=wider), remembered, **V1))] == [
        "ENTITY_FULL_UPDATE"
    ]


def test_rename_is_partial_updates_by_the_old_name():
    bodies = _bodies(
        messages_for(TableRenamed(old=table("orders"), new=dataclasses.replace(ORDERS, name="sold")), **V1)
    )
    assert {body["type"] for body in bodies[1:]} == {"ENTITY_PARTIAL_UPDATE"}
    assert bodies[1]["attributeValue"] == "sales.orders@prod"
    assert bodies[1]["entity"]["values"]["qualifiedName"] == "sales.sold@prod"


def test_delete_is_one_message_an_entity():
    bodies = _bodies(messages_for(TableDropped(table=ORDERS), **V1))
    assert [(b["type"], b["attributeValue"]) for b in bodies] == [
        ("ENTITY_DELETE", "sales.orders@prod_storage"),
        ("ENTITY_DELETE", "sales.orders@prod"),
    ]


@pytest.mark.bad_messages("the classification is the user's: the judge does not know it (R20)")
def test_classifications_are_traits():
    (body,) = _bodies(messages_for(ORDINARY, classifications=(Classification("PII"),), **V1))
    process = next(entity for entity in body["entities"] if entity["typeName"] == "spark_process")
    assert process["traitNames"] == ["PII"]
    assert process["traits"]["PII"]["jsonClass"].endswith("$_Struct")
