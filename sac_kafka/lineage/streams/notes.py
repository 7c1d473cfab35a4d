"""Notes that came while batches ran: what they say of the rows of a batch is known once the batch is over."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from sac_kafka.lineage.columns.origins import Origins
from sac_kafka.lineage.model import Process
from sac_kafka.lineage.streams.batch_rows import BatchRows
from sac_kafka.plan.driver_notes import DriverNote
from sac_kafka.plan.nodes import LogicalPlan

MAX_NOTES = 200
"""Notes that are kept until a batch is over; the oldest is forgotten first."""


class NotesOfBatches:
    """Keeps the notes that came while a batch was open.

    `take` takes one again, where more is known of its rows; `with_reads` gives a process with the reads whose values its
    statement holds, by their numbers.
    """

    def __init__(
        self, take: Callable[[DriverNote, Origins], None], with_reads: Callable[[Process, Sequence[int]], Process]
    ) -> None:
        self._take = take
        self.with_reads = with_reads
        self._notes: deque[DriverNote] = deque(maxlen=MAX_NOTES)

    def add(self, note: DriverNote) -> None:
        """One came."""
        self._notes.append(note)

    @property
    def plans(self) -> tuple[LogicalPlan, ...]:
        """The plans of all of them."""
        return tuple(note.plan for note in self._notes if note.plan is not None)

    def again(self, rows: BatchRows) -> None:
        """Take them again, where one reads the rows of a batch that is over."""
        if any(map(rows.are_in, self.plans)):
            for note in self._notes:
                self._take(note, rows)

    def clear(self) -> None:
        """No batch is open."""
        self._notes.clear()
