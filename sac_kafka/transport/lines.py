"""Append lines to a private file, each completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from sac_kafka.transport.base import as_line

_FLAGS = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_CLOEXEC", 0)
    # A FIFO without a reader is an error instead of a wait.
    | getattr(os, "O_NONBLOCK", 0)
)


class LineFile:
    """Append one line at a time; the file is created (0600) and opened by the first append.

    The path comes from the user, so it may be a link or a device, such as /dev/stdout.

    A file that was moved or removed is created again, so that it can be rotated. `append` returns after the line was
    written to the operating system, so it survives the end of the process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def append(self, value: bytes) -> None:
        """Append JSON as one line.

        Raises:
            OSError: The file cannot be opened or written; a partially written line was truncated.
        """
        if self._descriptor is not None and not self._is_at_path(self._descriptor):
            self.close()
        if self._descriptor is None:
            self._descriptor = os.open(self.path, _FLAGS, 0o600)
        line = as_line(value)
        written = 0
        try:
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
        except OSError:
            self._cut(written)
            raise

    @property
    def end(self) -> int:
        """Size of the open file in bytes, 0 if it is closed."""
        return 0 if self._descriptor is None else os.fstat(self._descriptor).st_size

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _is_at_path(self, descriptor: int) -> bool:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return False
        except OSError:
            return True  # Opening it would fail, too.
        ours = os.fstat(descriptor)
        return (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)

    def _cut(self, written: int) -> None:
        if written and self._descriptor is not None:
            size = os.fstat(self._descriptor).st_size
            os.ftruncate(self._descriptor, size - written)
