"""A private file that lines are appended to, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from sac_kafka.transport.base import as_line


class LineFile:
    """Appends one line at a time; the file is made (0600) and opened by the first append.

    Each line goes to the operating system before `append` returns, so it survives the end of the process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def append(self, value: bytes) -> None:
        """Append JSON as one line.

        Raises:
            OSError: The file cannot be opened or written; a line that was written in part has been cut off again.
        """
        if self._descriptor is None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
            self._descriptor = os.open(self.path, flags, 0o600)
        line = as_line(value)
        written = 0
        try:
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
        except OSError:
            self._cut(written)
            raise

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _cut(self, written: int) -> None:
        if written and self._descriptor is not None:
            size = os.fstat(self._descriptor).st_size
            os.ftruncate(self._descriptor, size - written)
