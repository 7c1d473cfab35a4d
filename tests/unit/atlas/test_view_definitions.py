"""The definition of a view as a process: named by the view, without the job, sent until the server has it."""

from __future__ import annotations

import dataclasses
import json

from sac_kafka.atlas.context import Context
from sac_kafka.atlas.memory import MAX_RETURNS, Remembered
from sac_kafka.atlas.messages import Message, messages
from sac_kafka.model import (
    Change,
    Database,
    DatabaseDropped,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
)
from sac_kafka.settings.declarations.choices import TableModel
from tests.unit.atlas.flows import CONTEXT, DAY, NOW, copy, entities, messages_for, name, table

SOURCE, OTHER = table("orders", "id"), table("archive", "id")
VIEW = table("recent", "id", table_type="VIEW", view_text="select id from orders")


def definition(source: TableDataset = SOURCE, job: str = "daily load") -> Process:
    return dataclasses.replace(copy(source, VIEW, job=job, query_text="select id from orders"), defines_view=True)


def confirmed(sent: tuple[Message, ...], remembered: Remembered) -> tuple[Message, ...]:
    for message in sent:
        remembered.confirm(message.tokens, NOW, remembered.epoch)
    return sent


def process(sent: tuple[Message, ...]) -> dict:
    (found,) = (e for e in entities(sent) if e["typeName"] == "spark_process")
    return found


def deleted(sent: tuple[Message, ...]) -> list[str]:
    bodies = (json.loads(m.value)["message"] for m in sent if m.is_delete)
    return [each["uniqueAttributes"]["qualifiedName"] for body in bodies for each in body["entities"]]


def test_is_named_by_the_view_and_not_by_the_job() -> None:
    one, other = (process(messages_for(definition(job=job))) for job in ("daily load", "report"))
    assert one["attributes"] == other["attributes"]
    assert name(one).startswith("view:sales.recent:")
    assert one["attributes"]["name"] == "view sales.recent of sales.orders"
    assert one["attributes"]["queryText"] == "select id from orders"


def test_has_no_facts_of_the_run() -> None:
    sent = messages_for(definition())
    found = process(sent)
    assert "spark_application" not in {e["typeName"] for e in entities(sent)}
    assert "application" not in found.get("relationshipAttributes", {})
    assert not {"executionId", "currUser", "remoteUser"} & {k for k, v in found["attributes"].items() if v is not None}
    assert not {"application_id", "status", "started"} & found.get("customAttributes", {}).keys()


def test_is_sent_until_the_server_has_it() -> None:
    remembered = Remembered(max_age_ms=DAY)
    assert messages_for(definition(), remembered)
    assert confirmed(messages_for(definition(), remembered), remembered)
    assert messages_for(definition(job="another"), remembered) == ()
    assert messages_for(definition(), remembered, now_ms=NOW + DAY)


def test_recreated_view_has_its_definition_again() -> None:
    remembered = Remembered(max_age_ms=DAY)
    confirmed(messages_for(definition(), remembered), remembered)
    messages(TableDropped(table=VIEW), context=CONTEXT, remembered=remembered, now_ms=NOW)
    assert messages_for(definition(), remembered)


def test_new_definition_replaces_the_old_one() -> None:
    remembered = Remembered(max_age_ms=DAY)
    old = name(process(confirmed(messages_for(definition(), remembered), remembered)))
    sent = confirmed(messages_for(definition(OTHER), remembered), remembered)
    gone = deleted(sent)
    assert old in gone and all(each.startswith(old.removesuffix("@prod")) for each in gone)
    assert len(gone) == 2  # and its column lineage


def test_alternating_definitions_are_not_deleted_repeatedly() -> None:
    remembered = Remembered(max_age_ms=DAY)
    turns = (SOURCE, OTHER) * (MAX_RETURNS + 1)
    deletes = [bool(deleted(confirmed(messages_for(definition(source), remembered), remembered))) for source in turns]
    assert deletes == [False, True] + [True] * MAX_RETURNS + [False] * (len(turns) - 2 - MAX_RETURNS)


def test_failed_definition_is_not_sent() -> None:
    failed = definition()
    assert messages_for(dataclasses.replace(failed, run=dataclasses.replace(failed.run, failure="x"))) == ()


def test_the_definition_of_another_view_stays() -> None:
    remembered = Remembered(max_age_ms=DAY)
    other = dataclasses.replace(VIEW, name="recent2")
    confirmed(messages_for(dataclasses.replace(copy(SOURCE, other), defines_view=True), remembered), remembered)
    assert deleted(messages_for(definition(), remembered)) == []


