"""`tests/helpers/schemas.py` rejects messages that a server would drop, misread or silently ignore: one defect per row.

Some rows are rejected by `schemas/` only: defects that a server ignores or corrects.
"""

from __future__ import annotations

import copy
import json

import pytest

from sac_kafka.settings.declarations.choices import MessageForm
from tests.helpers.every_row import every_row
from tests.helpers.judge.judging import assert_good
from tests.helpers.schemas import assert_fits_schemas, fits_schemas, validate_message
from tests.unit.atlas.flows import ORDINARY, entities, messages_for

(GOOD,) = messages_for(ORDINARY)


def _find(message, type_name):
    return next(e for e in message["message"]["entities"]["entities"] if e["typeName"] == type_name)


def _reference(message, type_name, relationship):
    end = _find(message, type_name)["relationshipAttributes"][relationship]
    return end[0] if isinstance(end, list) else end


def _set(*keys, to):
    def change(message):
        *path, last = keys
        for key in path:
            message = message[key]
        message[last] = to

    return change


def _attribute(type_name, key, value):
    return lambda m: _find(m, type_name)["attributes"].__setitem__(key, value)


def _without(type_name, part, key):
    return lambda m: _find(m, type_name)[part].pop(key)


def _of_reference(type_name, relationship, key, value):
    return lambda m: _reference(m, type_name, relationship).__setitem__(key, value)


def _custom(key, value):
    return lambda m: _find(m, "spark_process")["customAttributes"].__setitem__(key, value)


def _twice(message):
    listed = message["message"]["entities"]["entities"]
    listed.append({**copy.deepcopy(_find(message, "hdfs_path")), "guid": "-99"})


def _same_guid(message):
    _find(message, "spark_db")["guid"] = _find(message, "hdfs_path")["guid"]


def _reversed(message):
    message["message"]["entities"]["entities"].reverse()


def _gone(type_name):
    def change(message):
        message["message"]["entities"]["entities"].remove(_find(message, type_name))

    return change


def _not_in_a_list(message):
    links = _find(message, "spark_process")["relationshipAttributes"]
    links["inputs"] = links["inputs"][0]


def _in_a_list(message):
    links = _find(message, "avro_field")["relationshipAttributes"]
    links["record"] = [links["record"]]


def _unresolved(message):
    del _reference(message, "spark_column", "table")["guid"]


def _children(message):
    owner, child = _find(message, "spark_table"), _find(message, "spark_column")
    owner["relationshipAttributes"]["columns"] = [
        {
            "guid": child["guid"],
            "typeName": "spark_column",
            "uniqueAttributes": {"qualifiedName": child["attributes"]["qualifiedName"]},
            "relationshipType": "spark_table_columns",
        }
    ]


def _bucket():
    name = {"qualifiedName": "gs://b@prod", "name": "b"}
    return {"typeName": "gcp_storage_bucket", "guid": "-77", "attributes": name}


