"""The planted history of a workspace is read as it is, whatever fails in between."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from sac_kafka.bridge.unity import tables
from sac_kafka.bridge.unity.reader import LATE
from sac_kafka.bridge.unity.state import ReadState
from sac_kafka.model import Column, TableDataset
from sac_kafka.model.gaps import CONDITIONS_UNKNOWN
from sac_kafka.unity.flows import NO_COLUMNS
from tests.helpers.unity_catalog import Fault, Statement, UnityCatalog
from tests.unit.bridge.unity.planted import (
    COUNTS,
    CUSTOMERS,
    NOW,
    ORDERS,
    REPORT,
    STATEMENTS,
    TRUTH,
    UNITY,
    at,
    lake,
    read,
    truths_of,
)


def test_the_truth() -> None:
    with lake() as server:
        found = read(server)
    assert truths_of(found.processes) == TRUTH
    assert len(found.processes) == len(TRUTH)
    not_read = found.counts.pop(tables.NOT_READ)
    assert (dict(found.counts), not_read) == (COUNTS, 9)


def test_flows_come_in_the_order_of_time_within_a_day_and_catalog() -> None:
    with lake() as server:
        times = [(each.run.started_ms or 0) for each in read(server).processes]
        assert [day // 86_400_000 for day in times] == sorted(day // 86_400_000 for day in times)
        catalogs = [values["catalog"] for text, values in server.queries if "catalog" in values]
        days = [values["first_day"] for text, values in server.queries if "catalog" in values]
    assert catalogs == ["main", "", "dev", "main", "main"]
    assert days == sorted(days)


def test_facts_types_and_gaps() -> None:
    with lake() as server:
        found = {each.outputs[0].key: each for each in read(server).processes}
    report, mat = found[f"table:{REPORT}"], found["table:main.gold.mat"]
    view, export = found["table:main.gold.view"], found["path:abfss://out@acme.dfs.core.windows.net/export"]
    facts = dict(report.application.facts)
    assert {key: facts[key] for key in ("platform", "workspace_id", "job_id", "run_id", "task", "notebook")} == {
        "platform": "databricks",
        "workspace_id": "1234567890",
        "job_id": "77",
        "run_id": "900",
        "task": "load",
        "notebook": "/Shared/load",
    }
    (output,) = report.outputs
    assert isinstance(output, TableDataset)
    assert (output.provider, output.table_type, output.location) == ("delta", "MANAGED", None)
    assert output.partition_columns == ("day",)
    assert output.columns == (
        Column(name="total", type="decimal(10,2)", nullable=False, comment="with tax"),
        Column(name="day", type="date"),
        Column(name="customer"),
    )
    assert (report.gaps, mat.gaps) == ((CONDITIONS_UNKNOWN,), (NO_COLUMNS, CONDITIONS_UNKNOWN))
    assert (view.defines_view, mat.defines_view, report.defines_view) == (True, False, False)
    assert export.run.requester is not None
    assert (export.run.requester.operation_id, export.application.user) == ("s-3", "ada@example.org")
    assert report.run.started_ms == at(0, 5, 59, 59).timestamp() * 1000


def test_a_second_pass_reads_only_the_overview() -> None:
    with lake() as server:
        first = read(server)
        before = len(server.requests)
        second = read(server, first.state)
        assert server.requests[before:] == ["POST /api/2.0/sql/statements"]
    assert (second.processes, dict(second.counts)) == ([], {})


@pytest.mark.parametrize("size", [1, 3])
def test_results_as_links(size: int) -> None:
    with lake() as server:
        server.inline_rows, server.chunk_rows, server.expire_links = 2, size, True
        found = read(server)
        assert server.link_headers
        assert set(server.link_headers) == {None}
    assert truths_of(found.processes) == TRUTH


def test_each_request_fails_first() -> None:
    faults = (Fault(429, **{"Retry-After": "7"}), Fault(503), Fault(None), Fault(500), Fault(408))
    pauses: list[float] = []
    with lake() as server:
        server.chunk_rows = 3
        server.fault = lambda number, _path: faults[number // 2 % len(faults)] if number % 2 == 0 else None
        found = read(server, pause=lambda seconds: bool(pauses.append(seconds)))
    assert truths_of(found.processes) == TRUTH
    assert set(pauses) == {7.0, 1.0}


@pytest.mark.slow
def test_the_bridge_is_killed_between_any_two_requests() -> None:
    """A workspace that refuses everything from a request on stands for the kill; the last state is saved, or none is."""
    with lake() as server:
        server.chunk_rows = 4
        read(server)
        number = len(server.requests)
        assert number > 25
        for killed in range(number):
            begun = len(server.requests)
            server.fault = lambda at, _path, last=begun + killed: Fault(418) if at >= last else None  # type: ignore[misc]
            first = read(server)
            assert first.error, killed
            server.fault = lambda _number, _path: None
            second = read(server, first.state if killed % 4 else None)
            assert truths_of(first.processes) | truths_of(second.processes) == TRUTH, killed
            if killed % 4:  # at most the flows of one day and catalog are reported twice
                assert len(first.processes) + len(second.processes) <= len(TRUTH) + 4


def test_an_hour_is_read_when_its_rows_have_come() -> None:
    statement = Statement(at=at(0, 5, 30), target=REPORT, sources=(ORDERS, CUSTOMERS), late={CUSTOMERS: 1})
    with UnityCatalog(statement) as server:
        early = read(server, now=at(0, 7, 59))
        server.arrived = 1
        found = read(server, early.state, now=at(0, 8))
    assert early.processes == []
    (process,) = found.processes
    assert [each.key for each in process.inputs] == [f"table:{CUSTOMERS}", f"table:{ORDERS}"]


def test_rows_that_come_late() -> None:
    """All rows but one of a source come in time, and those of columns, and of a whole statement, a day later."""
    late = (
        replace(STATEMENTS[0], late={"columns": 1}),
        Statement(at=at(0, 6, 20), target="main.x.late", sources=(ORDERS,), arrives=1),
        Statement(at=at(0, 6, 30), target="main.x.y", sources=(ORDERS, CUSTOMERS), late={CUSTOMERS: 1}),
        Statement(at=at(0, 6, 40), target="main.x.same", sources=(ORDERS,)),
    )
    with UnityCatalog(*late) as server:
        first = read(server, now=at(0, 12))
        server.arrived = 1
        second = read(server, first.state, now=at(1, 12))
        third = read(server, second.state, now=at(1, 13))
    assert [each.outputs[0].key for each in first.processes] == [
        f"table:{REPORT}",
        "table:main.x.y",
        "table:main.x.same",
    ]
    assert [(each.outputs[0].key, len(each.inputs), len(each.columns)) for each in second.processes] == [
        (f"table:{REPORT}", 2, 2),
        ("table:main.x.late", 1, 0),
        ("table:main.x.y", 2, 0),
    ]
    assert second.counts[LATE] == 2
    assert third.processes == []


def test_rows_later_than_the_overlap_are_not_looked_for() -> None:
    unity = replace(UNITY, overlap_hours=3)
    with UnityCatalog(Statement(at=at(0, 1), target=REPORT, sources=(ORDERS,), arrives=1)) as server:
        first = read(server, unity=unity, now=at(0, 12))
        server.arrived = 1
        assert read(server, first.state, unity=unity, now=at(0, 13)).processes == []
    assert first.state.hours == {}


def test_a_bridge_that_was_away_reads_everything_since() -> None:
    unity = replace(UNITY, since_days=0)
    with UnityCatalog(Statement(at=at(0, 1), target=REPORT, sources=(ORDERS,))) as server:
        first = read(server, unity=unity, now=at(0, 0))
        server.add(Statement(at=at(20, 1), target="main.x.y", sources=(ORDERS,)))
        found = read(server, first.state, unity=unity, now=at(30, 0))
    assert first.processes == []
    assert len(found.processes) == 2


def test_the_state_is_small() -> None:
    hours = [Statement(at=at(0, 0) + timedelta(hours=n), target=REPORT, sources=(ORDERS,)) for n in range(90)]
    with UnityCatalog(*hours) as server:
        found = read(server, now=NOW)
    assert len(found.processes) == 90
    assert min(hour for hour, _ in found.state.hours) == found.state.watermark - UNITY.overlap_hours - 1
    assert ReadState.decode(found.state.encode()) == found.state


def test_a_late_row_after_the_hour_in_which_its_statement_began() -> None:
    begun = Statement(at=at(0, 5, 59), target=REPORT, sources=(ORDERS,), statement_id="s1")
    rest = replace(begun, at=at(0, 6, 1), sources=(CUSTOMERS,), arrives=1)
    with UnityCatalog(begun, rest) as server:
        first = read(server, now=at(0, 12))
        server.arrived = 1
        (process,) = read(server, first.state, now=at(1, 3)).processes
    assert [each.key for each in process.inputs] == [f"table:{CUSTOMERS}", f"table:{ORDERS}"]
