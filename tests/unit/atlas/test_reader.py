"""Reader of V1 and V2 messages."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate
from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError
from sac_kafka.model import TableDefined, TableDropped, TableRenamed
from sac_kafka.settings.declarations.choices import MessageForm
from tests.unit.atlas.flows import NOW, ORDERS, ORDINARY, messages_for, table


def _plain(notification):
    """Return the content that both forms can express."""
    if isinstance(notification, EntityCreate):
        return [(each.id, dict(each.attributes), dict(each.references)) for each in notification.entities]
    if isinstance(notification, EntityPartialUpdate):
        return (notification.id, dict(notification.attributes))
    return notification.ids


@pytest.mark.parametrize(
    "change",
    [ORDINARY, TableDefined(table=ORDERS), TableRenamed(old=table("old"), new=dataclasses.replace(ORDERS, name="new"))],
    ids=["process", "definition", "rename"],
)
def test_both_forms_have_the_same_content(change):
    forms = [
        [read(m.value) for m in messages_for(change, message_form=form)] for form in (MessageForm.V2, MessageForm.V1)
    ]
    v2, v1 = ([_plain(each.notification) for each in messages] for messages in forms)
    assert [sorted(map(repr, each)) for each in v1] == [sorted(map(repr, each)) for each in v2]


def test_delete_of_the_older_form_is_one_entity_each():
    v2, *_ = [read(m.value) for m in messages_for(TableDropped(table=ORDERS))]
    v1 = [read(m.value) for m in messages_for(TableDropped(table=ORDERS), message_form=MessageForm.V1)]
    assert tuple(each for message in v1 for each in message.notification.ids) == v2.notification.ids
    assert isinstance(v2.notification, EntityDelete)


def test_user_and_time_are_the_envelopes():
    message = read(messages_for(ORDINARY)[0].value)
    assert (message.type, message.user, message.created_ms) == ("ENTITY_CREATE_V2", "alice", NOW)


def test_message_without_envelope_is_read():
    body = json.loads(messages_for(ORDINARY)[0].value)["message"]
    assert read(json.dumps(body)).notification == read(messages_for(ORDINARY)[0].value).notification


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("no json", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"message":{"type":"TYPE_CREATE"}}', "message.type = 'TYPE_CREATE': must be one of"),
        ('{"message":7}', "message.type is missing"),
        ('{"message":{"type":"ENTITY_DELETE_V2"}}', "of type ENTITY_DELETE_V2: KeyError 'entities'"),
        ('{"msgSplitCount":2,"message":"abc"}', "join and decompress"),
        ('{"msgCompressionKind":"GZIP","message":"abc"}', "join and decompress"),
        (
            '{"message":{"type":"ENTITY_DELETE","typeName":"t","attribute":"name","attributeValue":"x"}}',
            "must be qualifiedName",
        ),
    ],
)
def test_reports_the_place_of_the_error_in_an_invalid_message(text, error):
    with pytest.raises(MessageError, match=error.replace("(", r"\(")):
        read(text)


SERVER = "7c8ebc2e-4e0b-4b3f-9b0e-3c1f4c2b5a10"
"""A guid assigned by a server."""


def _of_others(kind: str, **body: object) -> str:
    return json.dumps({"message": {"type": kind, "user": "hive", **body}})


@pytest.mark.parametrize(
    ("target", "given", "id_"),
    [
        ({"guid": SERVER}, {"typeName": "hive_table"}, ("hive_table", f"guid:{SERVER}")),
        ({"guid": SERVER, "typeName": "hive_db"}, {}, ("hive_db", f"guid:{SERVER}")),
        ({"guid": SERVER, "uniqueAttributes": None}, {}, ("unknown type", f"guid:{SERVER}")),
        ({"guid": SERVER, "typeName": "t", "uniqueAttributes": {"qualifiedName": "a@b"}}, {}, ("t", "a@b")),
    ],
)
def test_an_update_by_the_guid_of_a_server(target, given, id_):
    text = _of_others("ENTITY_PARTIAL_UPDATE_V2", entityId=target, entity={"entity": {**given, "attributes": {"x": 1}}})
    assert read(text).notification == EntityPartialUpdate(id=AtlasObjectId(*id_), attributes={"x": 1})


@pytest.mark.parametrize("is_old", [False, True])
def test_references_and_entities_by_the_guid_of_a_server(is_old):
    name = {"qualifiedName": "q@c"}
    if is_old:
        one = {"jsonClass": "x$_Id", "id": SERVER, "typeName": "hive_table"}
        process = {"typeName": "hive_process", "id": {"id": "-1"}, "values": {**name, "inputs": [one]}}
        bare = {"typeName": "hive_db", "id": {"id": SERVER[::-1]}, "values": {"comment": "x"}}
        text = _of_others("ENTITY_CREATE", entities=[process, bare])
    else:
        one = {"guid": SERVER, "typeName": "hive_table"}
        process = {"typeName": "hive_process", "attributes": name, "relationshipAttributes": {"inputs": [one]}}
        bare = {"typeName": "hive_db", "guid": SERVER[::-1], "attributes": {"comment": "x"}}
        text = _of_others("ENTITY_CREATE_V2", entities={"entities": [process, bare]})
    first, second = read(text).notification.entities
    assert first.references == {"inputs": (AtlasObjectId("hive_table", f"guid:{SERVER}"),)}
    assert second.id == AtlasObjectId("hive_db", f"guid:{SERVER[::-1]}")


def test_an_entity_without_a_qualified_name_costs_itself_alone():
    named = {"typeName": "hdfs_path", "guid": "-1", "attributes": {"qualifiedName": "/in@c"}}
    other = {"typeName": "my_type", "guid": "-2", "attributes": {"code": "x"}}
    text = _of_others("ENTITY_CREATE_V2", entities={"entities": [other, named]})
    assert AtlasObjectId("hdfs_path", "/in@c") in {each.id for each in read(text).notification.entities}


def test_a_guid_of_the_message_that_leads_nowhere_is_an_error():
    text = _of_others("ENTITY_PARTIAL_UPDATE_V2", entityId={"guid": "-1"}, entity={"entity": {}})
    with pytest.raises(MessageError, match="invalid message of type"):
        read(text)