WRONG = {
    "R1 no version": lambda m: m.pop("version"),
    "R1 higher version": _set("version", "version", to="1.0.1"),
    "R2 source is an object": _set("source", to={"source": "spark", "version": "1"}),
    "R3 unknown notification": _set("message", "type", to="ENTITY_CREATE_V3"),
    "R3 types": _set("message", "type", to="TYPE_CREATE"),
    "R4 unknown type": lambda m: _find(m, "spark_table").__setitem__("typeName", "iceberg_table"),
    "R4 no type": lambda m: _find(m, "spark_table").pop("typeName"),
    "R5 no name": _without("hdfs_path", "attributes", "name"),
    "R5 no path": _without("hdfs_path", "attributes", "path"),
    "R5 no compressed": _without("spark_storagedesc", "attributes", "compressed"),
    "R5 no column type": _without("spark_column", "attributes", "type"),
    "R5 no qualifiedName": _without("spark_db", "attributes", "qualifiedName"),
    "R6 no table": _without("spark_column", "relationshipAttributes", "table"),
    "R6 no record": _without("avro_field", "relationshipAttributes", "record"),
    "R7 date as text": _attribute("spark_table", "createTime", "2023-11-14"),
    "R7 long as text": _attribute("spark_process", "executionId", "7"),
    "R7 map in a string": _attribute("spark_table", "comment", {"a": 1}),
    "R7 boolean as text": _attribute("spark_column", "nullable", "true"),
    "R8 one object for a set": _not_in_a_list,
    "R8 list for one object": _in_a_list,
    "R9 database as input": _of_reference("spark_process", "inputs", "typeName", "spark_db"),
    "R10 guid of nothing": _of_reference("spark_column", "table", "guid", "-77"),
    "R10 guid of another": _of_reference("spark_column", "table", "guid", "-1"),
    "R10 missing target": _gone("spark_application"),
    "R10 embedded target is not referenced": _unresolved,
    "R11 assigned guid": lambda m: _find(m, "spark_db").__setitem__("guid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    "R12 supertype": _of_reference("spark_process", "inputs", "typeName", "DataSet"),
    "R12 no unique attribute": lambda m: _reference(m, "spark_process", "inputs").pop("uniqueAttributes"),
    "R12 wrong relationship": _of_reference("spark_column", "table", "relationshipType", "hive_table_columns"),
    "R13 owner lists children": _children,
    "R16 column lineage without inputs": _without("spark_column_lineage", "relationshipAttributes", "inputs"),
    "R16 empty inputs": lambda m: _find(m, "spark_process")["relationshipAttributes"].__setitem__("inputs", []),
    "R21 key with a dot": _custom("run.id", "1"),
    "R21 long key": _custom("k" * 51, "1"),
    "R21 long value": _custom("run", "x" * 501),
    "R21 long value as Java counts": _custom("run", "😀" * 251),
    "R22 long name": _attribute("spark_process", "name", "x" * 32_767),
    "R22 long name as Java counts": _attribute("spark_process", "name", "😀" * 16_384),
    "R23 no namespace": _without("avro_schema", "attributes", "namespace"),
    "R27 twice": _twice,
    "R27 one guid for two": _same_guid,
    "R28 null": _attribute("spark_table", "provider", None),
    "R28 unknown attribute": _attribute("spark_table", "colour", "red"),
    "R28 unknown key of an entity": lambda m: _find(m, "spark_table").__setitem__("custom", {}),
    "R28 unknown key of the envelope": _set("msgKind", to="NONE"),
    "what only a custom attribute says": _custom("colour", "red"),
    "what only a label says": lambda m: _find(m, "spark_process").__setitem__("labels", ["nightly"]),
    "details that are no JSON": _attribute("spark_process", "details", "succeeded"),
    "the run of an application as a custom attribute only": _without("spark_application", "attributes", "description"),
    "an unneeded type that servers may lack": lambda m: m["message"]["entities"]["entities"].insert(0, _bucket()),
    "users before definitions": _reversed,
    "nothing to say": _set("message", "entities", "entities", to=[]),
    "split": _set("msgSplitCount", to=2),
}


ONLY_SCHEMAS = {
    *(
        "R2 source is an object",
        "R6 no record",
        "R7 long as text",
        "R7 boolean as text",
        "R28 unknown key of an entity",
    ),
    *(
        "R28 unknown key of the envelope",
        "update of nothing",
        "update resets what is mandatory",
        "V1 without its owner",
        "V1 without jsonClass",  # servers want that of nested objects alone
    ),
}


NOT_SCHEMAS = {
    *("R9 database as input", "R10 guid of nothing", "R10 guid of another", "R10 missing target"),
    *("R10 embedded target is not referenced", "R12 supertype", "R21 long value as Java counts"),
    *("R22 long name as Java counts", "R27 twice", "R27 one guid for two", "what only a custom attribute says"),
    *("what only a label says", "details that are no JSON", "the run of an application as a custom attribute only"),
    *("an unneeded type that servers may lack", "users before definitions"),
    *("update of a supertype", "update with a long name", "V1 reference to nothing", "V1 update of another type"),
}
"""Defects in relations between parts of a message, or outside its form."""


def _check_refused(name, text):
    assert fits_schemas(text) is (name in NOT_SCHEMAS), "schemas/"
    is_good = True
    try:
        validate_message(text)
        assert_good([text])
    except AssertionError:
        is_good = False
    assert is_good is (name in ONLY_SCHEMAS)


def test_good_message_is_good():
    validate_message(GOOD.value)
    validate_message(GOOD.value.encode())
    assert_fits_schemas(GOOD.value)


@every_row("rule", WRONG)
def test_wrong_message_is_refused(rule):
    message = json.loads(GOOD.value)
    WRONG[rule](message)
    _check_refused(rule, json.dumps(message))


def test_r26_character_that_is_not_ascii_is_refused():
    with pytest.raises(AssertionError, match="R26"):
        validate_message(GOOD.value.replace("daily", "täglich"))


def test_duplicate_key_is_rejected():
    with pytest.raises(AssertionError, match="twice"):
        validate_message(GOOD.value.replace('"spooled"', '"source":"sac_kafka","spooled"', 1))


def test_refusal_names_the_place():
    message = json.loads(GOOD.value)
    _attribute("spark_table", "colour", "red")(message)
    position = [e["typeName"] for e in entities([GOOD])].index("spark_table")
    with pytest.raises(AssertionError, match=rf"entities\[{position}\].attributes.*colour"):
        assert_fits_schemas(json.dumps(message))
    with pytest.raises(AssertionError, match=r"spark_table sales.orders@prod colour"):
        validate_message(json.dumps(message))


# ---- the other notifications, and the older form


def _table_of_v1(message):
    return next(e for e in message["message"]["entities"] if e["typeName"] == "spark_table")


def _v1(change):
    return V1.value, lambda m: change(_table_of_v1(m))


(V1,) = messages_for(ORDINARY, message_form=MessageForm.V1)
PARTIAL = json.dumps(
    {
        **json.loads(GOOD.value),
        "message": {
            "type": "ENTITY_PARTIAL_UPDATE_V2",
            "user": "alice",
            "entityId": {"typeName": "spark_table", "uniqueAttributes": {"qualifiedName": "sales.orders@prod"}},
            "entity": {
                "entity": {"typeName": "spark_table", "guid": "-1", "attributes": {"comment": None, "owner": "bob"}},
                "referredEntities": {},
            },
        },
    }
)
DELETE = json.dumps(
    {
        **json.loads(GOOD.value),
        "message": {
            "type": "ENTITY_DELETE_V2",
            "user": "alice",
            "entities": [{"typeName": "spark_table", "uniqueAttributes": {"qualifiedName": "sales.orders@prod"}}],
        },
    }
)
V1_PARTIAL = json.dumps(
    {
        **json.loads(GOOD.value),
        "message": {
            "type": "ENTITY_PARTIAL_UPDATE",
            "user": "alice",
            "typeName": "spark_table",
            "attribute": "qualifiedName",
            "attributeValue": "sales.orders@prod",
            "entity": {**_table_of_v1(json.loads(V1.value)), "values": {"comment": None}},
        },
    }
)
V1_DELETE = json.dumps(
    {
        **json.loads(GOOD.value),
        "message": {
            "type": "ENTITY_DELETE",
            "user": "alice",
            "typeName": "spark_table",
            "attribute": "qualifiedName",
            "attributeValue": "sales.orders@prod",
        },
    }
)


def _updated(message):
    return message["message"]["entity"]["entity"]


OTHERS_WRONG = {
    "update of nothing": (PARTIAL, lambda m: _updated(m).__setitem__("attributes", {})),
    "update of another type": (PARTIAL, lambda m: _updated(m).__setitem__("typeName", "spark_db")),
    "update of a supertype": (PARTIAL, _set("message", "entityId", "typeName", to="DataSet")),
    "update by guid": (PARTIAL, _set("message", "entityId", to={"guid": "-1"})),
    "update resets what is mandatory": (PARTIAL, lambda m: _updated(m)["attributes"].__setitem__("name", None)),
    "update of an unknown attribute": (PARTIAL, lambda m: _updated(m)["attributes"].__setitem__("colour", "red")),
    "update with a list of children": (
        PARTIAL,
        lambda m: _updated(m).__setitem__("relationshipAttributes", {"columns": []}),
    ),
    "update with a long name": (PARTIAL, lambda m: _updated(m)["attributes"].__setitem__("owner", "😀" * 16_384)),
    "delete by guid": (DELETE, _set("message", "entities", to=[{"guid": "-1"}])),
    "delete of nothing": (DELETE, _set("message", "entities", to=[])),
    "delete of an unknown type": (DELETE, lambda m: m["message"]["entities"][0].__setitem__("typeName", "iceberg")),
    "V1 without jsonClass": _v1(lambda table: table.pop("jsonClass")),
    "V1 reference without jsonClass": _v1(lambda table: table["values"]["db"].pop("jsonClass")),
    "V1 reference to nothing": _v1(lambda table: table["values"]["db"].__setitem__("id", "-77")),
    "V1 reference to another type": _v1(lambda table: table["values"]["db"].__setitem__("typeName", "hive_db")),
    "V1 without its owner": _v1(lambda table: table["values"].pop("db")),
    "V1 without a name": _v1(lambda table: table["values"].pop("name")),
    "V1 with a list of children": _v1(lambda table: table["values"].__setitem__("columns", [])),
    "V1 with a date as text": _v1(lambda table: table["values"].__setitem__("createTime", "2023-11-14")),
    "V1 of an unknown type": _v1(lambda table: table.__setitem__("typeName", "iceberg_table")),
    "V1 update of an unknown attribute": (
        V1_PARTIAL,
        lambda m: m["message"]["entity"]["values"].__setitem__("colour", "red"),
    ),
    "V1 update of another type": (V1_PARTIAL, _set("message", "typeName", to="spark_db")),
    "V1 delete by another attribute": (V1_DELETE, _set("message", "attribute", to="name")),
}


@pytest.mark.parametrize("text", [V1.value, PARTIAL, DELETE, V1_PARTIAL, V1_DELETE])
def test_other_valid_message_is_accepted(text):
    assert_fits_schemas(text)
    validate_message(text)
    assert_good([text])


@every_row("name", OTHERS_WRONG)
def test_other_invalid_message_is_rejected(name):
    text, change = OTHERS_WRONG[name]
    message = json.loads(text)
    change(message)
    assert message != json.loads(text)
    _check_refused(name, json.dumps(message))
