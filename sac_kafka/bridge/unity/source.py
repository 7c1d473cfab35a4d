"""Provide the flows of Unity Catalog as a source of events of the worker; a thread reads them, as requests take long."""

from __future__ import annotations

import queue
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from sac_kafka.bridge.unity.reader import Checkpoint, Reader
from sac_kafka.bridge.unity.state import StateFile
from sac_kafka.bridge.unity.workspace import EndingError
from sac_kafka.errors import SacKafkaError
from sac_kafka.guard import Guard
from sac_kafka.hook.event_source import Control, ControlHandler, ControlKind
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.log import logger
from sac_kafka.model import Process
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome

_FLOW, _STATE, _MARKER, _END = "flow", "state", "marker", "end"
_MAX_WAITING = 500
_MAX_BATCH = 100
_PUT_SECONDS = 0.2
_JOIN_SECONDS = 5.0


class UnitySource:
    """The source of events of one workspace (`hook.event_source.EventSource`).

    Args:
        reader: Reads the flows.
        file: Keeps the state.
        pipeline: Takes the flows.
        guard: The guard of its thread.
        stopped: Is set when it ends; waits of the reader end with it.
        counts: The counters of the reader.
        interval_seconds: How often new rows are looked for; None for once.
    """

    def __init__(
        self,
        reader: Reader,
        file: StateFile,
        pipeline: Pipeline,
        guard: Guard,
        stopped: threading.Event,
        counts: Counter[str],
        interval_seconds: float | None,
    ) -> None:
        self._reader = reader
        self._file = file
        self._pipeline = pipeline
        self._guard = guard
        self._stopped = stopped
        self._counts = counts
        self._interval_seconds = interval_seconds
        self._items: queue.Queue[Process | Checkpoint | None] = queue.Queue(_MAX_WAITING)
        self._taken: deque[Process | Checkpoint] = deque()
        self._unsaved: Checkpoint | None = None
        self._markers: deque[int] = deque()
        self._thread: threading.Thread | None = None
        self._is_over = True
        self.problem = ""
        """Why the last pass has failed; "" if it has not."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of what was read, and of what is no flow, by reason."""
        return self._counts.copy()

    @property
    def pending(self) -> frozenset[int]:
        """Return nothing: what is not confirmed is read again."""
        return frozenset()

    @property
    def has_failed(self) -> bool:
        """Return False: a statement that has failed is no failure of the bridge."""
        return False

    def start(self) -> None:
        """Begin to read."""
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="sac-kafka-unity", daemon=True)
        self._thread.start()

    def prepare(self) -> None:
        """Load the stages."""
        with self._guard("lineage"):
            self._pipeline.state()

    def poll(self, wait_ms: int) -> Sequence[str]:
        """Return what was read, then markers, and the end after the last state is saved."""
        is_over = self._is_over
        texts = [*self._next(0.0 if is_over else wait_ms / 1000)]
        while self._markers:
            texts.append(f"{_MARKER} {self._markers.popleft()}")
        if is_over and not texts and self._unsaved is None:
            texts.append(_END)
        return texts

    def _next(self, wait_seconds: float) -> Iterator[str]:
        with suppress(queue.Empty):
            for number in range(_MAX_BATCH):
                item = (
                    self._items.get(timeout=wait_seconds) if not number and wait_seconds else self._items.get_nowait()
                )
                if item is not None:
                    self._taken.append(item)
                    yield _FLOW if isinstance(item, Process) else _STATE

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
        with suppress(queue.Full):
            self._items.put_nowait(None)

    @property
    def goes_on_without(self) -> bool:
        """Return False: the thread ends with this process."""
        return False

    def others(self) -> bool:
        """Return False: no other process shares the state."""
        return False

    def release(self) -> None:
        """Do nothing: no other process takes over."""

    def end(self) -> None:
        """Stop the thread."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_JOIN_SECONDS)

    def close(self) -> None:
        """Leave the file of the state to another bridge."""
        self._file.close()

    # ---- the thread

    def _run(self) -> None:
        with self._guard("unity"):
            self._pass()
            while self._interval_seconds is not None and not self._stopped.wait(self._interval_seconds):
                self._pass()
        self._is_over = True
        self.wake()

    def _pass(self) -> None:
        problem = ""
        try:
            for item in self._reader.read():
                self._put(item)
        except EndingError:
            return
        except SacKafkaError as error:
            problem = str(error)
            if problem != self.problem:
                logger.warning("the lineage of Unity Catalog cannot be read: %s", problem)
        self.problem = problem

    def _put(self, item: Process | Checkpoint) -> None:
        while not self._stopped.is_set():
            with suppress(queue.Full):
                self._items.put(item, timeout=_PUT_SECONDS)
                return
        raise EndingError("the bridge ends")
