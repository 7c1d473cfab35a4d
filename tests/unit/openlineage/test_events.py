"""Events of any producer are read; what cannot be read has a reason."""

from __future__ import annotations

from typing import Any

import pytest

from sac_kafka.openlineage.events import (
    MAX_DATASETS,
    MAX_TEXT,
    EventError,
    NamespacedName,
    OtherEventError,
    nanoseconds,
    read_event,
)
from tests.unit.openlineage.small_events import dataset, event, schema


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-24T01:53:38.664Z", 1_795_485_218_664_000_000),
        ("2026-11-24T01:53:38.12Z", 1_795_485_218_120_000_000),
        ("2026-11-24T01:53:38.781000+00:00", 1_795_485_218_781_000_000),
        ("2026-11-24T01:53:38.204026496Z", 1_795_485_218_204_026_496),
        ("2026-11-24T02:53:38+0100", 1_795_485_218_000_000_000),
        ("2026-11-24 01:53:38", 1_795_485_218_000_000_000),
        ("1960-01-01T00:00:00.5Z", -315_619_199_500_000_000),
    ],
)
def test_times_of_all_producers(text: str, expected: int) -> None:
    assert nanoseconds(text) == expected


@pytest.mark.parametrize("text", ["", "today", "2026-13-01T00:00:00Z", "2026-11-24", None, 12, "2026-11-24T25:00:00Z"])
def test_other_times_are_errors(text: object) -> None:
    with pytest.raises(EventError, match="eventTime"):
        nanoseconds(text)


def test_unknown_states_facets_and_producers_are_read() -> None:
    value = event(
        "PAUSED", outputs=[dataset("a.b", schema=schema("id"), invented={"x": 1})], run_facets={"own.facet": {}}
    )
    found = read_event({**value, "producer": None, "somethingNew": []})
    assert (found.state, found.producer, dict(found.run)) == ("OTHER", "", {})
    assert [*found.outputs[NamespacedName("hive://m1:9083", "a.b")]] == ["schema"]


def test_facets_of_the_use_are_facets_of_the_dataset() -> None:
    used = {**dataset("a.b"), "inputFacets": {"inputStatistics": {"rowCount": 3}}}
    assert read_event(event(inputs=[used])).inputs[NamespacedName("hive://m1:9083", "a.b")] == {
        "inputStatistics": {"rowCount": 3}
    }


@pytest.mark.parametrize("part", ["run", "job", "inputs", "outputs"])
@pytest.mark.parametrize(
    "value", [None, 1, "text", [], {}, [None], [{"name": None}], {"facets": 1}, {"facets": {"schema": 1}}]
)
def test_odd_parts_raise_only_what_is_counted(part: str, value: Any) -> None:
    try:
        read_event({**event(), part: value})
    except EventError as error:
        assert str(error)


@pytest.mark.parametrize("value", [{"dataset": {}}, {"job": {"name": "j"}}])
def test_events_of_datasets_and_jobs_are_of_another_kind(value: Any) -> None:
    with pytest.raises(OtherEventError):
        read_event(value)


def test_names_and_lists_have_limits() -> None:
    with pytest.raises(EventError, match="too long"):
        read_event(event(job="j" * (MAX_TEXT + 1)))
    with pytest.raises(EventError, match="more than"):
        read_event(event(inputs=[dataset(f"a.t{n}") for n in range(MAX_DATASETS + 1)]))


def test_only_an_event_without_a_run_is_one_of_a_job() -> None:
    stated = {**event("FAIL", inputs=[dataset("a.x")], outputs=[dataset("a.y")]), "run": None}
    assert read_event(stated).run_id == ""
    for run in ("3f5e83fa", [], {}, 0, False):
        with pytest.raises(EventError, match="run event without runId"):
            read_event({**stated, "run": run})
    for job in ({}, {"namespace": "prod"}, {"namespace": "prod", "name": " "}):
        with pytest.raises(EventError, match="JobEvent without the name of its job"):
            read_event({**stated, "job": job})


def test_versions_of_a_job_without_a_time_are_not_united() -> None:
    old, new = ({**event(inputs=[dataset(name)]), "run": None, "eventTime": None} for name in ("a.x", "a.y"))
    assert read_event(old).key == read_event(dict(reversed(old.items()))).key
    assert read_event(old).key != read_event(new).key
    timed = [{**value, "eventTime": "2026-11-20T06:00:00Z"} for value in (old, new)]
    assert read_event(timed[0]).key == read_event(timed[1]).key
