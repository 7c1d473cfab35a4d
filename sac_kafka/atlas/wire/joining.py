"""Reassemble and decompress split messages, as Atlas' consumer does (the inverse of `message.parts`).

Source: `org.apache.atlas.notification.AtlasNotificationMessageDeserializer`,
`org.apache.atlas.notification.SplitMessageAggregator`.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sac_kafka.errors import MessageError

_GZIP = "GZIP"
_KINDS = ("NONE", _GZIP)
"""Values of `msgCompressionKind`; the payload is Base64 in both cases."""
MAX_PENDING = 100
"""Maximum number of incomplete messages; beyond it the oldest is abandoned."""
MAX_BYTES = 256 * 1024 * 1024
"""Maximum size of a decompressed message, as a protection against decompression bombs."""


@dataclass(frozen=True, slots=True)
class WholeMessage:
    """A complete message: its text, its number of records, their total bytes, and the bytes of the longest."""

    text: str
    records: int
    bytes: int
    longest: int


class PartJoiner:
    """Joiner of the parts of messages, added in the order of their records.

    `abandoned` counts messages that were dropped before all of their parts had arrived.
    """

    def __init__(self) -> None:
        self._parts: dict[str, dict[int, str]] = {}
        self._bytes: dict[str, list[int]] = {}
        self.abandoned = 0

    @property
    def pending(self) -> int:
        """Number of messages with missing parts."""
        return len(self._parts)

    def add(self, value: bytes) -> WholeMessage | None:
        """Return the message that this record contains or completes; None while parts are missing.

        A value that is not an envelope, even if it is not JSON, is returned unchanged; `reader` reports the error.

        Raises:
            MessageError: The value is a part with invalid numbers, or the message cannot be decoded or decompressed.
        """
        envelope = _envelope(value)
        if envelope is None:
            return WholeMessage(value.decode("utf-8", "replace"), 1, len(value), len(value))
        payload = str(envelope["message"])
        count, kind = envelope.get("msgSplitCount", 1), str(envelope.get("msgCompressionKind", "NONE"))
        if count == 1:
            return WholeMessage(_unpack(payload, kind), 1, len(value), len(value))
        id_, index = str(envelope.get("msgId")), envelope.get("msgSplitIdx")
        if not (isinstance(index, int) and isinstance(count, int) and 0 <= index < count):
            raise MessageError(
                f"a part of message {id_:.40} has msgSplitIdx = {index!r:.20} and msgSplitCount = {count!r:.20}: "
                "must be integers with 0 <= msgSplitIdx < msgSplitCount"
            )
        parts = self._parts.setdefault(id_, {})
        parts[index] = payload
        self._bytes.setdefault(id_, []).append(len(value))
        if len(parts) < count:
            self._limit_pending()
            return None
        del self._parts[id_]
        sizes = self._bytes.pop(id_)
        return WholeMessage(
            _unpack("".join(parts[number] for number in range(count)), kind), count, sum(sizes), max(sizes)
        )

    def _limit_pending(self) -> None:
        if len(self._parts) > MAX_PENDING:
            oldest = next(iter(self._parts))
            del self._parts[oldest], self._bytes[oldest]
            self.abandoned += 1


def _envelope(value: bytes) -> Mapping[str, Any] | None:
    """Return the envelope if it contains a part or a compressed message (a text instead of an object), else None."""
    if b"msgSplitCount" not in value:
        return None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("message"), str):
        return None
    return found


def _unpack(payload: str, kind: str) -> str:
    if kind not in _KINDS:
        raise MessageError(f"msgCompressionKind = {kind!r:.40}: must be one of {', '.join(_KINDS)}")
    try:
        data = base64.b64decode(payload, validate=True)
        with gzip.open(io.BytesIO(data)) if kind == _GZIP else io.BytesIO(data) as stream:
            found = stream.read(MAX_BYTES + 1)
    except (binascii.Error, OSError, EOFError, ValueError, zlib.error) as e:
        raise MessageError(f"cannot decode or decompress the split or compressed message: {e}") from None
    if len(found) > MAX_BYTES:
        raise MessageError(f"the decompressed message exceeds {MAX_BYTES:,} bytes")
    return found.decode("utf-8", "replace")
