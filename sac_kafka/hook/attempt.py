"""What goes between the thread that attaches and the one that makes the parts."""

from __future__ import annotations

import threading

from sac_kafka.deadlines import MONOTONIC, Clock
from sac_kafka.hook.session_settings import FoundSettings
from sac_kafka.settings.driver import DriverBounds


class Attempt:
    """An attempt to attach. `found` are the settings, once they are read; who comes first is for `phases` to say."""

    def __init__(self, clock: Clock = MONOTONIC) -> None:
        self._clock = clock
        self._has_found = threading.Event()
        self._is_over = threading.Event()
        self.found: FoundSettings | None = None
        self._error: Exception | None = None

    def wait(self) -> float:
        """Wait until it is over, or its time is; gives that time, in seconds.

        It is `atlas.hook.spark.attach.timeout.seconds`, until that is read its default.

        Raises:
            Exception: What went wrong in the other thread.
        """
        start, seconds = self._clock(), DriverBounds.attach_timeout_seconds
        if self._clock.wait(self._has_found, seconds) and self.found is not None:
            seconds = self.found.settings.driver.attach_timeout_seconds
        self._clock.wait(self._is_over, max(0.0, start + seconds - self._clock()))
        if self._error is not None:
            raise self._error
        return seconds

    def has_found(self, found: FoundSettings) -> None:
        """Say what the settings are, and where they come from."""
        self.found = found
        self._has_found.set()

    def is_over(self, error: Exception | None) -> None:
        """Say that all is made, or what went wrong."""
        self._error = error
        self._is_over.set()
        self._has_found.set()
