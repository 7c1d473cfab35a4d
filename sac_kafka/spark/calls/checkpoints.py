"""Checkpoints of DataFrames that are not computed when they are made: no job shows which RDD they are."""

from __future__ import annotations

from typing import Any

from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.calls.rdds import data_frame_class
from sac_kafka.spark.port import Listening

CHECKPOINT_MADE = "checkpoint that is not computed yet"
"""The kind of the notes (`plan.driver_notes`)."""
_CHECKPOINTING = ("checkpoint", "localCheckpoint")


def watch(instrumentor: Instrumentor, listener: Listening) -> None:
    """Post a note of each `checkpoint(eager=False)` and `localCheckpoint(eager=False)`, with the plan of the DataFrame.

    Does nothing without PySpark.
    """
    kind = data_frame_class()
    if kind is None:
        return

    def made(frame: Any, arguments: tuple[Any, ...], named: dict[str, Any], given: Any, _held: object) -> None:  # noqa: ANN401 as `After`
        is_eager = arguments[0] if arguments else named.get("eager", True)
        if not is_eager:
            listener.note_checkpoint(CHECKPOINT_MADE, given._jdf, frame._jdf)

    for name in _CHECKPOINTING:
        instrumentor.wrap(kind, name, made)
