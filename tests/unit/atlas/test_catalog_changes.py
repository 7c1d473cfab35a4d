"""Messages of catalog changes: tables and databases that are defined, altered, renamed or dropped."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.model import (
    Column,
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.settings.declarations.choices import TableModel
from tests.cases.namings import naming_of
from tests.unit.atlas.flows import (
    CONTEXT,
    DAY,
    NOW,
    ORDERS,
    TOTALS,
    copy,
    entities,
    messages_for,
    name,
    of_type,
    path,
    table,
)

HIVE = naming_of(table_model=TableModel.HIVE)


def _bodies(sent) -> list[dict[str, Any]]:
    return [json.loads(message.value)["message"] for message in sent]


def _types(sent) -> list[str]:
    return [body["type"] for body in _bodies(sent)]


def _sent(remembered, change, **changed):
    sent = messages_for(change, remembered, **changed)
    for message in sent:
        remembered.confirm(message.tokens, changed.get("now_ms", NOW), remembered.epoch)
    return sent


def _deleted(sent) -> list[str]:
    return [name(each) for body in _bodies(sent) if body["type"] == "ENTITY_DELETE_V2" for each in body["entities"]]


def _renames(sent) -> dict[str, str]:
    return {
        name(body["entityId"]): body["entity"]["entity"]["attributes"].get("qualifiedName", "")
        for body in _bodies(sent)
        if body["type"] == "ENTITY_PARTIAL_UPDATE_V2"
    }


@pytest.fixture
def known() -> Remembered:
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered, TableDefined(table=ORDERS))
    return remembered


def test_new_table_is_one_message_with_its_owner_columns_and_storage():
    (message,) = messages_for(TableDefined(table=ORDERS))
    assert message.type == "ENTITY_CREATE_V2"
    assert [entity["typeName"] for entity in entities([message])] == [
        "spark_db",
        "spark_table",
        "spark_storagedesc",
        "spark_column",
        "spark_column",
    ]


def test_removed_comment_is_reset_by_a_partial_update(known):
    (message,) = messages_for(TableDefined(table=dataclasses.replace(ORDERS, comment=None)), known)
    (body,) = _bodies([message])
    assert body["type"] == "ENTITY_PARTIAL_UPDATE_V2"
    assert name(body["entityId"]) == "sales.orders@prod"
    assert body["entity"]["entity"]["attributes"]["comment"] is None
    assert body["entity"]["entity"]["attributes"]["owner"] == "etl"


def test_removed_comment_is_reset_together_with_new_columns(known):
    wider = dataclasses.replace(ORDERS, columns=(*ORDERS.columns, Column(name="note", type="string")), comment=None)
    sent = messages_for(TableDefined(table=wider), known)
    (attributes,) = (each["attributes"] for each in entities(sent) if each["typeName"] == "spark_table")
    assert attributes["comment"] is None


def test_removed_comment_is_reset_when_the_table_is_replaced(known):
    replaced = dataclasses.replace(ORDERS, comment=None)
    sent = messages(
        copy(table("raw", "id", "amount"), ORDERS),
        context=CONTEXT,
        remembered=known,
        now_ms=NOW,
        defined={ORDERS.key: replaced},
    )
    tables = {name(each): each["attributes"] for each in entities(sent) if each["typeName"] == "spark_table"}
    assert tables["sales.orders@prod"]["comment"] is None
    assert "comment" not in tables["sales.raw@prod"]


def test_definition_after_a_process_that_sent_the_columns_is_a_partial_update():
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered, copy(TOTALS, ORDERS))
    (message,) = messages_for(TableDefined(table=ORDERS), remembered)
    assert message.type == "ENTITY_PARTIAL_UPDATE_V2"


def test_added_column_is_sent_with_its_table(known):
    wider = dataclasses.replace(ORDERS, columns=(*ORDERS.columns, Column(name="note", type="string")))
    (message,) = messages_for(TableDefined(table=wider), known)
    assert message.type == "ENTITY_CREATE_V2"
    assert "sales.orders.note@prod" in {name(entity) for entity in of_type([message], "spark_column")}


def test_dropped_column_is_deleted_by_name_once(known):
    narrower = dataclasses.replace(ORDERS, columns=ORDERS.columns[:1])
    sent = _sent(known, TableDefined(table=narrower))
    assert _types(sent) == ["ENTITY_DELETE_V2", "ENTITY_CREATE_V2"]
    assert _deleted(sent) == ["sales.orders.amount@prod"]
    assert _deleted(messages_for(TableDefined(table=narrower), known)) == []


def test_column_of_an_earlier_run_is_deleted_too(known):
    later = Remembered(max_age_ms=DAY, earlier=known.changed_groups)
    sent = messages_for(TableDefined(table=dataclasses.replace(ORDERS, columns=ORDERS.columns[:1])), later)
    assert _deleted(sent) == ["sales.orders.amount@prod"]


def test_overwritten_path_loses_removed_fields():
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered, copy(ORDERS, TOTALS))
    narrower = path("hdfs://nn1/data/totals", "id", is_replaced=True)
    assert _deleted(messages_for(copy(ORDERS, narrower), remembered)) == ["hdfs://nn1/data/totals#total@prod"]
    appended = path("hdfs://nn1/data/totals", "id")
    assert _deleted(messages_for(copy(ORDERS, appended), remembered)) == []


def test_rename_applies_to_columns_and_storage(known):
    sent = messages_for(TableRenamed(old=table("orders"), new=dataclasses.replace(ORDERS, name="sold")), known)
    assert _renames(sent) == {
        "sales.orders@prod": "sales.sold@prod",
        "sales.orders@prod_storage": "sales.sold@prod_storage",
        "sales.orders.id@prod": "sales.sold.id@prod",
        "sales.orders.amount@prod": "sales.sold.amount@prod",
    }
    assert len(sent) == 4


def test_table_is_defined_before_its_rename():
    remembered = Remembered(max_age_ms=DAY)
    change = TableRenamed(old=table("orders"), new=dataclasses.replace(ORDERS, name="sold"))
    sent = _sent(remembered, change)
    assert _types(sent)[0] == "ENTITY_CREATE_V2"
    assert "sales.orders.id@prod" in {name(entity) for entity in entities(sent[:1])}
    assert set(_types(sent)[1:]) == {"ENTITY_PARTIAL_UPDATE_V2"}
    # The old name is free: the next table with this name is a new one.
    assert _types(messages_for(TableDefined(table=ORDERS), remembered)) == ["ENTITY_CREATE_V2"]
    renamed = dataclasses.replace(ORDERS, name="sold", comment="sold ones")
    assert _types(messages_for(TableDefined(table=renamed), remembered)) == ["ENTITY_PARTIAL_UPDATE_V2"]


def test_rename_sends_the_attributes_that_changed_with_it(known):
    id_, amount = ORDERS.columns
    columns = (dataclasses.replace(id_, comment="the key"), amount)
    sent = messages_for(
        TableRenamed(
            old=table("orders"), new=dataclasses.replace(ORDERS, name="sold", comment="all of them", columns=columns)
        ),
        known,
    )
    assert _types(sent) == ["ENTITY_CREATE_V2", *["ENTITY_PARTIAL_UPDATE_V2"] * 4]
    comments = {name(each): each["attributes"].get("comment") for each in entities(sent[:1])}
    assert comments["sales.orders.id@prod"] == "the key"
    updates = {name(body["entityId"]): body["entity"]["entity"]["attributes"] for body in _bodies(sent[1:])}
    assert updates["sales.orders@prod"]["comment"] == "all of them"


def test_a_rename_resets_what_the_table_does_not_have(known):
    sent = messages_for(
        TableRenamed(old=table("orders"), new=dataclasses.replace(ORDERS, name="sold", comment=None)), known
    )
    updates = {name(body["entityId"]): body["entity"]["entity"]["attributes"] for body in _bodies(sent)}
    assert updates["sales.orders@prod"]["comment"] is None


def test_column_is_renamed_by_itself(known):
    renamed = dataclasses.replace(ORDERS, columns=(Column(name="key", type="bigint"), ORDERS.columns[1]))
    sent = messages_for(ColumnRenamed(table=renamed, old="id", new="key"), known)
    assert _renames(sent) == {"sales.orders.id@prod": "sales.orders.key@prod"}


def test_dropped_table_is_deleted_with_its_storage(known):
    sent = _sent(known, TableDropped(table=table("orders")))
    assert _deleted(sent) == ["sales.orders@prod_storage", "sales.orders@prod"]
    assert _types(messages_for(TableDefined(table=ORDERS), known)) == ["ENTITY_CREATE_V2"]


def test_message_created_before_a_drop_does_not_restore_the_table():
    remembered = Remembered(max_age_ms=DAY)
    sent = messages_for(TableDefined(table=ORDERS), remembered)
    made = remembered.epoch
    messages_for(TableDropped(table=table("orders")), remembered)
    for message in sent:
        remembered.confirm(message.tokens, NOW, made)
    assert _types(messages_for(TableDefined(table=ORDERS), remembered)) == ["ENTITY_CREATE_V2"]


def test_database_definition_resets_the_attributes_that_were_removed():
    remembered = Remembered(max_age_ms=DAY)
    sent = _sent(remembered, DatabaseDefined(database=Database(name="sales", location="file:/w", comment="all sales")))
    ((database),) = entities(sent)
    assert database["attributes"] == {
        "qualifiedName": "sales@prod",
        "name": "sales",
        "clusterName": "prod",
        "description": "all sales",
        "location": "file:/w",
    }
    ((body),) = _bodies(messages_for(DatabaseDefined(database=Database(name="sales", location="file:/v")), remembered))
    assert body["type"] == "ENTITY_PARTIAL_UPDATE_V2"
    attributes = body["entity"]["entity"]["attributes"]
    assert (attributes["description"], attributes["location"]) == (None, "file:/v")


def test_dropped_database_does_not_delete_dropped_tables_again(known):
    _sent(known, copy(ORDERS, TOTALS))
    assert "sales.orders@prod" in _deleted(_sent(known, TableDropped(table=ORDERS)))
    assert _deleted(messages_for(DatabaseDropped(database=Database(name="sales")), known)) == ["sales@prod"]


def test_dropped_database_deletes_its_known_tables(known):
    _sent(known, TableDefined(table=dataclasses.replace(ORDERS, database="sales2")))
    sent = messages_for(DatabaseDropped(database=Database(name="sales")), known)
    assert _deleted(sent) == ["sales.orders@prod_storage", "sales.orders@prod", "sales@prod"]


def test_dropped_database_excludes_tables_deleted_before(known):
    _sent(known, copy(ORDERS, table("totals", "id", "amount")))
    _sent(known, TableDropped(table=table("orders")))
    sent = messages_for(DatabaseDropped(database=Database(name="sales")), known)
    assert _deleted(sent) == ["sales.totals@prod", "sales@prod"]


def test_dropped_database_deletes_a_recreated_table(known):
    lineage = copy(ORDERS, table("totals", "id", "amount"))
    _sent(known, lineage)
    _sent(known, TableDropped(table=table("orders")))
    _sent(known, lineage)
    sent = messages_for(DatabaseDropped(database=Database(name="sales")), known)
    assert set(_deleted(sent)) >= {"sales.orders@prod", "sales.totals@prod"}


@pytest.mark.parametrize(
    "change",
    [
        TableDefined(table=ORDERS),
        TableRenamed(old=table("orders"), new=ORDERS),
        TableDropped(table=ORDERS),
        DatabaseDropped(database=Database(name="sales")),
    ],
)
def test_r29_tables_of_a_hive_hook_are_not_sent(change):
    assert messages_for(change, naming=HIVE) == ()


def test_definition_is_sent_in_full_after_its_maximum_age(known):
    assert _types(messages_for(TableDefined(table=ORDERS), known, now_ms=NOW + DAY)) == ["ENTITY_CREATE_V2"]
