"""Completeness of an application's lineage: hand-made writes, bounds, and every recorded case against its expectation."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.model import Process, Stream
from sac_kafka.plan import wire
from sac_kafka.plan.errors import Throwable
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.rdds import HadoopOutput, RddJobStart, SparkListenerJobEnd
from sac_kafka.settings import Settings
from sac_kafka.stages import completeness
from sac_kafka.stages.completeness import WriteCounter
from sac_kafka.stages.process_stages import StageState, mark_columns_disabled
from sac_kafka.stats import OTHERS, Completeness
from tests.cases.all_cases import CHANGING
from tests.cases.batches import BATCHES, owed
from tests.cases.expected import expected
from tests.helpers.everyday import cover
from tests.helpers.fake_driver import FakeDriver, FakeListener
from tests.helpers.live_runs import APPLICATION as RECORDED
from tests.helpers.live_runs import Capture
from tests.helpers.staged import Actions
from tests.helpers.workers import batch as recorded
from tests.unit.atlas.flows import APPLICATION, ORDERS, TOTALS, copy, process

UNKNOWN, RDD = (
    "relation not understood: org.example.Mystery",
    "columns not known: the rows were made by an RDD's functions",
)
FLOW = copy(ORDERS, TOTALS)


def lacking(*reasons: str, **changed: object) -> Process:
    return dataclasses.replace(FLOW, gaps=reasons, **changed)  # type: ignore[arg-type]


def test_each_write_counts_once_by_its_most_severe_gap() -> None:
    tally = WriteCounter()
    for each in (FLOW, FLOW, lacking(RDD), lacking(RDD, UNKNOWN), process([], [TOTALS]), process([ORDERS], [])):
        tally.add(each)
    tally.count_unreported(APPLICATION, "sink not understood: org.example.Sink")
    assert tally.total == Completeness(
        writes=6,
        with_table_lineage=4,
        with_column_lineage=3,
        reasons={RDD: 1, UNKNOWN: 1, "sink not understood: org.example.Sink": 1},
    )


def test_write_lost_to_an_internal_error_counts_as_unreported() -> None:
    tally = WriteCounter()
    stream = Stream(identity=("q",), name="q", checkpoint=None, query_id="1", run_id="2")
    of_stream = dataclasses.replace(FLOW, stream=stream)
    for each in (FLOW, lacking(RDD), of_stream):
        tally.add(each)
        tally.mark_lost(each)
    tally.mark_lost(process([ORDERS], []))  # a read
    assert tally.total == Completeness(
        writes=3, with_table_lineage=0, with_column_lineage=0, reasons={"internal error of the hook": 3}
    )
    tally.add(of_stream)  # reported again, now as a success
    assert tally.total["with_column_lineage"] == 1


@pytest.mark.planted
@pytest.mark.parametrize("stage", ["messages", "_schedule"])
def test_write_with_an_error_in_a_stage_is_incomplete(
    stage: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = {"atlas.client.type": "memory", "atlas.hook.spool.dir": str(tmp_path)}
    parts = assemble(FakeDriver(listener=FakeListener(recorded("join"))), Settings.read(keys, "test"), Guard())
    target = parts.destinations[0].emitter.output if stage == "messages" else parts.pipeline
    monkeypatch.setattr(target, stage, lambda *_: 1 // 0)
    parts.worker.run()
    assert parts.stats({})["completeness"] == Completeness(
        writes=1, with_table_lineage=0, with_column_lineage=0, reasons={"internal error of the hook": 1}
    )


def test_failed_write_does_not_count() -> None:
    tally = WriteCounter()
    tally.add(dataclasses.replace(FLOW, run=dataclasses.replace(FLOW.run, failure="java.lang.Error")))
    assert tally.total == Completeness(writes=0, with_table_lineage=0, with_column_lineage=0, reasons={})


def test_streaming_query_is_one_write_and_its_last_report_counts() -> None:
    tally = WriteCounter()
    stream = Stream(identity=("q",), name="q", checkpoint=None, query_id="1", run_id="2")
    for each in (lacking(), lacking(UNKNOWN), lacking(RDD)):
        tally.add(dataclasses.replace(each, stream=stream))
    tally.add(dataclasses.replace(FLOW, stream=dataclasses.replace(stream, identity=("other",))))
    assert tally.total == Completeness(writes=2, with_table_lineage=2, with_column_lineage=1, reasons={RDD: 1})


def test_jobs_of_one_application_are_counted_separately() -> None:
    tally = WriteCounter()
    tally.add(FLOW)
    tally.add(copy(ORDERS, TOTALS, job="other"))
    tally.count_unreported(dataclasses.replace(APPLICATION, job="other"), "command not understood: Mystery")
    by_job = {application.job: (found["writes"], found["with_column_lineage"]) for application, found in tally.by_job()}
    assert by_job == {"daily load": (1, 1), "other": (2, 1)}


def test_write_lacks_columns_if_column_lineage_is_disabled() -> None:
    state = StageState(application=FLOW.application, has_columns=False)
    assert mark_columns_disabled(FLOW, state).gaps == ("column lineage disabled",)
    assert mark_columns_disabled(process([], [TOTALS]), state).gaps == ()


def test_memory_is_bounded() -> None:
    tally = WriteCounter()
    for number in range(completeness.MAX_REASONS + 50):
        tally.add(lacking(f"relation not understood: {number:03}"))
    for number in range(completeness.MAX_JOBS + 50):
        tally.add(copy(ORDERS, TOTALS, job=f"job {number}"))
    for number in range(completeness.MAX_STREAMS + 50):
        stream = Stream(identity=(str(number),), name="q", checkpoint=None, query_id="1", run_id="2")
        tally.add(dataclasses.replace(FLOW, stream=stream))
    total = tally.total
    assert (len(total["reasons"]), total["reasons"][OTHERS]) == (completeness.MAX_REASONS + 1, 50)
    assert sum(total["reasons"].values()) == total["writes"] - total["with_column_lineage"] == 150
    assert len(list(tally.by_job())) == completeness.MAX_JOBS
    assert len(tally._streams) == completeness.MAX_STREAMS


EVERY = sorted((BATCHES / owed()[-1]).glob("*.txt"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "batches",
    [
        pytest.param([each for each in EVERY if ("batches", each.stem) in cover()], id="cover"),
        pytest.param(EVERY, id="all", marks=pytest.mark.full),
    ],
)
def test_every_recorded_case_counts_as_expected(batches: list[Path]) -> None:
    """Count by hand: each header is a write, except view definitions and reads; with `(missing)` below it is incomplete."""
    for batch in batches:
        tally, streams = WriteCounter(), set[tuple[str, ...]]()
        actions = Actions(RECORDED, unreported=tally.count_unreported)
        for outcome in Capture.outcomes_of(batch.read_text("utf-8"), actions):
            if isinstance(outcome, Process):
                tally.add(outcome)
                streams.update([outcome.stream.identity] if outcome.stream else ())
        if streams or batch.stem in CHANGING:  # a stream is reported again and counts once
            continue
        by_hand = Counter[bool]()
        is_complete: bool | None = None
        for line in expected(batch.stem):
            if line.startswith("  (missing)"):
                is_complete = False
            elif " <= " in line and not line.startswith(" "):
                by_hand.update([] if is_complete is None else [is_complete])
                is_complete = None if line.startswith(("view ", " <=")) else True
        by_hand.update([] if is_complete is None else [is_complete])
        total = tally.total
        assert (total["writes"], total["with_column_lineage"]) == (by_hand.total(), by_hand[True]), batch.stem


MYSTERY = UnknownPlan(class_name="org.example.Mystery", is_command=True)


def unreported(case: str, root: LogicalPlan = MYSTERY, failure: Throwable | None = None) -> list[str]:
    """Return the reports of unreported writes of a case when another plan replaces those of its executions."""
    reports: list[str] = []
    actions = Actions(RECORDED, unreported=lambda application, reason: reports.append(f"{application.job}: {reason}"))
    for line in wire.read((BATCHES / owed()[-1] / f"{case}.txt").read_text("utf-8")):
        event = line.event if isinstance(line, wire.Projected) else None
        if isinstance(event, SparkListenerSQLExecutionEnd) and event.query_execution is not None:
            query = dataclasses.replace(event.query_execution, analyzed=root)
            event = dataclasses.replace(event, query_execution=query, failure=failure)
        if event is not None:
            list(actions.add(event))
    return reports


def test_unknown_command_counts_as_an_unreported_write() -> None:
    assert unreported("insert_by_name") == [f"{RECORDED.job}: command not understood: Mystery"]


def test_failed_execution_has_no_unreported_write() -> None:
    assert unreported("insert_by_name", failure=Throwable(error_class="java.lang.Error")) == []


def test_query_is_no_write() -> None:
    assert unreported("insert_by_name", dataclasses.replace(MYSTERY, is_command=False)) == []


def test_an_output_of_an_rdd_that_is_not_understood_is_one_when_its_job_has_succeeded() -> None:
    reports: list[str] = []
    started = RddJobStart(
        job_id=7,
        time=1,
        rows=None,
        written=HadoopOutput(format="org.example.StrangeFormat", path=None, table=None),
        is_of_model=False,
        others=0,
        missed=0,
    )
    for failure in (Throwable(error_class="java.lang.Error"), None, None):
        actions = Actions(RECORDED, unreported=lambda _application, reason: reports.append(reason))
        for event in (started, SparkListenerJobEnd(job_id=7, time=2, failure=failure)):
            list(actions.add(event))
    assert reports == ["output of an RDD not understood: StrangeFormat"] * 2
