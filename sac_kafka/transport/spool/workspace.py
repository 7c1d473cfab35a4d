"""Manage the spool directory of a process: create it when needed, lock the process's files, and limit their total size."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

from sac_kafka.transport.spool.directory import REJECTED, WriterId, found_directory, is_writable, writable_directory
from sac_kafka.transport.spool.locks import Lock, LocksUnsupportedError, try_lock
from sac_kafka.transport.spool.options import NO_DESTINATION, Options

_MEASURE_SECONDS = 10.0
"""Interval of measurements, as other drivers write, too; own writes are added in between."""


class Quota:
    """Limit of `max_bytes` for all files of a directory, including those of others and rejected messages."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._used = 0
        self._measured_at = -_MEASURE_SECONDS

    def reserve(self, size: int, directory: Path, drop_oldest: Callable[[], bool]) -> None:
        """Make room for so many bytes; `drop_oldest` drops a file and returns False if it has no file to drop.

        Raises:
            OSError: There is no room, even without the other files.
        """
        if size > self._max_bytes:  # Drop nothing for a message that does not fit at all.
            raise OSError(errno.EDQUOT, "the message is longer than atlas.hook.spark.spool.max.bytes")
        now = time.monotonic()
        if now - self._measured_at >= _MEASURE_SECONDS or self._used + size > self._max_bytes:
            self._used, self._measured_at = used_bytes(directory), now
        while self._used + size > self._max_bytes and drop_oldest():
            self._used = used_bytes(directory)
        if self._used + size > self._max_bytes:
            raise OSError(errno.EDQUOT, "the spool files reach atlas.hook.spark.spool.max.bytes")
        self._used += size


def used_bytes(directory: Path) -> int:
    """Return the size of the spool files in the directory and its folder of rejected messages."""
    return _used_bytes(directory) + _used_bytes(directory / REJECTED)


def _used_bytes(folder: Path) -> int:
    try:
        with os.scandir(folder) as entries:
            return sum(_size(entry) for entry in entries if entry.name.endswith(".avro"))
    except OSError:
        return 0


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:  # Removed meanwhile.
        return 0


class Workspace:
    """Spool directory, name and lock of the files that this process writes."""

    def __init__(self, options: Options, application: str) -> None:
        self._options = options
        self._application = application
        self._is_made = False
        self.lock: Lock | None = None
        """Lock that marks this process as alive; None before anything is written."""
        self.directory = found_directory(options.files.dir)
        self.writer = self._new_writer()

    def ensure_directory(self) -> None:
        """Create the directory unless it exists and is writable.

        Raises:
            OSError: No directory can be created and written.
        """
        if self._is_made and is_writable(self.directory):
            return
        self.directory = writable_directory(self._options.files.dir)
        self._is_made = True

    def acquire_lock(self) -> None:
        """Acquire the lock; if another process holds it, choose another file name.

        Raises:
            OSError: The lock cannot be acquired.
        """
        if self.lock is not None and self.lock.path.parent == self.directory and self.lock.path.exists():
            return
        if self.lock is not None:
            self.lock.release(remove=False)
        for _ in range(3):
            try:
                self.lock = try_lock(self.directory / self.writer.lock_name)
            except LocksUnsupportedError:
                return  # Without locks no process adopts the files of others, so none is needed.
            if self.lock is not None:
                return
            self.writer = self._new_writer()
        raise OSError(errno.EAGAIN, "the lock of a new file is held by another process", str(self.directory))

    def release_lock(self) -> None:
        """Release the lock. Idempotent."""
        if self.lock is not None:
            self.lock.release(remove=True)  # A missing lock file counts as unlocked.
            self.lock = None

    def _new_writer(self) -> WriterId:
        return WriterId.new(self._application, self._options.destination or NO_DESTINATION)
