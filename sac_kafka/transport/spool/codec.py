"""Encode messages as Avro in the blocks of an Avro container file, and find them again after damaged bytes.

The last field of a message is the CRC32 of all its preceding bytes, because Avro has no checksum and a flipped bit would be
sent. The header depends only on the name of the file, so a damaged one can be reconstructed. A block is the count 1, the
length of the message as a zigzag number, the message, and the file's sync marker. Only the message must be intact: a wrong
count, length or marker is tolerated. fastavro is imported when first needed.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from sac_kafka.transport.base import MessageKind, Record

MARKER_BYTES = 16
_CRC_BYTES = 4
_DESTINATION = "sac_kafka.destination"

SCHEMA: Mapping[str, Any] = {
    "type": "record",
    "name": "SpooledMessage",
    "namespace": "sac_kafka",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "created_ms", "type": "long"},
        {"name": "topic", "type": "string"},
        {"name": "key", "type": ["null", "bytes"]},
        {"name": "values", "type": {"type": "array", "items": "bytes"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": [each.value for each in MessageKind]}},
        {"name": "reason", "type": ["null", "string"]},
        {"name": "crc32", "type": {"type": "fixed", "name": "Crc32", "size": _CRC_BYTES}},
    ],
}
_COUNT = b"\x02"  # 1 in zigzag
_MAX_LENGTH_BYTES = 5
_MAX_SHIFT = 32
"""Bytes that a damaged header may have lost or got, if its marker is damaged as well."""


class ForeignFileError(Exception):
    """The file is no spool file."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A message in a spool file; `id` numbers those of its writer, `reason` is why it was not delivered."""

    id: int
    record: Record
    reason: str | None


def encode(stored: StoredRecord) -> bytes:
    """Return the message as Avro."""
    from fastavro import schemaless_writer

    record = stored.record
    buffer = io.BytesIO()
    fields = {
        "id": stored.id,
        "created_ms": record.created_ms,
        "topic": record.topic,
        "key": record.key,
        "values": list(record.values),
        "kind": record.kind.value,
        "reason": stored.reason,
        "crc32": bytes(_CRC_BYTES),
    }
    schemaless_writer(buffer, _parse_schema(), fields)
    body = buffer.getvalue()[:-_CRC_BYTES]
    return body + _crc(body)


def decode(data: bytes) -> StoredRecord | None:
    """Decode a message, None if its checksum is wrong."""
    from fastavro import schemaless_reader

    if len(data) <= _CRC_BYTES or _crc(data[:-_CRC_BYTES]) != data[-_CRC_BYTES:]:
        return None
    try:
        found: Any = schemaless_reader(io.BytesIO(data), _parse_schema(), None)
        record = Record(
            topic=found["topic"],
            key=found["key"],
            values=tuple(found["values"]),
            kind=MessageKind(found["kind"]),
            created_ms=found["created_ms"],
        )
    except Exception:  # noqa: BLE001 (a valid checksum with another schema: fastavro does not document what it raises)
        return None
    return StoredRecord(found["id"], record, found["reason"])


def sync_marker(writer_name: str) -> bytes:
    """Return the sync marker of a writer's files."""
    return hashlib.sha256(b"sac_kafka spool " + writer_name.encode()).digest()[:MARKER_BYTES]


@cache
def file_header(writer_name: str, destination: str) -> bytes:
    """Return the header of a writer's files, which ends in the sync marker."""
    from fastavro import writer

    buffer = io.BytesIO()
    metadata = {_DESTINATION: destination}
    writer(buffer, _parse_schema(), [], codec="null", metadata=metadata, sync_marker=sync_marker(writer_name))
    return buffer.getvalue()


def read_header(data: bytes) -> tuple[int, bytes]:
    """Read the header of a file that was renamed, or written by another version of fastavro.

    Returns:
        The length of the header, and the sync marker.

    Raises:
        ForeignFileError: The file has no such header, or another schema.
    """
    from fastavro import block_reader

    file = io.BytesIO(data)
    try:
        found: Any = block_reader(file)
        schema, codec = found.writer_schema, found.codec
    except Exception as error:  # The file may contain anything.
        raise ForeignFileError("it is no Avro file") from error
    names = [each.get("name") for each in schema.get("fields", ())] if isinstance(schema, dict) else []
    if names != [each["name"] for each in SCHEMA["fields"]] or codec != "null":
        raise ForeignFileError("it is an Avro file of another schema")
    return file.tell(), data[file.tell() - MARKER_BYTES : file.tell()]


def _crc(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(_CRC_BYTES, "big")


@cache
def _parse_schema() -> Any:  # noqa: ANN401 (type of fastavro)
    from fastavro import parse_schema

    return parse_schema(dict(SCHEMA))


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
    head, marker = file_header(writer_name, destination), sync_marker(writer_name)
    at = len(head)
    if data.startswith(head):
        return at, marker
    start = _behind_damaged_header(data, at, marker)
    if any(each.stored for each in blocks(data, start, marker)):
        return start, marker
    start, found = read_header(data)
    return (at, marker) if start == at else (start, found)


def _behind_damaged_header(data: bytes, length: int, marker: bytes) -> int:
    """Return where the first block begins behind a header that had `length` bytes, and may have lost or got some.

    The first marker is that of the header, unless an intact message ends there: then the header's own marker is damaged.
    """
    end = data.find(marker)
    if end < 0:
        return length
    near = range(max(len(_COUNT) + 1, length - _MAX_SHIFT), length + _MAX_SHIFT)
    for begin in chain(range(len(_COUNT) + 1, len(_COUNT) + 1 + _MAX_LENGTH_BYTES), near):
        if begin < end and decode(data[begin:end]) is not None:
            return begin - len(_COUNT) - 1
    return end + MARKER_BYTES


def is_torn_head(data: bytes, writer_name: str, destination: str) -> bool:
    """Return whether the file is empty or ends within its header: its writer was interrupted before the first message."""
    return file_header(writer_name, destination).startswith(data)


def blocks(data: bytes, start: int, marker: bytes, base: int = 0) -> Iterator[Block]:
    """Yield the blocks from `start` on; bytes between two blocks are reported as one damaged block.

    Bytes after the last marker that are no complete message are a partial write, and are ignored. `base` is added to all
    positions.
    """
    at = start
    while at < len(data):
        found = _at(data, at) or _resynchronize(data, at, marker)
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
    stored = decode(data[begin:end])
    return None if stored is None else Block(start, min(end + MARKER_BYTES, len(data)), stored)


def _resynchronize(data: bytes, start: int, marker: bytes) -> Block | None:
    """Return the block up to the next marker, ignoring the length field, or the bytes before an intact block in it."""
    end = data.find(marker, start)
    if end < 0:
        return None
    for begin in range(
        start, min(start + len(_COUNT) + _MAX_LENGTH_BYTES + 4, end)
    ):  # a few bytes may be lost or added
        stored = decode(data[begin:end])
        if stored is not None:
            return Block(start, end + MARKER_BYTES, stored)
    at = data.find(_COUNT, start + 1, end)
    while at >= 0:
        length, begin = _read_length(data, at + 1)
        if begin + length == end and decode(data[begin:end]) is not None:
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
