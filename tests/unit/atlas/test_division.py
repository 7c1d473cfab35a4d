"""Division of entities into messages within the limits of size."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from sac_kafka.settings.declarations.choices import ColumnLineageMode
from tests.unit.atlas.flows import ORDINARY, columns, copy, entities, messages_for, name, of_type, path, process, table

DEFINITIONS = {"spark_db", "spark_table", "spark_storagedesc", "spark_column", "fs_path", "avro_schema", "avro_field"}


def _wide(count, kind=table):
    given = {"columns": columns(*(f"column_{number}" for number in range(count)))}
    return copy(kind("file:/a" if kind is path else "a", **given), kind("file:/b" if kind is path else "b", **given))


def _identities(sent):
    return Counter((entity["typeName"], name(entity)) for entity in entities(sent))


def test_ordinary_statement_is_one_message():
    assert len(messages_for(ORDINARY)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", [table, path])
def test_a_thousand_columns_with_their_lineage_are_few_messages(kind):
    sent = messages_for(_wide(1_000, kind))
    assert len(sent) <= 5
    assert max(len(message.value) for message in sent) <= 900_000
    assert len(of_type(sent, "spark_column_lineage")) == 1_000
    assert len(of_type(sent, "spark_column", "avro_field")) == 2_000


def test_table_of_two_thousand_columns_is_few_messages_of_300_entities():
    sent = messages_for(process([], [table("b", columns=columns(*map(str, range(2_000))))]), message_max_entities=300)
    assert len(sent) <= 10
    assert max(len(entities([message])) for message in sent) <= 300


@pytest.mark.slow
@pytest.mark.parametrize("kind", [table, path])
@pytest.mark.parametrize("max_entities", [1, 4, 5, 9, 50, 107, 108, 300])
def test_every_entity_is_sent_and_no_message_exceeds_max_entities(kind, max_entities):
    flow = _wide(35, kind)
    sent = messages_for(flow, message_max_entities=max_entities)
    assert set(_identities(sent)) == set(_identities(messages_for(flow)))
    # The smallest possible message: a process with its application, or a column lineage with both.
    assert max(len(entities([message])) for message in sent) <= max(max_entities, 4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [table, path])
@pytest.mark.parametrize("max_bytes", [1, 3_500, 5_000, 20_000, 45_000])
def test_every_entity_is_sent_and_no_message_exceeds_max_bytes(kind, max_bytes):
    flow = _wide(35, kind)
    sent = messages_for(flow, message_max_bytes=max_bytes)
    assert set(_identities(sent)) == set(_identities(messages_for(flow)))
    assert max(len(message.value) for message in sent) <= max(max_bytes, 3_500)


def test_messages_are_filled():
    lengths = [
        len(message.value)
        for message in messages_for(_wide(500), message_max_bytes=50_000, message_max_entities=10_000)
    ]
    assert sum(lengths[:-1]) / len(lengths[:-1]) > 45_000


def test_message_at_the_limit_is_not_divided():
    (message,) = messages_for(ORDINARY)
    assert len(messages_for(ORDINARY, message_max_bytes=len(message.value))) == 1
    assert len(messages_for(ORDINARY, message_max_bytes=len(message.value) - 1)) > 1


@pytest.mark.parametrize("kind", [table, path])
def test_datasets_and_columns_come_first_process_and_column_lineage_last(kind):
    sent = messages_for(_wide(35, kind), message_max_entities=50)
    kinds = [{entity["typeName"] for entity in entities([message])} for message in sent]
    first_flow = next(i for i, types in enumerate(kinds) if "spark_process" in types)
    assert all(types <= DEFINITIONS for types in kinds[:first_flow])
    assert all({"spark_process", "spark_column_lineage"} <= types for types in kinds[first_flow:])
    assert not any(types & {"spark_column", "avro_field"} for types in kinds[first_flow:])


@pytest.mark.parametrize("kind", [table, path])
def test_each_message_is_self_contained_with_its_owners(kind):
    sent = messages_for(_wide(35, kind), message_max_entities=20)
    assert len(sent) > 1
    for message in sent:
        for entity in entities([message]):
            for relationship, end in entity.get("relationshipAttributes", {}).items():
                if relationship in ("table", "record", "db", "associatedEntities", "process", "application"):
                    assert all("guid" in one for one in (end if isinstance(end, list) else [end]))


def test_process_is_repeated_with_its_datasets_if_they_are_small():
    sent = messages_for(_wide(35), message_max_entities=20)
    flows = of_type(sent, "spark_process")
    assert len(flows) > 1
    assert all("guid" in flow["relationshipAttributes"][side][0] for flow in flows for side in ("inputs", "outputs"))


def test_process_of_too_many_datasets_refers_to_what_earlier_messages_defined():
    flow = process([table(f"t{number}") for number in range(400)], [table("b")])
    sent = messages_for(flow, message_max_entities=300)
    assert max(len(entities([message])) for message in sent) <= 300
    (flow_entity,) = of_type(sent, "spark_process")
    assert len(flow_entity["relationshipAttributes"]["inputs"]) == 400
    assert not any("guid" in reference for reference in flow_entity["relationshipAttributes"]["inputs"])
    assert entities(sent)[-1] == flow_entity
    assert len({name(entity) for entity in of_type(sent, "spark_table")}) == 401


def test_entities_of_earlier_messages_are_referenced_by_unique_attribute():
    sent = messages_for(_wide(35), message_max_entities=20)
    for lineage in of_type(sent, "spark_column_lineage"):
        (reference,) = lineage["relationshipAttributes"]["inputs"]
        assert set(reference) == {"typeName", "uniqueAttributes", "relationshipType"}


def test_messages_keep_to_bytes_when_characters_are_escaped():
    given = {"columns": columns(*(f"{'列' * 60}{number}" for number in range(100)))}
    sent = messages_for(
        copy(table("a", **given), table("b", **given)), message_max_bytes=40_000, message_max_entities=10_000
    )
    assert max(len(message.value.encode()) for message in sent) <= 40_000


def test_all_messages_of_a_process_have_the_same_time_and_user():
    for message in messages_for(_wide(35), message_max_entities=20):
        envelope = json.loads(message.value)
        assert (envelope["msgCreatedBy"], envelope["message"]["user"]) == ("alice", "alice")


def test_without_column_lineage_the_process_is_last_and_alone():
    sent = messages_for(_wide(35), message_max_entities=20, column_lineage=ColumnLineageMode.OFF)
    assert [entity["typeName"] for entity in entities(sent[-1:])][-2:] == ["spark_application", "spark_process"]
