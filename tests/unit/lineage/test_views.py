"""Views hop by hop: the definition of a view is the same for every reader, and is sent once."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import Outcome, Process
from sac_kafka.plan import wire
from sac_kafka.plan.commands import AlterViewAsCommand, CreateViewCommand
from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart, Throwable
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import Compat, Views
from sac_kafka.settings.names import Names
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from tests.helpers.live_runs import APPLICATION
from tests.helpers.pipelines import Pipeline
from tests.helpers.staged import Actions

BATCHES = Path(__file__).resolve().parents[2] / "fixtures" / "batches"
SPENT = "table:spark_catalog.cases.spent"
VERSIONS = ("3.5.9", "4.3.0")


def _lines(case: str, version: str) -> list[wire.Projected]:
    text = (BATCHES / version / f"{case}.txt").read_text("utf-8")
    return [line for line in wire.read(text) if isinstance(line, wire.Projected)]


def _events(case: str, version: str) -> list[Event]:
    return [line.event for line in _lines(case, version)]


def _makes_a_view(event: Event) -> bool:
    if not isinstance(event, SparkListenerSQLExecutionEnd) or event.query_execution is None:
        return False
    return isinstance(event.query_execution.analyzed, (CreateViewCommand, AlterViewAsCommand))


def _outcomes(events: Iterable[Event], **settings: bool) -> list[Outcome]:
    actions = Actions(APPLICATION, LineageOptions(**settings))
    return [outcome for event in events for outcome in actions.add(event)]


def _definitions(outcomes: Iterable[Outcome]) -> Iterator[tuple[str, Process]]:
    for each in outcomes:
        if isinstance(each, Process) and each.defines_view:
            yield each.outputs[0].key, each


def _reads_only(events: Iterable[Event]) -> list[Event]:
    """Return the events of an application in which the views exist already."""
    ran = (SparkListenerSQLExecutionStart, SparkListenerSQLExecutionEnd)
    return [e for e in events if isinstance(e, ran) and not _makes_a_view(e)]


def _content(definition: Process) -> tuple[object, ...]:
    return (
        [d.key for d in definition.inputs],
        [[c.name for c in d.columns] for d in definition.outputs],
        definition.columns,
        definition.row_level,
        definition.clauses,
        definition.run.query_text,
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", ["view_made_and_read", "view_of_views"])
def test_read_view_has_the_definition_of_its_statement(case: str, version: str) -> None:
    events = _events(case, version)
    made = dict(_definitions(_outcomes(events)))
    read = dict(_definitions(_outcomes(_reads_only(events))))
    assert made and {key: _content(p) for key, p in read.items()} == {key: _content(p) for key, p in made.items()}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_definition_is_sent_once(version: str) -> None:
    pipeline = Pipeline(context_of(APPLICATION, Names(), Content()))
    sent = []
    for line in _lines("view_made_and_read", version):
        for step in pipeline.steps(line, 0):
            written = pipeline.messages(step, 0)
            for message in written:
                pipeline.remembered.confirm(message.tokens, 0, pipeline.remembered.epoch)
            if isinstance(step.outcome, Process) and step.outcome.defines_view:
                sent.append(len(written))
    assert sent == [1, 0, 0]


@pytest.mark.parametrize("version", VERSIONS)
def test_definition_is_deleted_when_a_table_takes_the_name_of_its_view(version: str) -> None:
    pipeline = Pipeline(context_of(APPLICATION, Names(), Content()))
    deletes = []
    for line in _lines("view_becomes_a_table", version):
        for step in pipeline.steps(line, 0):
            for message in pipeline.messages(step, 0):
                pipeline.remembered.confirm(message.tokens, 0, pipeline.remembered.epoch)
                body = json.loads(message.value)["message"]
                entities = body["entities"] if message.is_delete else body["entities"]["entities"]
                there = {each["typeName"] for each in entities} & {"spark_process"}
                deletes += [message.is_delete] if there and "view:cases.turning:" in message.value else []
    assert deletes == [False, True, False, True]


@pytest.mark.parametrize("version", VERSIONS)
def test_inner_views_precede_outer_views_and_all_precede_the_reader(version: str) -> None:
    read = [p for p in _outcomes(_reads_only(_events("view_of_views", version))) if isinstance(p, Process)]
    assert [p.outputs[0].key.rpartition(".")[2] for p in read[:3]] == ["inner_view", "middle_view", "outer_view"]
    assert [p.defines_view for p in read] == [True, True, True, False]


@pytest.mark.parametrize("version", VERSIONS)
def test_definition_has_no_facts_of_the_run_that_read_the_view(version: str) -> None:
    for _, definition in _definitions(_outcomes(_reads_only(_events("view_made_and_read", version)))):
        run = definition.run
        assert (run.started_ms, run.ended_ms, run.rows_written, run.requester, run.failure) == (None,) * 5
        assert run.query_text is not None and run.query_text.startswith("select customer, sum(amount) s")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_new_definition_is_reported(version: str) -> None:
    definitions = list(_definitions(_outcomes(_events("view_redefined", version))))
    assert [key.rpartition(".")[2] for key, _ in definitions] == ["shifting"] * 6 + ["shifted"] * 2
    inputs = [[d.key.rpartition(".")[2] for d in p.inputs] for _, p in definitions]
    assert inputs == [["orders"]] * 4 + [["customers", "orders"]] * 4
    assert _content(definitions[-2][1]) == _content(definitions[-1][1])  # of the rename, and of the next reader


@pytest.mark.parametrize("version", VERSIONS)
def test_through_views_a_reader_has_all_that_they_read(version: str) -> None:
    found = _outcomes(_reads_only(_events("view_made_and_read", version)), stops_at_views=False)
    processes = [p for p in found if isinstance(p, Process)]
    assert len(processes) == 2 and not any(p.defines_view for p in processes)
    for process in processes:
        assert [d.key for d in process.inputs] == ["table:spark_catalog.cases.orders", SPENT]
        for column in process.columns:
            assert {s.dataset for s in column.values} == {"table:spark_catalog.cases.orders", SPENT}


def test_measure_of_a_metric_view_comes_from_existing_source_columns() -> None:
    found = _outcomes(_reads_only(_events("view_of_metrics", "4.3.0")), stops_at_views=False)
    (process,) = (p for p in found if isinstance(p, Process))
    (spent,) = (c for c in process.columns if c.column == "spent")
    assert [d.key for d in process.inputs] == ["table:spark_catalog.cases.figures", "table:spark_catalog.cases.orders"]
    assert {(s.dataset, s.column) for s in spent.values} == {("table:spark_catalog.cases.orders", "amount")}
    assert process.gaps == ()


@pytest.mark.parametrize(("mode", "compat", "count"), [("hop", "atlas", 1), ("through", "atlas", 0), ("hop", "sac", 0)])
def test_the_setting_chooses(mode: str, compat: str, count: int) -> None:
    context = context_of(APPLICATION, Names(compat=Compat(compat)), Content(views=Views(mode)))
    pipeline = Pipeline(context)
    steps: list[ScheduledOutcome] = []
    for line in _lines("view_made_and_read", "4.3.0"):
        steps += pipeline.steps(line, 0)
    assert len(dict(_definitions(step.outcome for step in steps))) == count


def test_failed_reader_reports_no_definition() -> None:
    failed = []
    for event in _reads_only(_events("view_made_and_read", "4.3.0")):
        if isinstance(event, SparkListenerSQLExecutionEnd):
            event = _failing(event)
        failed.append(event)
    actions = Actions(APPLICATION, LineageOptions(failed_too=True))
    processes = [p for e in failed for p in actions.add(e) if isinstance(p, Process)]
    assert processes and not any(p.defines_view for p in processes)


def _failing(event: SparkListenerSQLExecutionEnd) -> SparkListenerSQLExecutionEnd:
    return dataclasses.replace(event, failure=Throwable(error_class="java.lang.RuntimeException"))
