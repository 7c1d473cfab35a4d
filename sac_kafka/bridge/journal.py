"""Keep events on disk from their arrival until what came of them is delivered or in the spool.

The journal is a directory of numbered files with an event per line. One process appends to it and reads from it; the next one
reads again what was not released. Reading an event twice changes nothing (`openlineage.runs`). What was parsed on arrival is
handed over in memory, as long as the reader is not far behind.

Only what the disk has is read. After an error of the disk, the current file is cut back to that, and never written again: a
later sync may succeed although the data is lost.
"""

from __future__ import annotations

import errno
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
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


_Lines = Sequence[bytes]
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class FullError(SacKafkaError):
    """The journal cannot take an event: it has reached its limit, or the disk is full."""


class UnwritableError(FullError):
    """An error of the disk or the system, from which fewer events would suffer, too."""


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

    def drop(self, place: int, end: int) -> None:
        """Remove the events of a file behind an offset."""
        while self._events and self._events[-1].place == place and self._events[-1].end > end:
            fresh = self._events.pop()
            self._bytes -= fresh.end - fresh.start

    def limit(self, place: int, offset: int, room: int) -> int:
        """Return how many bytes of a file are to be read from an offset, at most up to the next event in memory."""
        is_next = bool(self._events) and self._events[0].place == place
        return min(room, self._events[0].start - offset) if is_next else room


