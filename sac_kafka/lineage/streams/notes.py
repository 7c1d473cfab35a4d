"""Keep the driver's notes that arrive during a batch, and replay them once the origin of the batch's rows is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from sac_kafka.lineage.columns.origins import Origins
from sac_kafka.lineage.model import Process
from sac_kafka.lineage.streams.batch_rows import BatchRows
from sac_kafka.plan.driver_notes import DriverNote
from sac_kafka.plan.nodes import LogicalPlan

MAX_NOTES = 200
"""Notes kept until a batch ends; the oldest is dropped first."""


class BatchNotes:
    """The notes that arrived while a batch ran.

    Args:
        apply: Applies a note again, with the origins of the batch's rows.
        with_reads: Returns a process with the reads, by number, whose values its statement contains.
    """

    def __init__(
        self, apply: Callable[[DriverNote, Origins], None], with_reads: Callable[[Process, Sequence[int]], Process]
    ) -> None:
        self._apply = apply
        self.with_reads = with_reads
        self._notes: deque[DriverNote] = deque(maxlen=MAX_NOTES)

    def add(self, note: DriverNote) -> None:
        """Add a note."""
        self._notes.append(note)

    @property
    def plans(self) -> tuple[LogicalPlan, ...]:
        """The plans of all notes."""
        return tuple(note.plan for note in self._notes if note.plan is not None)

    def replay(self, rows: BatchRows) -> None:
        """Apply the notes again if one of their plans reads the rows of a batch that has ended."""
        if any(map(rows.are_in, self.plans)):
            for note in self._notes:
                self._apply(note, rows)

    def clear(self) -> None:
        """Drop all notes, as no batch is running."""
        self._notes.clear()
