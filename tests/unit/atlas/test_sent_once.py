"""Columns and column lineage are sent once, for as long as the server confirmed them."""

from __future__ import annotations

import pytest

from sac_kafka.atlas.memory import SLACK_MS, Remembered
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, GroupToken, make_group
from tests.unit.atlas.flows import (
    DAY,
    NOW,
    ORDERS,
    ORDINARY,
    TOTALS,
    columns,
    copy,
    entities,
    messages_for,
    of_type,
    process,
    table,
)

SENT_ONCE = ("spark_column", "spark_storagedesc", "avro_schema", "avro_field", "spark_column_lineage")


def _confirm(remembered, sent, now_ms=NOW):
    for message in sent:
        remembered.confirm(message.tokens, now_ms)


def _sent(remembered, outcome=ORDINARY, **changed):
    messages = messages_for(outcome, remembered, **changed)
    _confirm(remembered, messages, changed.get("now_ms", NOW))
    return messages


def test_second_run_sends_process_and_datasets_only():
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered)
    again = messages_for(ORDINARY, remembered)
    assert [entity["typeName"] for entity in entities(again)] == [
        "hdfs_path",
        "spark_db",
        "spark_table",
        "spark_application",
        "spark_process",
    ]
    assert again[0].tokens == ()
    assert len(again[0].value) <= 4_000


def test_unconfirmed_columns_are_sent_again():
    remembered = Remembered(max_age_ms=DAY)
    first = messages_for(ORDINARY, remembered)
    assert messages_for(ORDINARY, remembered) == first


def test_forgotten_columns_are_sent_again():
    remembered = Remembered(max_age_ms=DAY)
    (first,) = _sent(remembered)
    remembered.forget(first.tokens)
    assert messages_for(ORDINARY, remembered) == (first,)
    assert len(remembered) == 0


def test_process_that_is_new_refers_to_remembered_columns_by_unique_attribute():
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered)
    sent = messages_for(copy(ORDERS, TOTALS, job="another job"), remembered)
    assert of_type(sent, "spark_column", "avro_field") == []
    lineage = of_type(sent, "spark_column_lineage")
    assert len(lineage) == 2
    assert all("guid" not in entity["relationshipAttributes"]["inputs"][0] for entity in lineage)


def test_only_changed_columns_are_sent_again():
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered)
    wider = table("orders", columns=columns("id", "amount", "tax"))
    sent = messages_for(process([wider], [TOTALS]), remembered)
    assert len(of_type(sent, "spark_column")) == 3
    assert of_type(sent, "avro_field") == []


def test_order_of_old_and_new_definition_counts():
    remembered = Remembered(max_age_ms=DAY)
    narrow, wide = process([table("t", "a")], [TOTALS]), process([table("t", "a", "b")], [TOTALS])
    _sent(remembered, narrow)
    _sent(remembered, wide)
    assert len(of_type(messages_for(narrow, remembered), "spark_column")) == 1


def test_head_of_a_dataset_does_not_make_its_columns_new():
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered, process([table("t", "a")], [TOTALS]))
    assert of_type(messages_for(process([table("t", "a", comment="new")], [TOTALS]), remembered), "spark_column") == []


@pytest.mark.parametrize(
    ("age_ms", "again"),
    [(0, 0), (DAY - 1, 0), (DAY, 2), (10 * DAY, 2), (-SLACK_MS, 0), (-SLACK_MS - 1, 2), (-400 * DAY, 2)],
)
def test_everything_is_sent_again_after_a_day(age_ms, again):
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered)
    assert len(of_type(messages_for(ORDINARY, remembered, now_ms=NOW + age_ms), "spark_column")) == again


def test_age_counts_from_the_last_message():
    remembered = Remembered(max_age_ms=DAY)
    _sent(remembered)
    _sent(remembered, now_ms=NOW + DAY)
    assert of_type(messages_for(ORDINARY, remembered, now_ms=NOW + 2 * DAY - 1), *SENT_ONCE) == []


def test_divided_group_is_remembered_when_all_its_messages_arrived():
    remembered = Remembered(max_age_ms=DAY)
    sent = messages_for(ORDINARY, remembered, message_max_entities=4)
    for message in sent[:-1]:
        remembered.confirm(message.tokens, NOW)
    assert of_type(messages_for(ORDINARY, remembered), "spark_column", "avro_field") == []
    assert len(of_type(messages_for(ORDINARY, remembered), "spark_column_lineage")) == 2
    remembered.confirm(sent[-1].tokens, NOW)
    assert of_type(messages_for(ORDINARY, remembered), *SENT_ONCE) == []


@pytest.mark.parametrize("lost", range(6))
def test_divided_group_is_sent_again_in_full_when_one_message_is_lost(lost):
    remembered = Remembered(max_age_ms=DAY)
    flow = process((), [table("t", *(f"c{number}" for number in range(12)))])
    sent = messages_for(flow, remembered, message_max_entities=4)
    assert len(sent) == 7
    for number, message in enumerate(sent):
        if number == lost:
            remembered.forget(message.tokens)
        else:
            remembered.confirm(message.tokens, NOW)
    assert len(of_type(messages_for(flow, remembered), "spark_column")) == 12


def test_parts_of_two_divisions_do_not_add_up_to_a_whole_that_was_not_sent():
    owner = AtlasObjectId("spark_table", "db.t@prod")
    members = tuple(AtlasEntity(id=AtlasObjectId("spark_column", f"db.t.{n}@prod"), attributes={}) for n in range(4))
    group = make_group(owner, owners=(), members=members)
    remembered = Remembered(max_age_ms=DAY)
    remembered.confirm([group.token(0, 2), group.token(1, 3)], NOW)
    assert remembered.unsent([group], NOW) == (group,)
    remembered.confirm([group.token(3, 4)], NOW)
    assert remembered.unsent([group], NOW) == ()


def test_only_so_many_groups_are_remembered_the_latest():
    remembered = Remembered(max_age_ms=DAY, max_groups=2)
    tokens = [GroupToken(AtlasObjectId("spark_table", name), "d", 0, 1, 1) for name in "abca"]
    remembered.confirm(tokens, NOW)
    assert len(remembered) == 2
    remembered.forget([tokens[2]])
    assert len(remembered) == 1


def test_digest_is_the_same_in_every_run():
    (first,) = messages_for(ORDINARY)
    assert [token.digest for token in first.tokens] == [
        "58470abeee5633c818dfab83310b7703",
        "520f8bdf525c9c53ff20bedf5880373f",
        "e9df6d82e83c5eb6c50b472ec6e907c4",
    ]
