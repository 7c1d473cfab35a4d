"""The blocks of a file, one message each, and how to find them again where bytes are wrong or missing. Pure.

A block is the count 1, the length of the message as a zigzag number, the message, and the file's sync marker. Only the
message has to be whole: a wrong count, length or marker is got over, because the message's checksum tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sac_kafka.transport.spool import codec
from sac_kafka.transport.spool.codec import MARKER_BYTES, Kept, NotOursError

_COUNT = b"\x02"  # 1 in zigzag
_MAX_LENGTH_BYTES = 5


@dataclass(frozen=True, slots=True)
class Block:
    """From `start` to `end` (exclusive) of the file; `kept` is None where the message was damaged."""

    start: int
    end: int
    kept: Kept | None


def block(message: bytes, marker: bytes) -> bytes:
    """Give a message as block."""
    return _COUNT + _length(len(message)) + message + marker


def first_block(data: bytes, writer_name: str, destination: str) -> tuple[int, bytes]:
    """Give where the first block begins, and the marker.

    Raises:
        NotOursError: It is no file of ours, and no message of ours is in it.
    """
    head, marker = codec.head(writer_name, destination), codec.marker(writer_name)
    at = len(head)
    if data.startswith(head) or data[at - MARKER_BYTES : at] == marker:
        return at, marker
    try:
        start, found = codec.read_head(data)
    except NotOursError:
        if any(each.kept for each in blocks(data, at, marker)):
            return at, marker
        raise
    return (at, marker) if start == at else (start, found)


def is_torn_head(data: bytes, writer_name: str, destination: str) -> bool:
    """Say whether the file ends within its head, or is empty: its writer was interrupted before the first message."""
    return codec.head(writer_name, destination).startswith(data)


def blocks(data: bytes, start: int, marker: bytes, base: int = 0) -> Iterator[Block]:
    """Give the blocks from `start` on; what is between two of them and is none is one damaged block.

    Bytes after the last marker that make no message are a torn tail, and are left out. `base` is added to positions.
    """
    at = start
    while at < len(data):
        found = _at(data, at) or _resynchronized(data, at, marker)
        if found is None:
            return
        at = found.end
        yield Block(found.start + base, found.end + base, found.kept)


def _at(data: bytes, start: int) -> Block | None:
    """The block that begins there, as its length says; None if that is no message."""
    length, begin = _read_length(data, start + len(_COUNT))
    end = begin + length
    if length <= 0 or end > len(data):
        return None
    kept = codec.decode(data[begin:end])
    return None if kept is None else Block(start, min(end + MARKER_BYTES, len(data)), kept)


def _resynchronized(data: bytes, start: int, marker: bytes) -> Block | None:
    """What is before the next marker, whatever its length says; or what is before the last message before it."""
    end = data.find(marker, start)
    if end < 0:
        return None
    for begin in range(start + 2, min(start + 2 + _MAX_LENGTH_BYTES, end)):
        kept = codec.decode(data[begin:end])
        if kept is not None:
            return Block(start, end + MARKER_BYTES, kept)
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
    """A zigzag number and where it ends; -1 for what is none."""
    value = 0
    for index, byte in enumerate(data[at : at + _MAX_LENGTH_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            return (value >> 1 if not value & 1 else -1), at + index + 1
    return -1, at
