"""Temporary views are remembered with the reads of their values, by session, name and time of definition."""

from __future__ import annotations

import dataclasses

import pytest

from sac_kafka.lineage.driver_values import MAX_VIEWS, TemporaryViews
from sac_kafka.plan.catalog import TableIdentifier
from sac_kafka.plan.commands import CreateViewCommand
from sac_kafka.plan.commands_without_write import CreateTempViewUsing
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import View
from tests.unit.lineage.test_late_definitions import definition

STARTED, ENDED = 100, 110


def name(table: str, database: str | None = None) -> TableIdentifier:
    return TableIdentifier(table=table, database=database, catalog=None)


def ended(plan: LogicalPlan, session: str = "s") -> SparkListenerSQLExecutionEnd:
    query = QueryExecution(analyzed=plan, mode="SKIP", sql_text=None, session=session)
    return SparkListenerSQLExecutionEnd(execution_id=1, time=ENDED, failure=None, query_execution=query)


def made(table: str = "v", kind: str = "LocalTempView") -> CreateViewCommand:
    return CreateViewCommand(class_name="C", is_command=True, name=name(table), view_type=kind)


def of_files(table: str = "v") -> CreateTempViewUsing:
    return CreateTempViewUsing(class_name="C", is_command=True, name=name(table))


def read(table: str = "v", database: str | None = None, at: int = STARTED + 1, *, is_temporary: bool = True) -> View:
    found = definition({"d": {"v": ({}, None)}}, "d", "v")
    assert found is not None
    return View(
        identifier=name(table, database),
        table=dataclasses.replace(found, create_time=at),
        is_temp_view=is_temporary,
        output=(),
    )


def views(*made_by: tuple[LogicalPlan, tuple[int, ...]]) -> TemporaryViews:
    known = TemporaryViews()
    for command, reads in made_by:
        known.add(command, ended(command), STARTED, reads)
    return known


@pytest.mark.parametrize(
    ("known", "plan", "session", "reads"),
    [
        (views((made(), (2, 1))), read(), "s", (1, 2)),
        (views((made("V"), (1,))), read("v"), "s", (1,)),
        (views((made(), (1,))), read(), "another", ()),
        (views((made(), (1,))), read("w"), "s", ()),
        (views((made(), (1,))), read(at=ENDED + 1), "s", ()),
        (views((made(), (1,))), read(is_temporary=False), "s", ()),
        (views((made(kind="GlobalTempView"), (1,))), read(database="global_temp"), "another", (1,)),
        (views((made(kind="GlobalTempView"), (1,))), read(), "s", ()),
        (views((made(kind="PersistedView"), (1,))), read(), "s", ()),
        (views((made(), (1,)), (made(), ())), read(), "s", ()),
        (views((made(), (1,)), (of_files(), ())), read(), "s", ()),
        (views((made(), (1,)), (made("w"), ())), read(), "s", (1,)),
        (views(), read(), "s", ()),
    ],
)
def test_the_reads_of_a_view(known: TemporaryViews, plan: View, session: str, reads: tuple[int, ...]) -> None:
    assert known.reads_of((ended(plan, session),)) == reads


def test_a_view_within_a_plan_counts_and_the_oldest_is_forgotten() -> None:
    known = views((made(), (1,)))
    outer = View(children=(read(),), identifier=name("w"), is_temp_view=True, output=())
    assert known.reads_of((ended(outer),)) == (1,)
    for number in range(MAX_VIEWS):
        known.add(made(f"v{number}"), ended(made()), STARTED, (2,))
    assert known.reads_of((ended(outer),)) == ()
