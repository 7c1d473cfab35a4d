"""Messages of the Hive and Impala hooks, by Atlas' documented models."""

from __future__ import annotations

import json
from typing import Any


def _related(type_name: str, name: str, guid: str = "") -> dict[str, Any]:
    return {"typeName": type_name, "uniqueAttributes": {"qualifiedName": name}, **({"guid": guid} if guid else {})}


def query(hook: str = "hive", *, as_attributes: bool = False) -> str:
    """Return the message of CREATE TABLE default.totals AS SELECT … of default.orders."""
    tables = [
        {"typeName": "hive_table", "guid": f"-{number}", "attributes": {"qualifiedName": name, "name": name}}
        for number, name in enumerate(("default.orders@cm", "default.totals@cm"), 1)
    ]
    sides = {
        "inputs": [_related("hive_table", "default.orders@cm", "-1")],
        "outputs": [_related("hive_table", "default.totals@cm", "-2")],
    }
    process = {
        "typeName": f"{hook}_process",
        "guid": "-3",
        "attributes": {
            "qualifiedName": "default.totals@cm:1",
            "name": "create table totals",
            "userName": "hue",
            **(sides if as_attributes else {}),
        },
        "relationshipAttributes": {} if as_attributes else sides,
    }
    column = {
        "typeName": f"{hook}_column_lineage",
        "guid": "-4",
        "attributes": {
            "qualifiedName": "default.totals@cm:1:n",
            "name": "n",
            "depenendencyType": "EXPRESSION",
            "expression": "count(1)",
        },
        "relationshipAttributes": {
            "query": _related(f"{hook}_process", "default.totals@cm:1", "-3"),
            "inputs": [_related("hive_column", "default.orders.id@cm")],
            "outputs": [_related("hive_column", "default.totals.n@cm")],
        },
    }
    body = {"type": "ENTITY_CREATE_V2", "user": "hive", "entities": {"entities": [*tables, process, column]}}
    return json.dumps({"version": {"version": "1.0.0"}, "msgCreationTime": 1795165902386, "message": body})


def topic() -> str:
    """Return a topic as Atlas' Kafka bridge describes it."""
    entity = {
        "typeName": "kafka_topic",
        "guid": "-1",
        "attributes": {"qualifiedName": "t@cm", "name": "t", "topic": "t"},
    }
    body = {"type": "ENTITY_CREATE_V2", "user": "kafka", "entities": {"entities": [entity]}}
    return json.dumps({"version": {"version": "1.0.0"}, "message": body})
