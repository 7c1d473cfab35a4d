"""How much the files of the directory take together, and making room for more."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

from sac_kafka.transport.spool.directory import REJECTED

_MEASURE_SECONDS = 10.0
"""Other drivers write, too; and in between, the own writing is added up."""


class Quota:
    """At most `max_bytes` in all files of a directory, those of others and what was rejected included."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._used = 0
        self._measured_at = -_MEASURE_SECONDS

    def reserve(self, size: int, directory: Path, drop_oldest: Callable[[], bool]) -> None:
        """Make room for so many bytes; `drop_oldest` drops a file, False if it has none to drop.

        Raises:
            OSError: There is no room, whatever is dropped.
        """
        if size > self._max_bytes:  # nothing has to go for what has no room anyway
            raise OSError(errno.EDQUOT, "the message is longer than atlas.hook.spark.spool.max.bytes")
        now = time.monotonic()
        if now - self._measured_at >= _MEASURE_SECONDS or self._used + size > self._max_bytes:
            self._used, self._measured_at = used_bytes(directory), now
        while self._used + size > self._max_bytes and drop_oldest():
            self._used = used_bytes(directory)
        if self._used + size > self._max_bytes:
            raise OSError(errno.EDQUOT, "the files of the spool reach atlas.hook.spark.spool.max.bytes")
        self._used += size


def used_bytes(directory: Path) -> int:
    """Measure the spool's files in the directory and in the one of what was rejected."""
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
    except OSError:  # removed meanwhile
        return 0
