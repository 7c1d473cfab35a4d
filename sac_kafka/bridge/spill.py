"""Keep what open runs consist of in a file without a name: it ends with the process, as the journal has the events."""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

_UNIT = 256
"""The smallest room of an entry in bytes; others have a power of two of it, so that it is used again whatever is freed."""
_LENGTH_BITS = 32


class SpillFile:
    """Bytes by number (`openlineage.open_runs.Store`).

    Room that is freed is used again for entries of the same power of two; the file becomes empty when all are freed.

    Args:
        directory: Where the file is created, with the first entry.
        max_bytes: Limit of its size.
    """

    def __init__(self, directory: Path, max_bytes: int) -> None:
        self._directory = directory
        self._max_bytes = max_bytes
        self._entries = 0
        self._file: IO[bytes] | None = None
        self._end = 0
        self._free: defaultdict[int, list[int]] = defaultdict(list)

    def put(self, data: bytes) -> int:
        """Write bytes; return their number.

        Raises:
            OSError: They cannot be written, such as on a full disk, or the limit is reached.
        """
        if self._file is None:
            self._file = TemporaryFile(dir=self._directory)  # noqa: SIM115 open until the process ends
        room = _room(len(data))
        free = self._free[room]
        offset = free[-1] if free else self._end
        if offset + room > self._max_bytes:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        view = memoryview(data)
        while view:
            view = view[os.pwrite(self._file.fileno(), view, offset + len(data) - len(view)) :]
        if free:
            free.pop()
        else:
            self._end += room
        self._entries += 1
        return offset << _LENGTH_BITS | len(data)

    def get(self, number: int) -> bytes:
        """Return the bytes of a number.

        Raises:
            OSError: They cannot be read.
        """
        assert self._file is not None
        length = number & (1 << _LENGTH_BITS) - 1
        data = os.pread(self._file.fileno(), length, number >> _LENGTH_BITS)
        if len(data) < length:
            raise OSError(f"{self._directory}: a file of open runs is shorter than what was written")
        return data

    def free(self, number: int) -> None:
        """Forget the bytes of a number."""
        self._free[_room(number & (1 << _LENGTH_BITS) - 1)].append(number >> _LENGTH_BITS)
        self._entries -= 1
        if not self._entries and self._file is not None:
            self._free.clear()
            self._end = 0
            with suppress(OSError):  # its room is used again in any case
                self._file.truncate(0)

    def close(self) -> None:
        """Delete the file."""
        if self._file is not None:
            self._file.close()


def _room(length: int) -> int:
    room = _UNIT
    while room < length:
        room *= 2
    return room
