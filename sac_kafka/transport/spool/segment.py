"""Append to, read and remove one spool file.

`<file>.ack` stores the position of the first message that is not done, so that few messages are sent again after a crash.
A file of another writer is never appended to.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sac_kafka.transport import private_files
from sac_kafka.transport.spool import codec
from sac_kafka.transport.spool.codec import Block, StoredRecord, block, blocks, first_block, is_torn_head
from sac_kafka.transport.spool.directory import WriterId

_CURSOR_DIGITS = 20
_sync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync.


class _File:
    """An appendable file of its owner.

    Attributes:
        bytes: Its size, without a partial write.
        is_of_anyone: Accept a file of another user.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self.is_of_anyone = False
        self._descriptor: int | None = None

    def create(self, head: bytes, *, is_synced: bool) -> None:
        """Create the file with its first bytes; remove it if they cannot be written."""
        self._descriptor = private_files.create(self.path)
        try:
            self._write(self._descriptor, head)
            if is_synced:
                private_files.sync_directory(self.path.parent)
        except OSError:
            self.close()
            self.path.unlink(missing_ok=True)
            raise

    def append(self, data: bytes, *, is_synced: bool) -> None:
        """Append data. A partial write is truncated."""
        if self._descriptor is None:
            raise OSError(errno.EBADF, "the file is closed", str(self.path))
        if os.fstat(self._descriptor).st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, "the file was removed", str(self.path))
        self._write(self._descriptor, data)
        if is_synced:
            _sync(self._descriptor)

    def _write(self, descriptor: int, data: bytes) -> None:
        private_files.append(descriptor, data)
        self.bytes += len(data)

    def open(self) -> None:
        """Open an existing file for reading."""
        self._descriptor = self.open_file(self.path, os.O_RDONLY)
        self.bytes = os.fstat(self._descriptor).st_size

    def open_file(self, path: Path, flags: int) -> int:
        """Open this file or one that belongs to it. Return the file descriptor."""
        return private_files.open_private(path, flags, of_anyone=self.is_of_anyone)

    def read(self, start: int) -> bytes:
        """Read from `start` to the end, at most the size of a segment plus one message."""
        is_open = self._descriptor is not None
        descriptor = self._descriptor if self._descriptor is not None else self.open_file(self.path, os.O_RDONLY)
        try:
            parts, at = [], start
            while at < self.bytes:
                part = os.pread(descriptor, self.bytes - at, at)
                if not part:
                    break
                parts.append(part)
                at += len(part)
            return b"".join(parts)
        finally:
            if not is_open:
                os.close(descriptor)

    def finish(self) -> None:
        """End appending. A file that was removed stays open, as it could not be read otherwise."""
        if self._descriptor is not None and os.fstat(self._descriptor).st_nlink:
            self.close()

    def close(self) -> None:
        """Close the file; it can still be read. Idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


class _Cursor:
    """Position of the first message that is not done, stored in `<file>.ack`, and the blocks behind it that are done."""

    def __init__(self, file: _File) -> None:
        self._file = file
        self._descriptor: int | None = None
        self._ahead: dict[int, int] = {}  # start to end
        self.position = 0

    @property
    def path(self) -> Path:
        """Path of the file with the position."""
        return self._file.path.with_name(self._file.path.name + ".ack")

    def is_done(self, block_: Block) -> bool:
        """Return whether a block is done."""
        return block_.start < self.position or block_.start in self._ahead

    def add(self, block_: Block) -> None:
        """Add a block that is done."""
        self._ahead[block_.start] = block_.end
        if block_.start == self.position:
            while self.position in self._ahead:
                self.position = self._ahead.pop(self.position)
            self._save()

    def _save(self) -> None:
        # One write of fixed width over the previous one: after a crash the file has the old or the new position.
        try:
            if self._descriptor is None:
                self._descriptor = self._file.open_file(self.path, os.O_RDWR | os.O_CREAT)
            os.pwrite(self._descriptor, b"%0*d\n" % (_CURSOR_DIGITS, self.position), 0)
        except OSError:
            pass  # Only means that more messages are sent again after a crash.

    def stored_position(self) -> int:
        """Return the stored position; -1 without a valid one."""
        try:
            text = private_files.read(self.path, _CURSOR_DIGITS + 1, of_anyone=self._file.is_of_anyone)
        except OSError:
            return -1
        return int(text) if len(text) == _CURSOR_DIGITS + 1 and text[:-1].isdigit() else -1

    def close(self) -> None:
        """Close the file with the position. Idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


