"""Provide the flows of Unity Catalog as a source of events of the worker."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sac_kafka.bridge.unity.passes import Passes
from sac_kafka.bridge.unity.reader import Checkpoint
from sac_kafka.bridge.unity.state import StateFile
from sac_kafka.guard import Guard
from sac_kafka.hook.event_source import Control, ControlHandler, ControlKind, UnsharedSource
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.model import Process
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome

_FLOW, _STATE, _MARKER, _END = "flow", "state", "marker", "end"


class UnitySource(UnsharedSource):
    """The source of events of one workspace (`hook.event_source.EventSource`).

    Args:
        passes: Read the flows.
        file: Keeps the state.
        pipeline: Takes the flows.
        guard: The guard of saving.
        counts: The counters of the reader.
    """

    def __init__(self, passes: Passes, file: StateFile, pipeline: Pipeline, guard: Guard, counts: Counter[str]) -> None:
        self._passes = passes
        self._file = file
        self._pipeline = pipeline
        self._guard = guard
        self._counts = counts
        self._taken: deque[Process | Checkpoint] = deque()
        self._unsaved: Checkpoint | None = None
        self._markers: deque[int] = deque()

    @property
    def problem(self) -> str:
        """Why the last pass has failed; "" if it has not."""
        return self._passes.problem

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of what was read, and of what is no flow, by reason."""
        return self._counts.copy()

    @property
    def pending(self) -> frozenset[int]:
        """Return nothing: what is not confirmed is read again."""
        return frozenset()

    def start(self) -> None:
        """Begin to read."""
        self._passes.start()

    def prepare(self) -> None:
        """Load the stages."""
        with self._guard("lineage"):
            self._pipeline.state()

    def poll(self, wait_ms: int) -> Sequence[str]:
        """Return what was read, then markers, and the end after the last state is saved."""
        is_over = self._passes.is_over
        found = self._passes.take(0.0 if is_over else wait_ms / 1000)
        self._taken += found
        texts = [_FLOW if isinstance(each, Process) else _STATE for each in found]
        while self._markers:
            texts.append(f"{_MARKER} {self._markers.popleft()}")
        if is_over and not texts and self._unsaved is None:
            texts.append(_END)
        return texts

    def is_event(self, text: str) -> bool:
        """Return whether a text has a flow."""
        return text == _FLOW

    def read(self, text: str, on_control: ControlHandler) -> Iterator[ScheduledOutcome]:
        """Pass a flow through the stages, or note a state."""
        if text in (_FLOW, _STATE):
            item = self._taken.popleft()
            if isinstance(item, Process):
                yield from self._pipeline.add(lambda: (item,))
            else:
                self._unsaved = item
        elif text == _END:
            on_control(Control(ControlKind.END))
        else:
            on_control(Control(ControlKind.MARKER, int(text.partition(" ")[2])))

    def ended(self, *, goes_on: bool) -> Iterator[ScheduledOutcome]:
        """Yield nothing: no outcome is held."""
        del goes_on
        yield from ()

    def confirm(self, pending: Iterable[int]) -> None:
        """Save the state after the flows whose outcomes are delivered or in the spool."""
        del pending
        state, self._unsaved = self._unsaved, None
        if state is not None:
            with self._guard("state"):
                self._file.save(state.state)

    def mark(self, number: int) -> None:
        """Return a marker behind everything that was read."""
        self._markers.append(number)
        self.wake()

    def wake(self) -> None:
        """End the running poll, or the next one."""
        self._passes.wake()

    def end(self) -> None:
        """Stop reading."""
        self._passes.stop()

    def close(self) -> None:
        """Leave the file of the state to another bridge."""
        self._file.close()