@dataclass(slots=True)
class _Segment:
    """A file that is written; each thread that waits for the disk has the one that it wrote to.

    Attributes:
        number: Its number.
        descriptor: Its descriptor; -1 when it is closed.
        size: The end of the events in it.
        durable: The end of those that the disk has.
        is_torn: Whether there is more in it than these events.
        error: Why the disk has not all of them.
    """

    number: int
    descriptor: int
    size: int = 0
    durable: int = 0
    is_torn: bool = False
    error: OSError | None = None


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
        self._syncing = threading.Lock()  # taken before _writing, and held while the disk is waited for
        self._writing = threading.Lock()
        self._first = self._current = (numbers[-1] if numbers else 0) + 1
        self._segment: _Segment | None = None
        self._torn: dict[int, int] = {}
        self._is_closed = False
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
        try:
            segment = self._segment
            if segment is not None and segment.size >= SEGMENT_BYTES:
                self._end(segment)
            with self._writing:
                segment = self._write(lines, texts if events is None else events)
                end = segment.size
            self._wait(segment, end)
        except OSError as error:
            kind = FullError if error.errno in _NO_ROOM else UnwritableError
            raise kind(f"{self._directory}: {error.strerror}") from error

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
                unread = self._durable(place) - offset
                fresh = self._fresh.take(self._reading) if unread > 0 else None
                most = self._fresh.limit(place, offset, min(room, unread))
            if fresh is not None:
                self._reading = (place, fresh.end)
                number -= 1
                room -= fresh.end - fresh.start
                yield Placed(place, fresh.event)
                continue
            try:
                lines, end = self._lines(place, offset, number, most)
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
            self._cut()

    def rotate(self) -> None:
        """Begin a new file with the next event, so that the current one can be released."""
        segment = self._segment
        if segment is not None and segment.size:
            self._end(segment)

    def close(self) -> None:
        """Close the journal, which then takes no event; files without events that are still to be read are removed."""
        with self._writing:
            self._is_closed = True
        if self._segment is not None:
            self._end(self._segment)
        with self._writing:
            self._cut()
            for number, size in [*self._sizes.items()]:
                if not size:
                    self._path(number).unlink(missing_ok=True)
        self._lock.release(remove=True)

    def _write(self, lines: _Lines, events: Sequence[object]) -> _Segment:
        """Add lines to the current file, or a new one; return it. `_writing` is held.

        Raises:
            FullError: The limit is reached, or the journal is closed.
            OSError: They cannot be written; none of them is kept.
        """
        data = b"".join(lines)
        if self._is_closed:
            raise FullError(f"{self._directory}: the bridge has ended")
        if sum(self._sizes.values()) + len(data) > self._max_bytes:
            raise FullError(f"{self._directory}: the events waiting for delivery have reached {self._max_bytes} bytes")
        segment = self._segment or self._begin()
        end = segment.size
        try:
            if segment.is_torn:
                os.ftruncate(segment.descriptor, end)
            private_files.append(segment.descriptor, data)
            for line, event in zip(lines, events, strict=True):
                start, end = end, end + len(line)
                self._fresh.add(_Fresh(segment.number, start, end, event))
        except BaseException:  # also an error between the write and the end of this method
            self._fresh.drop(segment.number, segment.size)
            segment.is_torn = True
            with suppress(OSError):
                os.ftruncate(segment.descriptor, segment.size)
                segment.is_torn = False
            raise
        segment.is_torn = False
        self._sizes[segment.number] = segment.size = end
        return segment

    def _begin(self) -> _Segment:
        """Create the next file. `_writing` is held.

        Raises:
            OSError: It cannot be created, or the disk cannot take its name.
        """
        self._cut()
        number = self._current
        descriptor = private_files.create(self._path(number))
        try:
            private_files.sync_directory(self._directory)
        except OSError:
            os.close(descriptor)
            self._current += 1  # the name may remain
            self._path(number).unlink(missing_ok=True)
            raise
        self._sizes[number] = 0
        self._segment = _Segment(number, descriptor)
        return self._segment

    def _wait(self, segment: _Segment, end: int) -> None:
        """Wait until the disk has a file up to an offset; one call serves all threads that have written before it.

        Raises:
            OSError: The disk cannot take it; it is not kept.
        """
        with self._syncing:
            with self._writing:
                covered = segment.size
            if segment.durable >= end:
                return
            if segment.error is not None:
                raise segment.error
            try:
                os.fsync(segment.descriptor)
            except OSError as error:
                with self._writing:
                    self._close_file(segment, error)
                raise
            with self._writing:
                segment.durable = covered

    def _end(self, segment: _Segment) -> None:
        """Close the current file, unless another thread has done so."""
        with self._syncing, self._writing:
            if segment is not self._segment:
                return
            try:
                if segment.durable < segment.size:
                    os.fsync(segment.descriptor)
                    segment.durable = segment.size
            except OSError as error:  # for the threads that wait
                self._close_file(segment, error)
            else:
                self._close_file(segment, None)

    def _close_file(self, segment: _Segment, error: OSError | None) -> None:
        """Close the current file, and remove what the disk has not confirmed. Both locks are held."""
        if error is not None or segment.is_torn:
            self._torn[segment.number] = segment.durable
        segment.error = error
        self._segment = None
        self._current += 1
        self._sizes[segment.number] = segment.durable
        self._fresh.drop(segment.number, segment.durable)
        with suppress(OSError):  # the descriptor is gone, and the events are synced or refused
            os.close(segment.descriptor)
        segment.descriptor = -1
        self._cut()

    def _cut(self) -> None:
        """Remove refused events from files, so that no later process reads them; what fails is tried again at the next call."""
        for number, size in [*self._torn.items()]:
            try:
                if number in self._sizes and size:
                    descriptor = private_files.open_private(self._path(number), os.O_WRONLY)
                    try:
                        os.ftruncate(descriptor, size)
                        os.fsync(descriptor)
                    finally:
                        os.close(descriptor)
                elif number in self._sizes:
                    self._path(number).unlink(missing_ok=True)
                    del self._sizes[number]
                    private_files.sync_directory(self._directory)
            except OSError:
                return
            del self._torn[number]

    def _durable(self, place: int) -> int:
        """Return the end of the events of a file that the disk has; earlier files are read as they are. `_writing` is held."""
        if self._segment is not None and self._segment.number == place:
            return self._segment.durable
        return self._sizes.get(place, 0)

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