def test_unconfirmed_definition_is_deleted_with_its_view() -> None:
    remembered = Remembered(max_age_ms=DAY)
    made = process(sent := messages_for(definition(), remembered))
    for message in sent:  # kept until the server can be reached
        remembered.forget(message.tokens)
    gone = changed(TableDropped(table=VIEW), remembered)
    assert name(made) in gone
    assert [each for each in gone if each.startswith(name(made).removesuffix("@prod") + ":id:")]
    assert name(made) not in changed(TableDropped(table=VIEW), remembered)


def test_new_definition_replaces_an_unconfirmed_one() -> None:
    remembered = Remembered(max_age_ms=DAY)
    old = name(process(messages_for(definition(), remembered)))
    gone = deleted(messages_for(definition(OTHER), remembered))
    assert old in gone and len(gone) == 2


def test_definition_confirmed_after_its_view_was_dropped_is_sent_again() -> None:
    remembered = Remembered(max_age_ms=DAY)
    sent, epoch = messages_for(definition(), remembered), remembered.epoch
    changed(TableDropped(table=VIEW), remembered)
    for message in sent:
        remembered.confirm(message.tokens, NOW, epoch)
    assert process(messages_for(definition(), remembered))


def definition_of(*views: TableDataset) -> tuple[Remembered, list[str]]:
    """Return the memory of a server that has the views, and the names of their definitions."""
    remembered = Remembered(max_age_ms=DAY)
    sent = [
        confirmed(messages_for(dataclasses.replace(definition(), outputs=(v,)), remembered), remembered) for v in views
    ]
    return remembered, [name(process(each)) for each in sent]


def changed(change: Change, remembered: Remembered, context: Context = CONTEXT) -> list[str]:
    """Return the names of the entities that a change deletes."""
    return deleted(messages(change, context=context, remembered=remembered, now_ms=NOW))


TABLE = table("recent", "id", table_type="MANAGED")


def test_is_deleted_with_its_view_and_before_it() -> None:
    remembered, (gone,) = definition_of(VIEW)
    sent = changed(TableDropped(table=table("recent")), remembered)
    assert sent.index(gone) < sent.index("sales.recent@prod")
    assert [each for each in sent if each.startswith(gone.removesuffix("@prod") + ":id:")]  # and its column lineage
    assert gone not in changed(TableDropped(table=table("recent")), remembered)


def test_is_deleted_when_a_table_replaces_the_view() -> None:
    remembered, (gone,) = definition_of(VIEW)
    assert gone in changed(TableDefined(table=TABLE), remembered)
    assert messages_for(definition(), remembered)


def test_is_deleted_when_a_ctas_replaces_the_view() -> None:
    remembered, (gone,) = definition_of(VIEW)
    made = messages(copy(SOURCE, TABLE), context=CONTEXT, remembered=remembered, now_ms=NOW, defined={TABLE.key: TABLE})
    assert gone in deleted(made)
    assert made[0].is_delete


def test_is_deleted_when_a_table_of_another_catalog_replaces_the_view() -> None:
    view, of = (dataclasses.replace(each, catalog="lake", table_type=None) for each in (VIEW, TABLE))
    remembered, (gone,) = definition_of(dataclasses.replace(view, table_type="VIEW"))
    assert changed(TableDefined(table=TABLE), remembered) == []
    assert gone in changed(TableDefined(table=of), remembered)


def test_is_kept_while_the_view_is_altered() -> None:
    remembered, _ = definition_of(VIEW)
    assert changed(TableDefined(table=dataclasses.replace(VIEW, comment="new")), remembered) == []


def test_definitions_are_deleted_with_their_database() -> None:
    remembered, gone = definition_of(VIEW, dataclasses.replace(VIEW, name="latest"))
    assert set(gone) < set(changed(DatabaseDropped(database=Database(name="sales")), remembered))


def test_definitions_of_a_catalog_named_like_the_database_are_kept() -> None:
    remembered, (_, gone) = definition_of(
        dataclasses.replace(VIEW, catalog="lake", database="raw"), dataclasses.replace(VIEW, database="lake")
    )
    sent = changed(DatabaseDropped(database=Database(name="lake")), remembered)
    assert gone in sent and "lake.recent@prod" in sent
    assert [each for each in sent if "lake.raw" in each] == []


def test_is_deleted_also_if_the_hive_hook_reports_the_tables() -> None:
    hive = dataclasses.replace(CONTEXT, naming=dataclasses.replace(CONTEXT.naming, table_model=TableModel.HIVE))
    remembered = Remembered(max_age_ms=DAY)
    gone = name(process(confirmed(messages_for(definition(), remembered, naming=hive.naming), remembered)))
    assert gone in changed(TableDropped(table=VIEW), remembered, hive)


def test_flow_of_a_job_named_view_is_no_definition() -> None:
    remembered = Remembered(max_age_ms=DAY)
    confirmed(messages_for(copy(SOURCE, TABLE, job="view"), remembered), remembered)
    assert changed(TableDefined(table=dataclasses.replace(TABLE, comment="new")), remembered) == []
