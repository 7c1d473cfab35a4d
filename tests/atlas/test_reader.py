"""Messages are read as what they say, in either form."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate
from sac_kafka.atlas.wire.reader import read
from sac_kafka.config.choices import MessageForm
from sac_kafka.errors import MessageError
from sac_kafka.lineage.model import TableDefined, TableDropped, TableRenamed
from tests.atlas.flows import NOW, ORDERS, ORDINARY, say, table


def _plain(notification):
    """What both forms can say."""
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
def test_both_forms_say_the_same(change):
    forms = [[read(m.value) for m in say(change, message_form=form)] for form in (MessageForm.V2, MessageForm.V1)]
    v2, v1 = ([_plain(each.notification) for each in said] for said in forms)
    assert [sorted(map(repr, each)) for each in v1] == [sorted(map(repr, each)) for each in v2]


def test_delete_of_the_older_form_is_one_entity_each():
    v2, *_ = [read(m.value) for m in say(TableDropped(table=ORDERS))]
    v1 = [read(m.value) for m in say(TableDropped(table=ORDERS), message_form=MessageForm.V1)]
    assert tuple(each for said in v1 for each in said.notification.ids) == v2.notification.ids
    assert isinstance(v2.notification, EntityDelete)


def test_user_and_time_are_the_envelopes():
    said = read(say(ORDINARY)[0].value)
    assert (said.type, said.user, said.created_ms) == ("ENTITY_CREATE_V2", "alice", NOW)


def test_message_without_envelope_is_read():
    body = json.loads(say(ORDINARY)[0].value)["message"]
    assert read(json.dumps(body)).notification == read(say(ORDINARY)[0].value).notification


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no json", "not JSON"),
        ("[]", "no JSON object"),
        ('{"message":{"type":"TYPE_CREATE"}}', "message.type = 'TYPE_CREATE': must be one of"),
        ('{"message":7}', "message.type = 'None'"),
        ('{"message":{"type":"ENTITY_DELETE_V2"}}', "ENTITY_DELETE_V2 without what it must have: KeyError 'entities'"),
        ('{"msgSplitCount":2,"message":"abc"}', "join and unpack"),
        ('{"msgCompressionKind":"GZIP","message":"abc"}', "join and unpack"),
        (
            '{"message":{"type":"ENTITY_DELETE","typeName":"t","attribute":"name","attributeValue":"x"}}',
            "only qualifiedName",
        ),
    ],
)
def test_what_is_no_message_is_refused_with_the_place(text, said):
    with pytest.raises(MessageError, match=said.replace("(", r"\(")):
        read(text)
