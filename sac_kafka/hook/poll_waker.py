"""Ends the poll in which the worker waits: by a thread of its own, as who wants that may be a signal handler."""

from __future__ import annotations

import queue
import threading

from sac_kafka.log import logger
from sac_kafka.spark.listener import GoneError
from sac_kafka.spark.port import Listening


class Waker:
    """Between who asks, and the listener.

    A call of the JVM that hangs costs no more than this thread: the poll ends by itself soon.
    """

    def __init__(self, listener: Listening) -> None:
        self._listener = listener
        self._asked: queue.SimpleQueue[bool] = queue.SimpleQueue()  # its `put` may interrupt itself

    def start(self) -> None:
        """Start its thread: before anybody may ask, because an interpreter that exits starts none."""
        threading.Thread(target=self._run, name="sac-kafka-wake", daemon=True).start()

    def ask(self) -> None:
        """End the poll that waits, or else the next one; any thread may call it, and a signal handler."""
        self._asked.put(True)

    def end(self) -> None:
        """End its thread: nobody polls any longer."""
        self._asked.put(False)

    def _run(self) -> None:
        while self._asked.get():
            self._wake()

    def _wake(self) -> None:
        try:
            self._listener.wake()
        except GoneError as e:
            logger.debug("the poll cannot be ended: %s", e)
