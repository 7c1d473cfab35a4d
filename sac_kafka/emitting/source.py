"""Provide the flows that a process states as a source of events of the worker."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence

from sac_kafka.guard import Guard
from sac_kafka.hook.event_source import Control, ControlHandler, ControlKind, UnsharedSource
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.model import Outcome
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome

_FLOW, _MARKER = "flow", "marker"
FLOWS = "flows"
MAX_WAITING = 1_000
"""Limit of the statements that wait; the next one waits for room."""


class StatedSource(UnsharedSource):
    """The source of events of one process (`hook.event_source.EventSource`): a queue, which lives as long as the process.

    Args:
        pipeline: Takes the outcomes.
        guard: The guard of reading.
    """

    def __init__(self, pipeline: Pipeline, guard: Guard) -> None:
        self._pipeline = pipeline
        self._guard = guard
        self._room = threading.Condition()
        self._is_over = False
        self._arrived = threading.Event()
        self._texts: deque[str] = deque()
        self._outcomes: dict[str, tuple[Outcome, ...]] = {}
        self._number = 0
        self.counts: Counter[str] = Counter()

    def put(self, outcomes: tuple[Outcome, ...]) -> None:
        """Add the outcomes of a statement, waiting while there are many. Safe in any thread."""
        with self._room:
            self._room.wait_for(lambda: len(self._outcomes) < MAX_WAITING or self._is_over)
            self._number += 1
            text = f"{_FLOW} {self._number}"
            self._outcomes[text] = outcomes
            self._texts.append(text)
        self._arrived.set()

    @property
    def left(self) -> int:
        """The number of statements that were not read."""
        return len(self._outcomes)

    @property
    def pending(self) -> frozenset[int]:
        """Return nothing: no other process can take over."""
        return frozenset()

    def start(self) -> None:
        """Do nothing: the process itself puts flows."""

    def prepare(self) -> None:
        """Load the stages."""
        with self._guard("lineage"):
            self._pipeline.state()

    def poll(self, wait_ms: int) -> Sequence[str]:
        """Return what was added, waiting for the first."""
        if not self._texts:
            self._arrived.wait(wait_ms / 1000)
        self._arrived.clear()
        found = []
        while self._texts:
            found.append(self._texts.popleft())
        return found

    def is_event(self, text: str) -> bool:
        """Return whether a text has a flow."""
        return text.startswith(_FLOW)

    def read(self, text: str, on_control: ControlHandler) -> Iterator[ScheduledOutcome]:
        """Yield what comes of a statement, or handle a marker."""
        if not self.is_event(text):
            on_control(Control(ControlKind.MARKER, int(text.partition(" ")[2])))
            return
        with self._room:
            outcomes = self._outcomes.pop(text)
            self._room.notify()
        self.counts[FLOWS] += 1
        yield from self._pipeline.add(lambda: outcomes)

    def ended(self, *, goes_on: bool) -> Iterator[ScheduledOutcome]:
        """Yield no outcome: the source holds none back."""
        del goes_on
        yield from ()

    def confirm(self, pending: Iterable[int]) -> None:
        """Do nothing: what is not delivered is in the spool."""

    def mark(self, number: int) -> None:
        """Add a marker behind everything that was put."""
        self._texts.append(f"{_MARKER} {number}")
        self._arrived.set()

    def wake(self) -> None:
        """End the running poll, or the next one."""
        self._arrived.set()

    def end(self) -> None:
        """Make no statement wait any longer: what is put later is refused by the session."""
        with self._room:
            self._is_over = True
            self._room.notify_all()

    def close(self) -> None:
        """Do nothing: the queue is in memory."""
