"""The directory of a spool, made when it is needed, and the name and the lock under which its files stand there."""

from __future__ import annotations

import errno

from sac_kafka.transport.spool.directory import found_directory, is_writable, writable_directory
from sac_kafka.transport.spool.locks import Lock, NoLocksError, taken
from sac_kafka.transport.spool.names import Writer
from sac_kafka.transport.spool.options import NOWHERE, Options


class Home:
    """Where a process writes.

    Args:
        options: Which directory is meant, and which destination.
        application: Spark's application id, names the files.
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
        """What tells others that this process lives; None as long as nothing is written."""
        return self._lock

    def make(self) -> None:
        """See to it that there is a directory that can be written.

        Raises:
            OSError: There is none.
        """
        if self._is_made and is_writable(self.directory):
            return
        self.directory = writable_directory(self._options.files.dir)
        self._is_made = True

    def hold(self) -> None:
        """Hold the lock; where another has it, under another name.

        Raises:
            OSError: It cannot be had.
        """
        if self._lock is not None and self._lock.path.parent == self.directory and self._lock.path.exists():
            return
        if self._lock is not None:
            self._lock.release(remove=False)
        for _ in range(3):
            try:
                self._lock = taken(self.directory / self.writer.lock_name)
            except NoLocksError:
                return  # nobody can tell that this process lives, but who knows no locks touches no files of others
            if self._lock is not None:
                return
            self.writer = self._new_writer()
        raise OSError(errno.EAGAIN, "the lock of a new file is taken", str(self.directory))

    def leave(self) -> None:
        """Let go of the lock. Idempotent."""
        if self._lock is not None:
            self._lock.release(remove=True)  # one that is not there is free
            self._lock = None

    def _new_writer(self) -> Writer:
        return Writer.new(self._application, self._options.destination or NOWHERE)
