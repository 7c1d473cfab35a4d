"""Checkpoint calls: only lazy checkpoints are reported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.guard import Guard
from sac_kafka.spark.calls import rdds
from sac_kafka.spark.calls.instrumentor import Instrumentor


class Frame:
    _jdf = "the query"

    def checkpoint(self, eager: bool = True) -> Any:
        return SimpleNamespace(_jdf=("reliable", eager))

    def localCheckpoint(self, eager: bool = True, storageLevel: object = None) -> Any:  # noqa: N802, N803 as PySpark
        return SimpleNamespace(_jdf=("local", eager))


def test_reports_lazy_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[tuple[str, object, str]] = []
    listener: Any = SimpleNamespace(note_checkpoint=lambda *note: notes.append(note))
    monkeypatch.setattr(rdds, "data_frame_class", lambda: Frame)
    guard = Guard()
    instrumentor = Instrumentor(guard)
    rdds.watch(instrumentor, listener, follows_rdds=False)
    frame = Frame()
    frame.checkpoint()
    frame.localCheckpoint(True)
    frame.checkpoint(False)
    frame.localCheckpoint(eager=False, storageLevel="disk")
    instrumentor.restore()
    frame.checkpoint(False)

    kind = rdds.CHECKPOINT_MADE
    assert notes == [(kind, ("reliable", False), "the query"), (kind, ("local", False), "the query")]
    assert guard.counts == {}
