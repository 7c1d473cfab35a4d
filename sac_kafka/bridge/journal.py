"""Keep events on disk from their arrival until what came of them is delivered or in the spool.

The journal is a directory of numbered files with an event per line. One process appends to it and reads from it; the next one
reads again what was not released. Reading an event twice changes nothing (`openlineage.runs`). What was parsed on arrival is
handed over in memory, as long as the reader is not far behind.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sac_kafka.errors import ConfigurationError, SacKafkaError
from sac_kafka.log import logger
from sac_kafka.transport import private_files
from sac_kafka.transport.spool.directory import make_private
from sac_kafka.transport.spool.locks import Lock, LocksUnsupportedError, try_lock

SEGMENT_BYTES = 8 * 1024 * 1024
"""Size at which a new file is begun; files are released as a whole."""
_SUFFIX = ".events"
_LOCK = "journal.lock"
_READ_BYTES = 16 * 1024 * 1024
"""Limit of what is read at once; one event may be larger."""
_FRESH_BYTES = 4 * 1024 * 1024
"""Limit of the texts of the events that are in memory until they are read."""


class FullError(SacKafkaError):
    """The journal cannot take an event: it has reached its limit, or the disk is full."""


class Placed(NamedTuple):
    """What was appended as an event, or its text if it comes from the file; and the number of the file that keeps it."""

    place: int
    event: object


class _Fresh(NamedTuple):
    """An event in memory, and where the file has it."""

    place: int
    start: int
    end: int
    event: object


class _FreshEvents:
    """The newest events that are still to be read, in memory up to a limit; not thread-safe."""

    def __init__(self) -> None:
        self._events: deque[_Fresh] = deque()
        self._bytes = 0

    def add(self, fresh: _Fresh) -> None:
        """Add an event behind the others, if there is room."""
        if self._bytes + fresh.end - fresh.start <= _FRESH_BYTES:
            self._bytes += fresh.end - fresh.start
            self._events.append(fresh)

    def take(self, reading: tuple[int, int]) -> _Fresh | None:
        """Remove and return the event at a place of reading; those before it were read from the file."""
        while self._events and self._events[0][:2] <= reading:
            fresh = self._events.popleft()
            self._bytes -= fresh.end - fresh.start
            if fresh[:2] == reading:
                return fresh
        return None

    def limit(self, place: int, offset: int, room: int) -> int:
        """Return how many bytes of a file are to be read from an offset, at most up to the next event in memory."""
        is_next = bool(self._events) and self._events[0].place == place
        return min(room, self._events[0].start - offset) if is_next else room


class _SharedSync:
    """One call that waits for the disk serves all threads that have written before it."""

    def __init__(self) -> None:
        self.written = 0
        self._synced = 0
        self._lock = threading.Lock()

    def wait(self, ticket: int, duplicate: Callable[[], tuple[int, int]]) -> None:
        """Wait until the disk has what was written up to a ticket; `duplicate` returns the last one, and a descriptor.

        Raises:
            OSError: The disk cannot take it.
        """
        with self._lock:
            if self._synced >= ticket:
                return
            covered, descriptor = duplicate()
            try:
                if descriptor >= 0:  # otherwise the file was closed, which has synced it
                    os.fsync(descriptor)
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
            self._synced = covered


class Journal:
    """The journal of one bridge. `append` is safe in any thread; the other methods are called from one.

    Args:
        directory: Its directory, which is created.
        max_bytes: Size of all files above which no event is accepted.

    Raises:
        ConfigurationError: The directory cannot be written, or another bridge uses it.
    """

    def __init__(self, directory: Path, max_bytes: int) -> None:
        self._directory = directory
        self._max_bytes = max_bytes
        self._lock = _locked(directory)
        numbers = sorted(int(file.stem) for file in directory.glob(f"*{_SUFFIX}") if file.stem.isdecimal())
        self._sizes = {number: self._path(number).stat().st_size for number in numbers}
        self._writing = threading.Lock()
        self._first = self._current = (numbers[-1] if numbers else 0) + 1
        self._descriptor = -1
        self._sync = _SharedSync()
        self._warned: int | None = None
        self._reading = (numbers[0] if numbers else self._current, 0)
        self._fresh = _FreshEvents()

    def is_earlier(self, place: int) -> bool:
        """Return whether an earlier process has written a file."""
        return place < self._first

    @property
    def current(self) -> int:
        """The number of the file that is written."""
        return self._current

    @property
    def bytes(self) -> int:
        """The size of all files."""
        with self._writing:
            return sum(self._sizes.values())

    def append(self, texts: Sequence[str], events: Sequence[object] | None = None) -> None:
        """Write texts of events, each without line ends, and return when the disk has them.

        `events` is what `read` yields of them while it is in memory, by default the texts.

        Raises:
            FullError: They cannot be written; none of them is kept.
        """
        lines = [f"{text}\n".encode() for text in texts]
        data = b"".join(lines)
        try:
            with self._writing:
                if sum(self._sizes.values()) + len(data) > self._max_bytes:
                    raise FullError(
                        f"{self._directory}: the events waiting for delivery have reached {self._max_bytes} bytes"
                    )
                if self._descriptor < 0 or self._sizes[self._current] >= SEGMENT_BYTES:
                    self._begin()
                private_files.append(self._descriptor, data)
                end = self._sizes[self._current]
                for line, event in zip(lines, texts if events is None else events, strict=True):
                    start, end = end, end + len(line)
                    self._fresh.add(_Fresh(self._current, start, end, event))
                self._sizes[self._current] = end
                self._sync.written += 1
                ticket = self._sync.written
            self._sync.wait(ticket, self._duplicate)
        except OSError as error:
            raise FullError(f"{self._directory}: {error.strerror}") from error

    @property
    def is_filling(self) -> bool:
        """Whether more than half of the limit is used."""
        return self.bytes > self._max_bytes // 2

    def read(self, number: int) -> Iterator[Placed]:
        """Yield up to so many events that were not yet read, in their order; fewer if they are large."""
        room = _READ_BYTES
        while number > 0 and room > 0:
            place, offset = self._reading
            with self._writing:
                fresh = self._fresh.take(self._reading)
                room = self._fresh.limit(place, offset, room) if fresh is None else room
            if fresh is not None:
                self._reading = (place, fresh.end)
                number -= 1
                room -= fresh.end - fresh.start
                yield Placed(place, fresh.event)
                continue
            try:
                lines, end = self._lines(place, offset, number, room)
            except OSError as error:  # such as too many open files
                self._warn(error)
                return
            for line in lines:
                yield Placed(place, line)
            number -= len(lines)
            room -= end - offset
            self._reading = (place, end)
            if not lines:
                with self._writing:
                    following = min((size for size in self._sizes if size > place), default=self._current)
                    # The last line of an earlier process may be torn: it was never confirmed.
                    is_read = end >= self._sizes.get(place, 0) or place < self._first
                if not is_read or following == place:
                    return
                self._reading = (following, 0)

    def release(self, before: int) -> None:
        """Delete the files before this number, whose events are all reported."""
        with self._writing:
            gone = [size for size in self._sizes if size < min(before, self._current, self._reading[0])]
            for number in gone:
                self._path(number).unlink(missing_ok=True)
                del self._sizes[number]

    def rotate(self) -> None:
        """Begin a new file with the next event, so that the current one can be released."""
        with self._writing:
            if self._descriptor >= 0 and self._sizes[self._current]:
                self._close_file()
                self._current += 1

    def close(self) -> None:
        """Close the journal; files without events that are still to be read are removed."""
        with self._writing:
            self._close_file()
            for number, size in [*self._sizes.items()]:
                if not size:
                    self._path(number).unlink(missing_ok=True)
        self._lock.release(remove=True)

    def _begin(self) -> None:
        if self._descriptor >= 0:
            self._close_file()
            self._current += 1
        self._descriptor = private_files.create(self._path(self._current))
        self._sizes[self._current] = 0

    def _close_file(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.fsync(descriptor)
            os.close(descriptor)

    def _duplicate(self) -> tuple[int, int]:
        """Return the number of what was written last, and a descriptor of its file; -1 if it is closed."""
        with self._writing:
            return self._sync.written, os.dup(self._descriptor) if self._descriptor >= 0 else -1

    def _lines(self, place: int, offset: int, number: int, room: int) -> tuple[list[str], int]:
        """Return whole lines from an offset, and the offset behind them; a torn line of a killed process never ends."""
        try:
            with self._path(place).open("rb") as file:
                file.seek(offset)
                lines: list[str] = []
                most = offset + room
                while len(lines) < number and offset < most and (line := file.readline()).endswith(b"\n"):
                    lines.append(line[:-1].decode(errors="replace"))
                    offset += len(line)
                return lines, offset
        except FileNotFoundError:
            return [], offset

    def _warn(self, error: OSError) -> None:
        if error.errno != self._warned:
            self._warned = error.errno
            logger.warning("%s cannot be used, and is tried again: %s", self._directory, error.strerror)

    def _path(self, number: int) -> Path:
        return self._directory / f"{number:08d}{_SUFFIX}"


def _locked(directory: Path) -> Lock:
    try:
        make_private(directory, is_default=False)
        lock = try_lock(directory / _LOCK)
    except LocksUnsupportedError as error:
        raise ConfigurationError(
            f"{directory}: the file system has no locks; set atlas.hook.spool.dir to a local disk"
        ) from error
    except OSError as error:
        raise ConfigurationError(
            f"{directory}: {error.strerror}; set atlas.hook.spool.dir to a directory that can be written"
        ) from error
    if lock is None:
        raise ConfigurationError(
            f"{directory} is used by another bridge; set atlas.hook.spool.dir to another directory for this one"
        )
    return lock
