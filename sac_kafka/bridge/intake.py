"""Queue what the inputs of a bridge receive: lines of files in memory, everything else in the journal."""

from __future__ import annotations

import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from sac_kafka.bridge.journal import Journal, Placed

NOWHERE = 0
"""The place of an event that no journal keeps, because it can be read again."""
_MAX_WAITING = 1_000
_MAX_BATCH = 500
_LINGER_SECONDS = 0.05
"""How long further events are waited for, so that a turn of the worker has many."""
_JOIN_SECONDS = 10.0


class Intake:
    """The queue between the threads of inputs and that of the worker.

    Args:
        inputs: Number of inputs that end by themselves; the queue ends with the last of them, if there are no others.
        journal: Keeps the events of inputs that do not end; None if all do.

    Attributes:
        counts: What the inputs have not taken, by reason.
    """

    def __init__(self, inputs: int, journal: Journal | None = None) -> None:
        self.journal = journal
        self.counts: Counter[str] = Counter()
        self._lines: queue.Queue[str] = queue.Queue(_MAX_WAITING)
        self._running = inputs
        self._arrived = threading.Event()
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def is_over(self) -> bool:
        """Whether nothing follows: the inputs have ended, and all they brought was taken."""
        return self.journal is None and self._running == 0 and self._lines.empty()

    def put(self, line: str) -> bool:
        """Add a line of a file, waiting while there are many; return False if the bridge ends."""
        while not self._is_closed:
            try:
                self._lines.put(line, timeout=0.2)
            except queue.Full:
                continue
            self._arrived.set()
            return True
        return False

    def keep(self, texts: Sequence[str], events: Sequence[object] | None = None) -> None:
        """Add events that cannot be read again; they survive the end of this process. `events` as in `Journal.append`.

        Raises:
            FullError: They cannot be written.
        """
        assert self.journal is not None
        self.journal.append(texts, events)
        self._arrived.set()

    def count(self, reason: str) -> None:
        """Count what an input has not taken."""
        with self._lock:
            self.counts[reason] += 1

    def end(self) -> None:
        """Note that an input has ended."""
        with self._lock:
            self._running -= 1
        self._arrived.set()

    def wake(self) -> None:
        """End the running wait, or the next one."""
        self._arrived.set()

    def close(self) -> None:
        """Take no more lines."""
        self._is_closed = True
        self._arrived.set()

    def take(self, wait_seconds: float) -> list[Placed]:
        """Return new events with their places, waiting for the first."""
        arrived = self._read()
        if not arrived and not self.is_over:
            if self._arrived.wait(wait_seconds) and wait_seconds > _LINGER_SECONDS and self.journal is not None:
                time.sleep(_LINGER_SECONDS)
            self._arrived.clear()
            arrived = self._read()
        return arrived

    def _read(self) -> list[Placed]:
        arrived = [*self.journal.read(_MAX_BATCH)] if self.journal is not None else []
        with suppress(queue.Empty):
            while len(arrived) < _MAX_BATCH:
                arrived.append(Placed(NOWHERE, self._lines.get_nowait()))
        return arrived


class Input(Protocol):
    """An input of events: it has a separate thread, which `start` begins and `stop` ends."""

    ends: bool

    def start(self, intake: Intake) -> None:
        """Begin.

        Raises:
            SacKafkaError: It cannot be read.
        """

    def stop(self) -> None:
        """End, and wait for the thread a short time."""


class ThreadInput(ABC):
    """An input whose thread calls `run` once; `name` is that of the thread, `_stopped` ends it."""

    name: str
    ends = False

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def run(self, intake: Intake) -> None:
        """Read until there is nothing left, or the bridge ends."""

    def start(self, intake: Intake) -> None:
        """Begin to read."""
        self._thread = threading.Thread(target=self.run, args=(intake,), name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the thread a short time."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_JOIN_SECONDS)
