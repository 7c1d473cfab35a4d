"""The definition of a view as a process: named by the view, without the job, said until the server has it."""

from __future__ import annotations

import dataclasses
import json

from sac_kafka.atlas.dialect import Message, messages
from sac_kafka.atlas.memory import Remembered
from sac_kafka.lineage.model import Process, TableDataset, TableDropped, TableRenamed
from tests.atlas.flows import CONTEXT, DAY, NOW, copy, entities, name, say, table

SOURCE, OTHER = table("orders", "id"), table("archive", "id")
VIEW = table("recent", "id", table_type="VIEW", view_text="select id from orders")


def definition(source: TableDataset = SOURCE, job: str = "daily load") -> Process:
    return dataclasses.replace(copy(source, VIEW, job=job, query_text="select id from orders"), defines_view=True)


def confirmed(said: tuple[Message, ...], remembered: Remembered) -> tuple[Message, ...]:
    for message in said:
        remembered.confirm(message.tokens, NOW, remembered.epoch)
    return said


def process(said: tuple[Message, ...]) -> dict:
    (found,) = (e for e in entities(said) if e["typeName"] == "spark_process")
    return found


def deleted(said: tuple[Message, ...]) -> list[str]:
    bodies = (json.loads(m.value)["message"] for m in said if m.is_delete)
    return [each["uniqueAttributes"]["qualifiedName"] for body in bodies for each in body["entities"]]


def test_it_is_named_by_the_view_whatever_the_job() -> None:
    one, other = (process(say(definition(job=job))) for job in ("daily load", "report"))
    assert one["attributes"] == other["attributes"]
    assert name(one).startswith("view:sales.recent:")
    assert one["attributes"]["name"] == "view sales.recent of sales.orders"
    assert one["attributes"]["queryText"] == "select id from orders"


def test_nothing_of_the_run_is_said_of_it() -> None:
    said = say(definition())
    found = process(said)
    assert "spark_application" not in {e["typeName"] for e in entities(said)}
    assert "application" not in found.get("relationshipAttributes", {})
    assert not {"executionId", "currUser", "remoteUser"} & {k for k, v in found["attributes"].items() if v is not None}
    assert not {"application_id", "status", "started"} & found.get("customAttributes", {}).keys()


def test_it_is_said_until_the_server_has_it() -> None:
    remembered = Remembered(max_age_ms=DAY)
    assert say(definition(), remembered)
    assert confirmed(say(definition(), remembered), remembered)
    assert say(definition(job="another"), remembered) == ()
    assert say(definition(), remembered, now_ms=NOW + DAY)


def test_a_view_that_was_dropped_and_made_again_has_it_again() -> None:
    remembered = Remembered(max_age_ms=DAY)
    confirmed(say(definition(), remembered), remembered)
    messages(TableDropped(table=VIEW), context=CONTEXT, remembered=remembered, now_ms=NOW)
    assert say(definition(), remembered)


def test_a_new_definition_takes_the_place_of_the_old_one() -> None:
    remembered = Remembered(max_age_ms=DAY)
    old = name(process(confirmed(say(definition(), remembered), remembered)))
    said = confirmed(say(definition(OTHER), remembered), remembered)
    gone = deleted(said)
    assert old in gone and all(each.startswith(old.removesuffix("@prod")) for each in gone)
    assert len(gone) == 2  # and its column lineage


def test_definitions_that_take_turns_are_deleted_no_more() -> None:
    remembered = Remembered(max_age_ms=DAY)
    for source in (SOURCE, OTHER):
        confirmed(say(definition(source), remembered), remembered)
    back = confirmed(say(definition(), remembered), remembered)
    assert process(tuple(m for m in back if not m.is_delete)) and deleted(back) == []
    assert deleted(say(definition(OTHER), remembered)) == []


def test_one_that_failed_is_not_said() -> None:
    failed = definition()
    assert say(dataclasses.replace(failed, run=dataclasses.replace(failed.run, failure="x"))) == ()


def test_the_definition_of_another_view_stays() -> None:
    remembered = Remembered(max_age_ms=DAY)
    other = dataclasses.replace(VIEW, name="recent2")
    confirmed(say(dataclasses.replace(copy(SOURCE, other), defines_view=True), remembered), remembered)
    assert deleted(say(definition(), remembered)) == []


def test_the_definition_under_a_former_name_goes() -> None:
    remembered = Remembered(max_age_ms=DAY)
    old = name(process(confirmed(say(definition(), remembered), remembered)))
    renamed = dataclasses.replace(VIEW, name="latest")
    messages(TableRenamed(old=VIEW, new=renamed), context=CONTEXT, remembered=remembered, now_ms=NOW)
    again = dataclasses.replace(copy(SOURCE, renamed), defines_view=True, formerly=(VIEW,))
    said = say(again, remembered)
    assert old in deleted(said)
    assert name(process(tuple(m for m in said if not m.is_delete))).startswith("view:sales.latest:")
