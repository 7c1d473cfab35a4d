"""Limit the total size of the files in the spool directory, and make room for new ones."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

from sac_kafka.transport.spool.directory import REJECTED

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
    return _used(directory) + _used(directory / REJECTED)


def _used(folder: Path) -> int:
    try:
        with os.scandir(folder) as entries:
            return sum(_size(each) for each in entries if each.name.endswith(".avro"))
    except OSError:
        return 0


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:  # Removed meanwhile.
        return 0
