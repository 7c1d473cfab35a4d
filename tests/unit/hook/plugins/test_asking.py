"""Guarded calls of plug-ins: errors and delays of a plug-in stay its own."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sac_kafka.deadlines import MONOTONIC, Clock
from sac_kafka.guard import Guard
from sac_kafka.hook.plugins.asking import MAX_SECONDS, GuardedPlugin
from sac_kafka.model import Column, PathDataset, RdbmsDataset, TableDataset, TopicDataset
from sac_kafka.plugins import Reading, Source, spark_class
from tests.helpers.waiting import FakeClock

CALLED = "the plug-in acme = acme:SOURCES (acme-lineage 1.0)"
TABLE = RdbmsDataset(rdbms_type="acme", database="d", table="t", port=1, columns=(Column(name="id", type="int"),))


@spark_class("com.acme.Relation")
class Relation:
    name: str


def guarded(function: Callable[..., Any], clock: Clock = MONOTONIC) -> tuple[Source, Guard]:
    guard = Guard()
    row = Source(names=frozenset({"acme"}), dataset=function, reads={Relation: function})
    return GuardedPlugin(CALLED, guard, clock).guard_source(row), guard


@pytest.mark.parametrize("given", [TABLE, None, PathDataset(path="file:/a", format=""), TopicDataset(topic="t")])
def test_dataset_is_returned_unchanged(given: Any) -> None:
    row, guard = guarded(lambda options, columns: given)
    assert row.identify({}, ()) == given
    reading = row.reads[Relation](Relation(name="x"), ())
    assert (reading.datasets if reading else None) == ((given,) if given else None)
    assert guard.counts == {}


def test_several_datasets_are_returned_unchanged() -> None:
    given = Reading(datasets=(TABLE, TopicDataset(topic="t")), counts=("something",))
    row, guard = guarded(lambda relation, columns: given)
    assert row.reads[Relation](Relation(name="x"), ()) is given
    assert guard.counts == {}


NONSENSE = {
    "a text": "d.t",
    "a number for a name": RdbmsDataset(rdbms_type="acme", database="d", table=5),  # type: ignore[arg-type]
    "no name": RdbmsDataset(rdbms_type="acme", database="d", table=""),
    "a text for a port": RdbmsDataset(rdbms_type="acme", database="d", table="t", port="1"),  # type: ignore[arg-type]
    "a list of columns": TopicDataset(topic="t", columns=[Column(name="a")]),  # type: ignore[arg-type]
    "texts for columns": TopicDataset(topic="t", columns=("a",)),  # type: ignore[arg-type]
    "a column without a name": TopicDataset(topic="t", columns=(Column(name=None),)),  # type: ignore[arg-type]
    "half a character": TopicDataset(topic="\ud800"),
    "half a character within": TableDataset(database="d", name="t", properties=(("a", "\ud800"),)),
    "a reading of texts": Reading(datasets=("d.t",)),  # type: ignore[arg-type]
    "a reading of nonsense": Reading(datasets=(TopicDataset(topic=""),)),
    "columns of an unknown type": Reading(datasets=(TABLE,), base=TABLE.key, columns={"a": "b"}),  # type: ignore[dict-item]
}


@pytest.mark.planted
@pytest.mark.parametrize("given", NONSENSE.values(), ids=NONSENSE)
def test_result_that_is_no_dataset_is_ignored(given: Any) -> None:
    row, guard = guarded(lambda found, columns: given)
    assert row.reads[Relation](Relation(name="x"), ()) is None
    assert guard.counts == {f"reads of com.acme.Relation of {CALLED}: PluginError": 1}
    if not isinstance(given, Reading):
        assert row.identify({}, ()) is None


@pytest.mark.planted
def test_error_is_logged_once_counted_and_shows_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    def fails(options: Any, columns: Any) -> None:
        raise ValueError("cannot read jdbc:acme://me:hunter2zX9@db1/x")

    row, guard = guarded(fails)
    assert [row.identify({}, ()), row.identify({}, ())] == [None, None]
    assert guard.counts == {f"dataset of {CALLED}: ValueError": 2}
    warnings = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(warnings) == 1 and CALLED in warnings[0]
    assert "hunter2zX9" not in caplog.text


@pytest.mark.planted
def test_plugin_that_hangs_is_left_behind_and_not_called_again(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[object] = []
    goes_on = threading.Event()

    def hangs(options: Any, columns: Any) -> None:
        calls.append(options)
        goes_on.wait()

    row, guard = guarded(hangs, FakeClock())
    assert [row.identify({}, ()) for _ in range(20)] == [None] * 20
    assert row.reads[Relation](Relation(name="x"), ()) is None
    goes_on.set()
    assert len(calls) == 1
    assert sum(guard.counts.values()) == 21
    assert f"dataset of {CALLED}, the job goes on" in caplog.text
    assert f"no answer within {MAX_SECONDS:g} seconds; it is not called again" in caplog.text


@pytest.mark.planted
def test_plugin_that_ends_its_thread_is_an_error_like_others() -> None:
    row, guard = guarded(lambda options, columns: sys.exit(3))
    assert row.identify({}, ()) is None
    assert guard.counts == {f"dataset of {CALLED}: LateError": 1}


def test_plugin_is_called_while_the_interpreter_exits(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that exits starts no threads."""

    def refuses(thread: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    row, guard = guarded(lambda options, columns: TABLE)
    monkeypatch.setattr(threading.Thread, "start", refuses)
    assert (row.identify({}, ()), guard.counts) == (TABLE, {})
