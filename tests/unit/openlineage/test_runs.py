"""Order, repetition and division of events do not change what is known of a run, and the flows are the same."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.open_runs import OpenRuns
from sac_kafka.openlineage.runs import merge, run_of
from tests.unit.openlineage.small_events import dataset, edges, event, flows, lineage, parent, schema

NAMES = st.sampled_from(["a.x", "a.y", "a.z"])
FACETS = st.dictionaries(
    st.sampled_from(["schema", "columnLineage", "symlinks"]),
    st.sampled_from([schema("p"), schema("q"), {"_deleted": True}]),
)
DATASETS = st.lists(st.builds(lambda name, facets: dataset(name, **facets), NAMES, FACETS), max_size=3)
EVENTS = st.builds(
    event,
    st.sampled_from(["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]),
    job=st.sampled_from(["j1", "j2"]),
    second=st.integers(0, 3),
    inputs=DATASETS,
    outputs=DATASETS,
    run_facets=st.dictionaries(st.just("parent"), st.builds(parent, st.sampled_from(["p1", "p2"]))),
)


def merged(events: list[Any]) -> object:
    return reduce(merge, (run_of(read_event(each)) for each in events))


@pytest.mark.slow
@given(st.lists(EVENTS, min_size=1, max_size=6), st.randoms(use_true_random=False), st.integers(0, 6))
def test_order_repetition_and_division_do_not_matter(events: list[Any], random: Any, at: int) -> None:
    again = [*events, *random.choices(events, k=3)]
    random.shuffle(again)
    assert merged(again) == merged(events)
    parts = [part for part in (again[:at], again[at:]) if part]
    assert reduce(merge, (merged(part) for part in parts)) == merged(events)  # type: ignore[arg-type,type-var]


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_flows_do_not_depend_on_the_order_of_the_events_of_several_runs(random: Any) -> None:
    ctas = [
        event("START", run="outer", second=1, inputs=[dataset("a.x")], outputs=[dataset("t", "file")],
              run_facets={"parent": parent("app")}),
        event("START", run="inner", second=2, inputs=[dataset("a.x")], outputs=[dataset("t", "file")],
              run_facets={"parent": parent("app")}),
        event("COMPLETE", run="inner", second=3, run_facets={"parent": parent("app")},
              outputs=[dataset("t", "file", schema=schema("id"))]),
        event("COMPLETE", run="outer", second=4, run_facets={"parent": parent("app")},
              outputs=[dataset("t", "file", columnLineage=lineage("id", ("a.x", "id", "IDENTITY")))]),
        event("COMPLETE", run="other", second=9, inputs=[dataset("a.y")], outputs=[dataset("a.z")]),
    ]  # fmt: skip
    expected = flows(ctas)
    assert [edges(each) for each in expected] == [
        (["spark_catalog.a.x"], ["file:/t"]),
        (["spark_catalog.a.y"], ["spark_catalog.a.z"]),
    ]
    again = [*ctas, *random.choices(ctas, k=4)]
    random.shuffle(again)
    assert flows(again) == expected


def test_latest_facet_counts_and_its_absence_deletes_nothing() -> None:
    (flow,) = flows(
        [
            event("START", second=1, inputs=[dataset("a.x", schema=schema("old"))]),
            event("RUNNING", second=2, inputs=[dataset("a.x", schema=schema("new"))], outputs=[dataset("a.y")]),
            event("COMPLETE", second=3, inputs=[dataset("a.x")]),
        ]
    )
    assert [each.name for each in flow.inputs[0].columns] == ["new"]


def test_failure_takes_precedence_over_a_later_end() -> None:
    write = {"inputs": [dataset("a.x")], "outputs": [dataset("a.y")]}
    failed = {"errorMessage": {"message": "org.example.LoadException: [BAD_ROW] row 7 of mail=x@y SQLSTATE: 22012"}}
    (flow,) = flows(
        [event("START", second=1, **write), event("FAIL", second=2, run_facets=failed), event("COMPLETE", second=3)]
    )
    assert flow.run.failure == "FAIL: BAD_ROW SQLSTATE 22012"
    (aborted,) = flows([event("ABORT", second=2, **write), event("COMPLETE", second=3)])
    assert aborted.run.failure == "ABORT"


def test_run_takes_from_its_earliest_start_to_its_latest_end() -> None:
    write = {"inputs": [dataset("a.x")], "outputs": [dataset("a.y")]}
    (flow,) = flows([event("START", second=s) for s in (5, 2)] + [event("COMPLETE", second=s, **write) for s in (8, 9)])
    assert flow.run.started_ms is not None and flow.run.ended_ms is not None
    assert flow.run.ended_ms - flow.run.started_ms == 7_000


def settled(runs: OpenRuns, now: float) -> list[Any]:
    return [each for group in runs.due(now) for each in group]


def test_run_waits_for_events_that_arrive_late() -> None:
    runs = OpenRuns()
    write = {"inputs": [dataset("a.x")], "outputs": [dataset("a.y")]}
    runs.add(read_event(event("COMPLETE", second=3)), 0.0)
    assert settled(runs, 1.0) == []
    runs.add(read_event(event("START", second=1, **write)), 1.5)
    assert settled(runs, 3.0) == []
    assert len(settled(runs, 3.6)) == 1


def test_run_that_was_reported_is_reported_again_only_if_it_has_changed() -> None:
    runs = OpenRuns()
    whole = event("COMPLETE", second=3, inputs=[dataset("a.x")], outputs=[dataset("a.y")])
    runs.add(read_event(whole), 0.0)
    assert len(settled(runs, 10.0)) == 1
    runs.add(read_event(whole), 20.0)
    assert settled(runs, 30.0) == []
    runs.add(read_event(event("OTHER", second=4, inputs=[dataset("a.w")])), 40.0)
    (flow,) = settled(runs, 50.0)
    assert edges(flow) == (["spark_catalog.a.w", "spark_catalog.a.x"], ["spark_catalog.a.y"])


def test_run_without_an_end_is_reported_when_nothing_follows() -> None:
    runs = OpenRuns()
    runs.add(read_event(event("START", inputs=[dataset("a.x")], outputs=[dataset("a.y")])), 0.0)
    assert settled(runs, 200.0) == []
    assert len(settled(runs, 301.0)) == 1
    assert runs.counts["runs reported without an end"] == 1


def test_stream_is_reported_at_its_start_and_is_one_flow() -> None:
    runs = OpenRuns()
    kind = {"jobType": {"processingType": "STREAMING"}}
    write = {"inputs": [dataset("a.x")], "outputs": [dataset("a.y")], "job_facets": kind}
    runs.add(read_event(event("START", second=1, **write)), 0.0)
    (flow,) = settled(runs, 2.5)
    assert flow.stream is not None and flow.stream.is_running
    runs.add(read_event(event("COMPLETE", second=9, **write)), 10.0)
    (ended,) = settled(runs, 20.0)
    assert ended.stream is not None and not ended.stream.is_running
    assert ended.stream.identity == flow.stream.identity


def test_part_of_an_action_waits_for_the_other_runs() -> None:
    runs = OpenRuns()
    of = {"run_facets": {"parent": parent("app")}, "outputs": [dataset("t", "file")], "inputs": [dataset("a.x")]}
    runs.add(read_event(event("START", run="outer", second=1, **of)), 0.0)
    runs.add(read_event(event("COMPLETE", run="inner", second=2, **of)), 0.0)
    assert settled(runs, 100.0) == []
    runs.add(read_event(event("COMPLETE", run="outer", second=3, **of)), 101.0)
    assert len(settled(runs, 104.0)) == 1


def test_open_runs_are_bounded() -> None:
    runs = OpenRuns()
    runs.waiting = type(runs.waiting)(max_runs=10)
    for number in range(15):
        runs.add(
            read_event(event("START", run=f"r{number}", inputs=[dataset("a.x")], outputs=[dataset(f"a.t{number}")])),
            0.0,
        )
    assert len(settled(runs, 0.1)) == 5
    assert len(runs) == 10


def test_places_are_those_of_open_runs() -> None:
    runs = OpenRuns()
    write = {"inputs": [dataset("a.x")], "outputs": [dataset("a.y")]}
    runs.add(read_event(event("START", second=1, **write)), 0.0, 3)
    runs.add(read_event(event("COMPLETE", second=2)), 1.0, 4)
    runs.add(read_event(event("START", run="r2")), 1.0, 4)
    assert runs.places == {3, 4}
    assert len(settled(runs, 5.0)) == 1
    assert runs.places == {4}
