"""Pass settings and errors from the thread that creates the parts to the thread that attaches."""

from __future__ import annotations

import threading

from sac_kafka.deadlines import MONOTONIC, Clock
from sac_kafka.settings import Settings
from sac_kafka.settings.driver import DriverBounds


class Attempt:
    """One attempt to attach; `found` is set once the settings are read. `phases` decides between success and timeout."""

    def __init__(self, clock: Clock = MONOTONIC) -> None:
        self._clock = clock
        self._has_found = threading.Event()
        self._is_over = threading.Event()
        self.found: Settings | None = None
        self._error: Exception | None = None

    def wait(self) -> float:
        """Wait until the attempt is over or timed out; return the timeout in seconds.

        The timeout is `atlas.hook.spark.attach.timeout.seconds`; its default applies until the settings are read.

        Raises:
            Exception: The error of the other thread.
        """
        start, seconds = self._clock(), DriverBounds.attach_timeout_seconds
        if self._clock.wait(self._has_found, seconds) and self.found is not None:
            seconds = self.found.driver.attach_timeout_seconds
        self._clock.wait(self._is_over, max(0.0, start + seconds - self._clock()))
        if self._error is not None:
            raise self._error
        return seconds

    def has_found(self, found: Settings) -> None:
        """Publish the settings."""
        self.found = found
        self._has_found.set()

    def is_over(self, error: Exception | None) -> None:
        """Publish the end of the attempt, with its error if there was one."""
        self._error = error
        self._is_over.set()
        self._has_found.set()
