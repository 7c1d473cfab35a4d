"""Encode a message as Avro, and the header of an Avro container file. fastavro is imported when first needed.

The last field is the CRC32 of all preceding bytes, because Avro has no checksum and a flipped bit would be sent. The
header depends only on the name of the file, so a damaged one can be reconstructed.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
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
    schemaless_writer(buffer, _parsed(), fields)
    body = buffer.getvalue()[:-_CRC_BYTES]
    return body + _crc(body)


def decode(data: bytes) -> StoredRecord | None:
    """Decode a message, None if its checksum is wrong."""
    from fastavro import schemaless_reader

    if len(data) <= _CRC_BYTES or _crc(data[:-_CRC_BYTES]) != data[-_CRC_BYTES:]:
        return None
    try:
        found: Any = schemaless_reader(io.BytesIO(data), _parsed(), None)
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


def marker(writer_name: str) -> bytes:
    """Return the sync marker of a writer's files."""
    return hashlib.sha256(b"sac_kafka spool " + writer_name.encode()).digest()[:MARKER_BYTES]


@cache
def head(writer_name: str, destination: str) -> bytes:
    """Return the header of a writer's files, which ends in the sync marker."""
    from fastavro import writer

    buffer = io.BytesIO()
    metadata = {_DESTINATION: destination}
    writer(buffer, _parsed(), [], codec="null", metadata=metadata, sync_marker=marker(writer_name))
    return buffer.getvalue()


def read_head(data: bytes) -> tuple[int, bytes]:
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
def _parsed() -> Any:  # noqa: ANN401 (type of fastavro)
    from fastavro import parse_schema

    return parse_schema(dict(SCHEMA))
