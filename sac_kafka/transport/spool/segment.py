"""One file of the spool: appended to by its writer, read from front to back, and removed when nothing of it is left.

How far it is done stands in `<file>.ack`, as the position of the first message that is not, so that little is sent
again after a crash. A file of somebody else is never appended to.
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
from sac_kafka.transport.spool.blocks import Block, block, blocks, first_block, is_torn_head
from sac_kafka.transport.spool.codec import Kept
from sac_kafka.transport.spool.names import Writer

_CURSOR_DIGITS = 20
_sync = getattr(os, "fdatasync", os.fsync)  # macOS has the second only


class Segment:
    """A file, with what has become of its messages. `NotOursError` and `OSError` come from all that reads or writes.

    Args:
        path: The file; it is there, or `create` makes it.
        writer: Who writes it, as the name says.
        is_own: It is this spool's own.
    """

    def __init__(self, path: Path, writer: Writer, *, is_own: bool) -> None:
        self.path = path
        self.writer = writer
        self.is_own = is_own
        self.bytes = 0
        self.left = 0
        """Messages that are neither delivered nor dropped."""
        self._made_at = time.monotonic()
        self._is_of_anyone = False
        self._descriptor: int | None = None
        self._cursor_descriptor: int | None = None
        self._marker = b""
        self._done_to = 0
        self._done: dict[int, int] = {}  # start to end of what was done before its turn
        self._read_to = 0
        self._ahead: Iterator[Block] = iter(())
        self.is_given_up = False
        self.damaged = 0
        """Blocks whose message cannot be read."""

    # ---- writing

    def create(self, *, is_synced: bool = False) -> None:
        """Make the file (0600); it must not be there. `is_synced`: its name is on the disk then."""
        head = codec.head(self.writer.name, self.writer.destination)
        self._descriptor = private_files.created(self.path)
        try:
            self._write(head)
            if is_synced:
                _sync_directory(self.path.parent)
        except OSError:
            self.close()
            self.path.unlink(missing_ok=True)
            raise
        self._marker = codec.marker(self.writer.name)
        self._done_to = self._read_to = len(head)

    def append(self, kept: Kept, *, is_synced: bool = False) -> Block:
        """Append a message. What could be written only in part is cut off again."""
        if self._descriptor is None:
            raise OSError(errno.EBADF, "the file is closed", str(self.path))
        if os.fstat(self._descriptor).st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, "the file was removed", str(self.path))
        start = self.bytes
        self._write(block(codec.encode(kept), self._marker))
        if is_synced:
            _sync(self._descriptor)
        self.left += 1
        return Block(start, self.bytes, kept)

    def _write(self, data: bytes) -> None:
        assert self._descriptor is not None
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
        except OSError:
            os.ftruncate(self._descriptor, self.bytes)
            raise
        self.bytes += written

    # ---- reading

    def open(self, *, of_anyone: bool = False) -> None:
        """Look into a file of another writer, or an earlier one: how many messages are left in it.

        One of another user would be sent with the credentials of this one, and is refused but for `of_anyone`.
        """
        self._is_of_anyone = of_anyone
        self._descriptor = self._opened(os.O_RDONLY)
        try:
            self._look_into(self._descriptor)
        finally:
            self.close()

    def _look_into(self, descriptor: int) -> None:
        self.bytes = os.fstat(descriptor).st_size
        data = self._data(0)
        if is_torn_head(data, self.writer.name, self.writer.destination):
            start = len(data)
        else:
            start, self._marker = first_block(data, self.writer.name, self.writer.destination)
        self._done_to = self._read_to = start
        done_to, starts, is_known = self._saved_cursor(), [], False
        for each in blocks(data, start, self._marker) if self._marker else ():
            starts.append(each.start)
            is_known |= each.end == done_to
        if is_known:
            self._done_to = self._read_to = done_to
        self.left = sum(each >= self._done_to for each in starts)

    def next(self) -> Block | None:
        """Give the next message, None at the end; damaged ones are counted and passed over."""
        while True:
            found = next(self._ahead, None)
            if found is None and self._read_to < self.bytes:
                self._ahead = blocks(self._data(self._read_to), 0, self._marker, self._read_to)
                found = next(self._ahead, None)
            if found is None:
                self._read_to = self.bytes  # what is left is a torn tail
                return None
            self._read_to = found.end
            if self._is_done(found):
                continue
            if found.kept is not None:
                return found
            self.damaged += 1
            self.done(found)

    def contents(self) -> Iterator[Block]:
        """Yield what is left in the file, damaged messages included; nothing counts as done by that."""
        for each in blocks(self._data(self._done_to), 0, self._marker, self._done_to):
            if not self._is_done(each):
                yield each

    @property
    def has_more(self) -> bool:
        """True if `next` has not reached the end."""
        return self._read_to < self.bytes

    def skip(self, appended: Block) -> None:
        """What was appended last is sent from memory: `next` need not give it."""
        if self._read_to == appended.start:
            self._ahead = iter(())
            self._read_to = appended.end

    def rewind(self) -> None:
        """Let `next` begin again with the first message that is not done."""
        self._ahead = iter(())
        self._read_to = self._done_to

    def _data(self, start: int) -> bytes:
        """Read from there to the end; the whole is no longer than a file may become, and a message."""
        is_open = self._descriptor is not None
        descriptor = self._descriptor if self._descriptor is not None else self._opened(os.O_RDONLY)
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

    def _opened(self, flags: int) -> int:
        return private_files.opened(self.path, flags, of_anyone=self._is_of_anyone)

    # ---- what is done

    def done(self, block_: Block) -> None:
        """A message is delivered or dropped."""
        if self._is_done(block_):
            return
        self._done[block_.start] = block_.end
        self.left -= 1
        if block_.start == self._done_to:
            while self._done_to in self._done:
                self._done_to = self._done.pop(self._done_to)
            self._save_cursor()

    def _is_done(self, block_: Block) -> bool:
        return block_.start < self._done_to or block_.start in self._done

    @property
    def is_done(self) -> bool:
        """True if nothing of it is left."""
        return self.left <= 0

    @property
    def age_seconds(self) -> float:
        """How long ago it was made, or found."""
        return time.monotonic() - self._made_at

    def give_up(self) -> int:
        """Count what is left as done, whatever it is, and give how much that was."""
        left, self.left = self.left, 0
        self.is_given_up = True
        self._ahead = iter(())
        self._read_to = self.bytes
        return left

    def _save_cursor(self) -> None:
        # One write of a fixed width over the one before: a crash leaves the old one or the new one.
        try:
            if self._cursor_descriptor is None:
                self._cursor_descriptor = private_files.opened(
                    self.cursor_path, os.O_RDWR | os.O_CREAT, of_anyone=self._is_of_anyone
                )
            os.pwrite(self._cursor_descriptor, b"%0*d\n" % (_CURSOR_DIGITS, self._done_to), 0)
        except OSError:
            pass  # then more is sent again after a crash

    def _saved_cursor(self) -> int:
        try:
            text = private_files.read(self.cursor_path, _CURSOR_DIGITS + 1, of_anyone=self._is_of_anyone)
        except OSError:
            return -1
        return int(text) if len(text) == _CURSOR_DIGITS + 1 and text[:-1].isdigit() else -1

    # ---- the end

    @property
    def cursor_path(self) -> Path:
        """Where it stands how far the file is done."""
        return self.path.with_name(self.path.name + ".ack")

    def end(self) -> None:
        """Nothing more is appended; a file that was removed stays open, else it could not be read any more."""
        if self._descriptor is not None and os.fstat(self._descriptor).st_nlink:
            self.close()

    def close(self) -> None:
        """Close the file; it can still be read. Idempotent."""
        for name in ("_descriptor", "_cursor_descriptor"):
            descriptor: int | None = getattr(self, name)
            setattr(self, name, None)
            if descriptor is not None:
                os.close(descriptor)

    def remove(self) -> None:
        """Remove the file and what belongs to it; trouble with that is not told, the next one removes it."""
        self.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
            self.cursor_path.unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
