"""Manage the spool directory of a process: create it when needed, and hold the lock of the process's files."""

from __future__ import annotations

import errno

from sac_kafka.transport.spool.directory import found_directory, is_writable, writable_directory
from sac_kafka.transport.spool.locks import Lock, LocksUnsupportedError, try_lock
from sac_kafka.transport.spool.names import WriterId
from sac_kafka.transport.spool.options import NO_DESTINATION, Options


class Workspace:
    """Spool directory, name and lock of the files that this process writes.

    Args:
        options: Directory and destination.
        application: Spark's application id, part of the file names.
    """

    def __init__(self, options: Options, application: str) -> None:
        self._options = options
        self._application = application
        self._is_made = False
        self._lock: Lock | None = None
        self.directory = found_directory(options.files.dir)
        self.writer = self._new_writer()

    @property
    def lock(self) -> Lock | None:
        """Lock that marks this process as alive; None before anything is written."""
        return self._lock

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
        if self._lock is not None and self._lock.path.parent == self.directory and self._lock.path.exists():
            return
        if self._lock is not None:
            self._lock.release(remove=False)
        for _ in range(3):
            try:
                self._lock = try_lock(self.directory / self.writer.lock_name)
            except LocksUnsupportedError:
                return  # Without locks no process adopts the files of others, so none is needed.
            if self._lock is not None:
                return
            self.writer = self._new_writer()
        raise OSError(errno.EAGAIN, "the lock of a new file is held by another process", str(self.directory))

    def release_lock(self) -> None:
        """Release the lock. Idempotent."""
        if self._lock is not None:
            self._lock.release(remove=True)  # A missing lock file counts as unlocked.
            self._lock = None

    def _new_writer(self) -> WriterId:
        return WriterId.new(self._application, self._options.destination or NO_DESTINATION)
