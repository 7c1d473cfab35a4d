"""What goes between the thread that attaches and the one that makes the parts: whoever comes first decides."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sac_kafka.errors import AttachError
from sac_kafka.settings import Settings
from sac_kafka.settings.driver import DriverBounds


class Attempt:
    """An attempt to attach, which is given up when its time is over or who waits is interrupted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._has_read = threading.Event()
        self._is_decided = threading.Event()
        self._is_given_up = False
        self._settings: tuple[Settings, str] | None = None
        self._error: Exception | None = None

    # ---- the thread that attaches

    def wait(self) -> tuple[Settings, str]:
        """Wait for the parts, and give the settings and their source.

        The time is `atlas.hook.spark.attach.timeout.seconds`, until that is read its default.

        Raises:
            AttachError: The time was up.
            Exception: What went wrong in the other thread.
        """
        start, seconds = time.monotonic(), DriverBounds.attach_timeout_seconds
        try:
            if self._has_read.wait(seconds) and self._settings is not None:
                seconds = self._settings[0].driver.attach_timeout_seconds
            self._is_decided.wait(max(0.0, start + seconds - time.monotonic()))
        finally:  # also when who waits is interrupted (Ctrl-C)
            with self._lock:
                self._is_given_up = not self._is_decided.is_set()
        if self._error is not None:
            raise self._error
        if self._is_given_up or self._settings is None:
            raise AttachError(f"the driver did not answer within {seconds:g} seconds")
        return self._settings

    # ---- the thread that makes the parts

    def has_read(self, settings: Settings, source: str) -> bool:
        """Say what the settings are and where they come from; False where nobody waits any longer."""
        self._settings = settings, source
        self._has_read.set()
        return not self._is_given_up

    @contextmanager
    def decided(self, error: Exception | None) -> Iterator[bool]:
        """All is made, or has failed: the body is run before anybody sees it. Gives whether somebody still waits."""
        with self._lock:
            yield not self._is_given_up
            self._error = error
            self._is_decided.set()
            self._has_read.set()
