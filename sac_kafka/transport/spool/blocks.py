"""Read and write the blocks of a spool file, one message each, and find them again after damaged bytes. Pure.

A block is the count 1, the length of the message as a zigzag number, the message, and the file's sync marker. Only the
message must be intact: a wrong count, length or marker is tolerated, because the message has a checksum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sac_kafka.transport.spool import codec
from sac_kafka.transport.spool.codec import MARKER_BYTES, ForeignFileError, StoredRecord

_COUNT = b"\x02"  # 1 in zigzag
_MAX_LENGTH_BYTES = 5


@dataclass(frozen=True, slots=True)
class Block:
    """A block from `start` to `end` (exclusive) of the file; `stored` is None if the message is damaged."""

    start: int
    end: int
    stored: StoredRecord | None


def block(message: bytes, marker: bytes) -> bytes:
    """Return the block of a message."""
    return _COUNT + _length(len(message)) + message + marker


def first_block(data: bytes, writer_name: str, destination: str) -> tuple[int, bytes]:
    """Return the position of the first block, and the sync marker.

    Raises:
        ForeignFileError: The file is no spool file, and contains no message of one.
    """
    head, marker = codec.head(writer_name, destination), codec.marker(writer_name)
    at = len(head)
    if data.startswith(head) or data[at - MARKER_BYTES : at] == marker:
        return at, marker
    try:
        start, found = codec.read_head(data)
    except ForeignFileError:
        if any(each.stored for each in blocks(data, at, marker)):
            return at, marker
        raise
    return (at, marker) if start == at else (start, found)


def is_torn_head(data: bytes, writer_name: str, destination: str) -> bool:
    """Return whether the file is empty or ends within its header: its writer was interrupted before the first message."""
    return codec.head(writer_name, destination).startswith(data)


def blocks(data: bytes, start: int, marker: bytes, base: int = 0) -> Iterator[Block]:
    """Yield the blocks from `start` on; bytes between two blocks are reported as one damaged block.

    Bytes after the last marker that are no complete message are a partial write, and are ignored. `base` is added to all
    positions.
    """
    at = start
    while at < len(data):
        found = _at(data, at) or _resynchronized(data, at, marker)
        if found is None:
            return
        at = found.end
        yield Block(found.start + base, found.end + base, found.stored)


def _at(data: bytes, start: int) -> Block | None:
    """Return the block at `start` by its length field; None if that contains no message."""
    length, begin = _read_length(data, start + len(_COUNT))
    end = begin + length
    if length <= 0 or end > len(data):
        return None
    stored = codec.decode(data[begin:end])
    return None if stored is None else Block(start, min(end + MARKER_BYTES, len(data)), stored)


def _resynchronized(data: bytes, start: int, marker: bytes) -> Block | None:
    """Return the block up to the next marker, ignoring the length field, or the bytes before an intact block in it."""
    end = data.find(marker, start)
    if end < 0:
        return None
    for begin in range(start + 2, min(start + 2 + _MAX_LENGTH_BYTES, end)):
        stored = codec.decode(data[begin:end])
        if stored is not None:
            return Block(start, end + MARKER_BYTES, stored)
    at = data.find(_COUNT, start + 1, end)
    while at >= 0:
        length, begin = _read_length(data, at + 1)
        if begin + length == end and codec.decode(data[begin:end]) is not None:
            return Block(start, at, None)
        at = data.find(_COUNT, at + 1, end)
    return Block(start, end + MARKER_BYTES, None)


def _length(number: int) -> bytes:
    value, result = number << 1, bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def _read_length(data: bytes, at: int) -> tuple[int, int]:
    """Return a zigzag number and the position after it; -1 for an invalid one."""
    value = 0
    for index, byte in enumerate(data[at : at + _MAX_LENGTH_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            return (value >> 1 if not value & 1 else -1), at + index + 1
    return -1, at
