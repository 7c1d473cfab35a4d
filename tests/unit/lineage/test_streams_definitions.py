"""Tables that a streaming function creates with every batch: sent once, and again when they change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from sac_kafka.model import Outcome, TableDefined, TableDropped
from sac_kafka.plan.catalog import CatalogEvent, CreateTableEvent
from sac_kafka.plan.execution import SparkListenerSQLExecutionStart
from sac_kafka.plan.streaming_events import RepeatedBatches, StreamOf
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import Actions
from tests.unit.lineage.test_changes import created, dropped

RUN = "11111111-2222-3333-4444-555555555555"


def replaced(number: int, *columns: str) -> list[CatalogEvent]:
    """Return the events of `saveAsTable` in mode overwrite at some time."""
    event = created("t", *columns)
    assert event.definition is not None
    definition = dataclasses.replace(event.definition, create_time=number)
    return [dropped("t"), CreateTableEvent(database="d", name="t", definition=definition)]


def batch(actions: Actions, number: int, events: Iterable[CatalogEvent], *, of_stream: bool = True) -> list[Outcome]:
    """Return the outcomes of a batch like the first one, during which these events come."""
    stream = StreamOf(name=None, query_id=RUN, run_id=RUN) if of_stream else None
    started = SparkListenerSQLExecutionStart(execution_id=number, root_execution_id=None, time=number, stream=stream)
    over = RepeatedBatches(
        executions=(number,),
        run_id=RUN,
        batches=1,
        batch_id=number,
        time=number,
        writes=(),
        sources=(),
        sink_rows=-1,
    )
    return [outcome for event in (started, *events, over) for outcome in actions.add(event)]


def test_table_recreated_by_every_batch_is_sent_once() -> None:
    actions = Actions(APPLICATION)
    (first,) = batch(actions, 1, replaced(1, "a"))
    assert isinstance(first, TableDefined)
    assert [batch(actions, n, replaced(n, "a")) for n in range(2, 50)] == [[]] * 48
    (other,) = batch(actions, 50, replaced(50, "a", "b"))
    assert isinstance(other, TableDefined)
    assert [column.name for column in other.table.columns] == ["a", "b"]


def test_dropped_table_is_sent_again() -> None:
    actions = Actions(APPLICATION)
    batch(actions, 1, replaced(1, "a"))
    (gone,) = batch(actions, 2, [dropped("t")])
    (again,) = batch(actions, 3, replaced(3, "a"))
    assert (type(gone), type(again)) == (TableDropped, TableDefined)


def test_table_created_outside_batches_is_sent_each_time() -> None:
    actions = Actions(APPLICATION)
    assert [len(batch(actions, n, replaced(n, "a"), of_stream=False)) for n in (1, 2, 3)] == [1, 1, 1]
