"""Calls that make an RDD of a DataFrame are reported, others are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.guard import Guard
from sac_kafka.spark.calls import rdds
from sac_kafka.spark.calls.instrumentor import Instrumentor


class Frame:
    _jdf = "the query"

    def __init__(self, *, json_is_frame: bool) -> None:
        self._json_is_frame = json_is_frame

    @property
    def rdd(self) -> Any:
        return SimpleNamespace(_jrdd="rdd")

    def toJSON(self) -> Any:  # noqa: N802 as PySpark
        return self if self._json_is_frame else SimpleNamespace(_jrdd="json")


@pytest.mark.parametrize(
    ("json_is_frame", "reported"),
    [(False, ["rdd", "json"]), (True, ["rdd"])],  # spark.sql.pyspark.toJSON.returnDataFrame
)
def test_reports_calls_that_make_an_rdd(
    monkeypatch: pytest.MonkeyPatch, json_is_frame: bool, reported: list[str]
) -> None:
    notes: list[tuple[str, str, str]] = []
    listener: Any = SimpleNamespace(note_rdd=lambda *note: notes.append(note))
    monkeypatch.setattr(rdds, "data_frame_class", lambda: Frame)
    guard = Guard()
    instrumentor = Instrumentor(guard)
    rdds.watch(instrumentor, listener)
    frame = Frame(json_is_frame=json_is_frame)
    assert (frame.rdd is not None, frame.toJSON() is not None) == (True, True)
    instrumentor.restore()

    assert notes == [(rdds.RDD_OF_QUERY, rdd, "the query") for rdd in reported]
    assert guard.counts == {}
