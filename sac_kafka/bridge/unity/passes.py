"""Read Unity Catalog in a thread, once or at intervals, because requests take long."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress

from sac_kafka.bridge.unity.reader import Checkpoint, Reader
from sac_kafka.bridge.unity.workspace import EndingError
from sac_kafka.errors import SacKafkaError
from sac_kafka.guard import Guard
from sac_kafka.log import logger
from sac_kafka.model import Process

_MAX_WAITING = 500
_MAX_BATCH = 100
_PUT_SECONDS = 0.2
_JOIN_SECONDS = 5.0
_INTERNAL = "an internal error, which the log describes"


class Passes:
    """The passes of a reader, and the bounded queue of what they yield.

    Args:
        reader: Reads the flows.
        guard: The guard of its thread.
        stopped: Is set when it ends; waits of the reader end with it.
        interval_seconds: How often new rows are looked for; None for once.

    Attributes:
        problem: Why the last pass has failed; "" if it has not.
    """

    def __init__(self, reader: Reader, guard: Guard, stopped: threading.Event, interval_seconds: float | None) -> None:
        self.problem = ""
        self._reader = reader
        self._guard = guard
        self._stopped = stopped
        self._interval_seconds = interval_seconds
        self._items: queue.Queue[Process | Checkpoint | None] = queue.Queue(_MAX_WAITING)
        self._thread: threading.Thread | None = None
        self._is_over = True

    @property
    def is_over(self) -> bool:
        """Whether the reader adds no more."""
        return self._is_over

    def start(self) -> None:
        """Begin to read."""
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="sac-kafka-unity", daemon=True)
        self._thread.start()

    def take(self, wait_seconds: float) -> list[Process | Checkpoint]:
        """Return what was read next, waiting for the first."""
        found: list[Process | Checkpoint] = []
        with suppress(queue.Empty):
            item = self._items.get(timeout=wait_seconds) if wait_seconds else self._items.get_nowait()
            while item is not None:
                found.append(item)
                if len(found) == _MAX_BATCH:
                    break
                item = self._items.get_nowait()
        return found

    def wake(self) -> None:
        """End the running `take`, or the next one."""
        with suppress(queue.Full):
            self._items.put_nowait(None)

    def stop(self) -> None:
        """End, and wait for the thread a short time."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_JOIN_SECONDS)

    # ---- the thread

    def _run(self) -> None:
        self._pass()
        while self._interval_seconds is not None and not self._stopped.wait(self._interval_seconds):
            self._pass()
        self._is_over = True
        self.wake()

    def _pass(self) -> None:
        problem = _INTERNAL
        with self._guard("unity"):
            problem = self._read()
        self.problem = problem

    def _read(self) -> str:
        """Read what is new; return the problem that has prevented it, "" if none has."""
        try:
            for item in self._reader.read():
                self._put(item)
        except EndingError:
            return ""
        except SacKafkaError as error:
            if str(error) != self.problem:
                logger.warning("the lineage of Unity Catalog cannot be read: %s", error)
            return str(error)
        return ""

    def _put(self, item: Process | Checkpoint) -> None:
        while not self._stopped.is_set():
            with suppress(queue.Full):
                self._items.put(item, timeout=_PUT_SECONDS)
                return
        raise EndingError("the bridge ends")