class Segment:
    """A spool file with the state of its messages. Methods that read or write raise `ForeignFileError` and `OSError`.

    The file exists, or `create` makes it; `is_own` is whether this spool is the `writer` in its name.
    """

    def __init__(self, path: Path, writer: WriterId, *, is_own: bool) -> None:
        self._file = _File(path)
        self._cursor = _Cursor(self._file)
        self.writer = writer
        self.is_own = is_own
        self.remaining = 0
        """Number of messages that are neither delivered nor dropped."""
        self._created_at = time.monotonic()
        self._marker = b""
        self._read_to = 0
        self._lookahead: Iterator[Block] = iter(())
        self.is_discarded = False
        self.damaged = 0
        """Number of blocks whose message cannot be read."""

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._file.path

    @property
    def bytes(self) -> int:
        """Size of the file."""
        return self._file.bytes

    # ---- writing

    def create(self, *, is_synced: bool = False) -> None:
        """Create the file (0600), which must not exist; with `is_synced` its directory entry is on disk."""
        head = codec.file_header(self.writer.name, self.writer.destination)
        self._file.create(head, is_synced=is_synced)
        self._marker = codec.sync_marker(self.writer.name)
        self._cursor.position = self._read_to = len(head)

    def append(self, stored: StoredRecord, *, is_synced: bool = False) -> Block:
        """Append a message. A partially written one is truncated."""
        start = self.bytes
        self._file.append(block(codec.encode(stored), self._marker), is_synced=is_synced)
        self.remaining += 1
        return Block(start, self.bytes, stored)

    # ---- reading

    def open(self, *, of_anyone: bool = False) -> None:
        """Scan a file of another writer, or an earlier one, and count its remaining messages.

        A file of another user is refused except with `of_anyone`, as it would be sent with this user's credentials.
        """
        self._file.is_of_anyone = of_anyone
        try:
            self._file.open()
            self._scan()
        finally:
            self.close()

    def _scan(self) -> None:
        data = self._file.read(0)
        if is_torn_head(data, self.writer.name, self.writer.destination):
            start = len(data)
        else:
            start, self._marker = first_block(data, self.writer.name, self.writer.destination)
        self._cursor.position = self._read_to = start
        saved, starts, is_known = self._cursor.stored_position(), [], False
        for each in blocks(data, start, self._marker) if self._marker else ():
            starts.append(each.start)
            is_known |= each.end == saved
        if is_known:
            self._cursor.position = self._read_to = saved
        self.remaining = sum(each >= self._cursor.position for each in starts)

    def next(self) -> Block | None:
        """Return the next message, None at the end; damaged ones are counted and skipped."""
        while True:
            found = next(self._lookahead, None)
            if found is None and self._read_to < self.bytes:
                self._lookahead = blocks(self._file.read(self._read_to), 0, self._marker, self._read_to)
                found = next(self._lookahead, None)
            if found is None:
                self._read_to = self.bytes  # The rest is a partially written block.
                return None
            self._read_to = found.end
            if self._cursor.is_done(found):
                continue
            if found.stored is not None:
                return found
            self.damaged += 1
            self.mark_done(found)

    def contents(self) -> Iterator[Block]:
        """Yield the remaining messages, including damaged ones, without marking them as done."""
        start = self._cursor.position
        for each in blocks(self._file.read(start), 0, self._marker, start):
            if not self._cursor.is_done(each):
                yield each

    @property
    def has_more(self) -> bool:
        """True if `next` has not reached the end."""
        return self._read_to < self.bytes

    def skip(self, appended: Block) -> None:
        """Exclude the message appended last from `next`, because it is sent from memory."""
        if self._read_to == appended.start:
            self._lookahead = iter(())
            self._read_to = appended.end

    def rewind(self) -> None:
        """Let `next` restart with the first message that is not done."""
        self._lookahead = iter(())
        self._read_to = self._cursor.position

    # ---- progress

    def mark_done(self, block_: Block) -> None:
        """Mark a message as delivered or dropped."""
        if not self._cursor.is_done(block_):
            self.remaining -= 1
            self._cursor.add(block_)

    @property
    def is_done(self) -> bool:
        """True if no messages remain."""
        return self.remaining <= 0

    @property
    def age_seconds(self) -> float:
        """Seconds since the file was created or found."""
        return time.monotonic() - self._created_at

    def discard(self) -> int:
        """Mark all remaining messages as done. Return their number."""
        left, self.remaining = self.remaining, 0
        self.is_discarded = True
        self._lookahead = iter(())
        self._read_to = self.bytes
        return left

    # ---- the end

    def finish(self) -> None:
        """End appending. A file that was removed stays open, as it could not be read otherwise."""
        self._file.finish()

    def close(self) -> None:
        """Close the file; it can still be read. Idempotent."""
        self._file.close()
        self._cursor.close()

    def remove(self) -> None:
        """Remove the file and its cursor. Errors are ignored, as the next process removes them."""
        self.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
            self._cursor.path.unlink(missing_ok=True)
