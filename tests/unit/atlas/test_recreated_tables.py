"""A table that is dropped, renamed or loses columns and is then re-created gets all its column lineage again.

A server deletes the columns of a dropped table, and the edges of their lineage with them (R17): what was sent of column
lineage into that table and out of it does not count any more.
"""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.model import (
    Change,
    Column,
    ColumnRenamed,
    Database,
    DatabaseDropped,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.plan import wire
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import TableModel
from sac_kafka.settings.names import Names
from tests.cases.batches import BATCHES, owed
from tests.cases.namings import naming_of
from tests.helpers.live_runs import APPLICATION
from tests.helpers.pipelines import Pipeline
from tests.unit.atlas.flows import CONTEXT, DAY, NOW, TOTALS, context, copy, entities, name, path, table

SOURCE, STAGING = table("source", "x", "y"), table("staging", "x", "y")
HIVE = naming_of(table_model=TableModel.HIVE)
INTO, OUT_OF = copy(SOURCE, STAGING, job="load"), copy(STAGING, TOTALS, job="report")
ELSEWHERE = copy(SOURCE, path("hdfs://nn1/elsewhere", "x", "y"), job="other")

GONE: dict[str, Change] = {
    "table dropped": TableDropped(table=STAGING),
    "table of unknown columns dropped": TableDropped(table=table("staging")),
    "database dropped": DatabaseDropped(database=Database(name="sales")),
    "table renamed": TableRenamed(old=table("staging"), new=dataclasses.replace(STAGING, name="kept")),
    "column renamed": ColumnRenamed(table=table("staging", "x", "z"), old="y", new="z"),
    "column dropped": TableDefined(table=table("staging", "x")),
}


def run(outcome, remembered: Remembered, now_ms: int = NOW, **changed) -> list[dict]:
    """Deliver the messages of an outcome and return their entities."""
    written = messages(outcome, context=context(**changed), remembered=remembered, now_ms=now_ms)
    epoch = remembered.epoch
    for message in written:
        remembered.confirm(message.tokens, now_ms, epoch)
    return created(written)


def created(written) -> list[dict]:
    definitions = [each for each in written if each.type == "ENTITY_CREATE_V2"]
    return entities(definitions) if definitions else []


def lineage(found: list[dict]) -> list[str]:
    return sorted(name(each) for each in found if each["typeName"] == "spark_column_lineage")


@pytest.mark.parametrize("gone", GONE.values(), ids=GONE)
@pytest.mark.parametrize("flow", [INTO, OUT_OF], ids=["into", "out of"])
def test_column_lineage_of_a_recreated_table_is_sent_again(flow, gone: Change) -> None:
    remembered = Remembered(max_age_ms=DAY)
    first = lineage(run(flow, remembered))
    assert len(first) == 2
    assert lineage(run(flow, remembered)) == []
    run(gone, remembered)
    assert lineage(run(flow, remembered)) == first


@pytest.mark.parametrize("flow", [INTO, OUT_OF], ids=["into", "out of"])
def test_lineage_is_sent_again_with_its_columns(flow) -> None:
    """Send the columns, too: by name alone a server takes the new column for the deleted one and changes nothing."""
    remembered = Remembered(max_age_ms=DAY)
    run(INTO, remembered)
    run(OUT_OF, remembered)
    run(TableDropped(table=STAGING), remembered)
    run(TableDefined(table=STAGING), remembered)
    again = [each for each in run(flow, remembered) if each["typeName"] == "spark_column_lineage"]
    ends = [end for each in again for side in ("inputs", "outputs") for end in each["relationshipAttributes"][side]]
    assert len(ends) == 4
    assert all("guid" in end for end in ends)


@pytest.mark.parametrize("gone", [TableDropped(table=STAGING), TableDefined(table=table("staging", "x"))])
def test_column_lineage_of_other_tables_is_not_sent_again(gone: Change) -> None:
    remembered = Remembered(max_age_ms=DAY)
    run(INTO, remembered)
    run(ELSEWHERE, remembered)
    run(gone, remembered)
    assert lineage(run(ELSEWHERE, remembered)) == []


def test_lineage_of_a_path_that_lost_a_column_is_sent_again() -> None:
    remembered = Remembered(max_age_ms=DAY)
    first = lineage(run(copy(SOURCE, TOTALS), remembered))
    narrower = path("hdfs://nn1/data/totals", "id", is_replaced=True)
    run(copy(SOURCE, narrower, job="other"), remembered)
    assert lineage(run(copy(SOURCE, TOTALS), remembered)) == first


@pytest.mark.parametrize("change", [TableDropped(table=STAGING), DatabaseDropped(database=Database(name="sales"))])
def test_deletions_by_a_hive_hook_count_too(change: Change) -> None:
    remembered = Remembered(max_age_ms=DAY)
    first = lineage(run(INTO, remembered, naming=HIVE))
    assert len(first) == 2
    assert messages(change, context=context(naming=HIVE), remembered=remembered, now_ms=NOW) == ()
    assert lineage(run(INTO, remembered, naming=HIVE)) == first


def test_messages_in_flight_at_the_drop_do_not_count() -> None:
    remembered = Remembered(max_age_ms=DAY)
    written = messages(INTO, context=CONTEXT, remembered=remembered, now_ms=NOW)
    epoch = remembered.epoch
    run(TableDropped(table=STAGING), remembered)
    for message in written:
        remembered.confirm(message.tokens, NOW, epoch)
    assert len(lineage(run(INTO, remembered))) == 2


def test_names_of_the_lineage_of_a_process_are_remembered() -> None:
    """Keep the names, which are deleted when another expression supersedes them."""
    remembered = Remembered(max_age_ms=DAY)
    first = lineage(run(INTO, remembered))
    (process,) = remembered.owners("spark_process")
    run(TableDropped(table=STAGING), remembered)
    assert sorted(each.qualified_name for each in remembered.members(process)) == first


def test_lineage_of_a_column_that_is_added_again_is_sent() -> None:
    remembered = Remembered(max_age_ms=DAY)
    first = lineage(run(INTO, remembered))
    run(TableDefined(table=table("staging", "x")), remembered)
    run(
        TableDefined(table=dataclasses.replace(STAGING, columns=(*STAGING.columns, Column(name="z", type="int")))),
        remembered,
    )
    assert lineage(run(INTO, remembered)) == first


# ---- recorded batches, through the whole pipeline


class Rounds:
    """Batches of one application, each delivered before the next, with a `flush` of delayed drops in between."""

    def __init__(self) -> None:
        self.pipeline = Pipeline(context_of(APPLICATION, Names(), Content()))

    def run(self, text: str) -> list[dict]:
        found = []
        steps = [
            s for line in wire.read(text) if isinstance(line, wire.Projected) for s in self.pipeline.steps(line, NOW)
        ]
        for step in (*steps, *self.pipeline.held()):
            written = self.pipeline.messages(step, NOW)
            for message in written:
                self.pipeline.remembered.confirm(message.tokens, NOW, self.pipeline.remembered.epoch)
            found += created(written)
        return found


def dropped(table_name: str) -> str:
    """Return the event of a drop as the listener writes it."""
    kind = "org.apache.spark.sql.catalyst.catalog.DropTableEvent"
    record = [["c", kind, ["database", "name", "is_looked_up"]], ["o", 0, ["cases", table_name, True]]]
    return json.dumps(["event", 41, record])


@pytest.mark.parametrize("version", owed())
@pytest.mark.parametrize("gone", ["ctas_t", "orders"])
def test_two_rounds_of_drop_and_create_send_the_same_lineage(version: str, gone: str) -> None:
    text = (BATCHES / version / "ctas.txt").read_text("utf-8")
    rounds = Rounds()
    first = lineage(rounds.run(text))
    assert len(first) == 2
    assert lineage(rounds.run(text)) == []
    rounds.run(dropped(gone))
    assert lineage(rounds.run(text)) == first


@pytest.mark.parametrize("version", owed())
@pytest.mark.parametrize(("case", "stays"), [("table_changes", None), ("view_created", ":cases.big_orders:")])
def test_two_rounds_of_create_rename_and_drop_send_the_same_lineage(version: str, case: str, stays: str | None) -> None:
    """Ignore the definition of a view that is only read, which exists already."""
    text = (BATCHES / version / f"{case}.txt").read_text("utf-8")
    rounds = Rounds()
    first = lineage(rounds.run(text))
    assert first
    assert lineage(rounds.run(text)) == [name for name in first if stays is None or stays not in name]
