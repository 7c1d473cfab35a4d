"""Statements of SQL scripts and remembered variables, from recorded batches."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from sac_kafka.lineage.columns import variables
from sac_kafka.lineage.columns.variables import MAX_LOOPS, Variables
from sac_kafka.model import Process
from sac_kafka.plan import wire
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.specification import DECLARED
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions


def batch(name: str) -> str:
    return (BATCHES / owed()[1] / f"{name}.txt").read_text("utf-8")


def statements(name: str) -> list[str | None]:
    return [p.run.query_text for p in Capture.processes_of(batch(name))]


def inputs(processes: Iterable[Process]) -> list[list[str]]:
    return [[d.key.rpartition(".")[2] for d in p.inputs] for p in processes]


def test_each_statement_of_a_script_has_its_own_text() -> None:
    assert statements("script_with_branches") == [
        "insert into sink select name, 1.0 from customers where size(tags) < most",
        "insert into sink select customer, case when amount > 1 then amount else 0 end from orders",
        "insert into sink select name, 2.0 from customers where size(tags) > most",
    ]


def test_statement_is_complete_despite_quotes_comments_and_semicolons() -> None:
    """Use a name with a semicolon, literals with words of scripts, and preceding comments with both."""
    assert statements("script_with_blocks") == [
        "insert into sink select name, 1.0 from customers where size(tags) > least",
        "create table scripted using parquet\n    as with c as (select name, case when size(tags) > 1 then ? else ? end "
        "`a;b` from customers)\n       select name, `a;b` marks from c",
        "insert into sink select name, 2.0 from customers where size(tags) > least",
    ]


def test_execute_immediate_is_a_separate_statement() -> None:
    assert statements("script_that_executes_immediately") == [
        "insert into sink select customer, amount from orders where id > ?",
        "insert into sink select name, 1.0 from customers where size(tags) = most",
    ]


def test_without_the_session_no_variable_is_known() -> None:
    """Replay a batch of an older hook without sessions: better no variable than one of another session."""
    lines = list(wire.read(batch("variable_set_by_a_query").replace('"session"]]', '"of_a_later_hook"]]')))
    sessions = {
        event.query_execution.session
        for line in lines
        if isinstance(line, wire.Projected) and (event := line.event) and getattr(event, "query_execution", None)
    }
    assert sessions == {None}
    actions = Actions(APPLICATION)
    made = [o for line in lines if isinstance(line, wire.Projected) for o in actions.add(line.event)]
    assert inputs(p for p in made if isinstance(p, Process)) == [["customers"]]


@pytest.mark.parametrize("command", ["DeclareCursor", "OpenCursor", "FetchCursor", "CloseCursor"])
def test_cursor_commands_are_no_writes(command: str) -> None:
    found = DECLARED.get(f"org.apache.spark.sql.catalyst.plans.logical.{command}")
    assert found is not None
    assert issubclass(found, CommandWithoutWrite)


def test_variables_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the oldest first: of `first_id` and `who`, set by one query, only `who` is known."""
    assert inputs(Capture.processes_of(batch("variable_of_a_variable"))) == [["customers", "orders"]] * 2
    monkeypatch.setattr(variables, "MAX_VARIABLES", 1)
    assert inputs(Capture.processes_of(batch("variable_of_a_variable"))) == [["customers", "orders"], ["customers"]]


@pytest.mark.slow
def test_loops_are_bounded() -> None:
    actions = Actions(APPLICATION)
    for _ in range(2 * MAX_LOOPS):
        Capture.outcomes_of(batch("script_with_loops"), actions)
    known: Variables = actions._context.origins.executions.variables
    assert [len(loops) for loops in known._loops.values()] == [MAX_LOOPS]
