"""Puts the parts of a message together again, as a server's consumer does: the opposite of `splitting`.

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
"""How the text was made bytes; these are Base64 in either."""
MAX_WAITING = 100
"""Messages of which parts are missing; with one more the oldest is given up."""
MAX_BYTES = 256 * 1024 * 1024
"""The longest message once it is unpacked: a short one may claim to be endless."""


@dataclass(frozen=True, slots=True)
class WholeMessage:
    """A whole message: its `text`, of how many records and bytes on the wire it was put together, and the `longest` of them."""

    text: str
    records: int
    bytes: int
    longest: int


class Joining:
    """Takes the values of records in their order, and gives whole messages.

    `given_up` counts messages that were never whole.
    """

    def __init__(self) -> None:
        self._parts: dict[str, dict[int, str]] = {}
        self._bytes: dict[str, list[int]] = {}
        self.given_up = 0

    @property
    def waiting(self) -> int:
        """Messages of which parts are missing."""
        return len(self._parts)

    def take(self, value: bytes) -> WholeMessage | None:
        """Give the message that this value is, or makes whole; None while parts of it are missing.

        Raises:
            MessageError: It is a part that cannot be put together or unpacked. What is no JSON at all is given as it
                is: its reader says so.
        """
        envelope = _envelope(value)
        if envelope is None:
            return WholeMessage(value.decode("utf-8", "replace"), 1, len(value), len(value))
        payload = str(envelope["message"])
        count, kind = envelope.get("msgSplitCount", 1), str(envelope.get("msgCompressionKind", "NONE"))
        if count == 1:
            return WholeMessage(_unpacked(payload, kind), 1, len(value), len(value))
        id_, index = str(envelope.get("msgId")), envelope.get("msgSplitIdx")
        if not (isinstance(index, int) and isinstance(count, int) and 0 <= index < count):
            raise MessageError(
                f"a part of message {id_:.40}: msgSplitIdx = {index!r:.20} of msgSplitCount = {count!r:.20}"
            )
        parts = self._parts.setdefault(id_, {})
        parts[index] = payload
        self._bytes.setdefault(id_, []).append(len(value))
        if len(parts) < count:
            self._give_up_the_oldest()
            return None
        del self._parts[id_]
        sizes = self._bytes.pop(id_)
        return WholeMessage(
            _unpacked("".join(parts[each] for each in range(count)), kind), count, sum(sizes), max(sizes)
        )

    def _give_up_the_oldest(self) -> None:
        if len(self._parts) > MAX_WAITING:
            oldest = next(iter(self._parts))
            del self._parts[oldest], self._bytes[oldest]
            self.given_up += 1


def _envelope(value: bytes) -> Mapping[str, Any] | None:
    """The envelope of a part, or of a message that is compressed; None for any other value."""
    if b"msgSplitCount" not in value:
        return None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("message"), str):
        return None
    return found


def _unpacked(payload: str, kind: str) -> str:
    if kind not in _KINDS:
        raise MessageError(f"a message with msgCompressionKind = {kind!r:.40}: must be one of {', '.join(_KINDS)}")
    try:
        data = base64.b64decode(payload, validate=True)
        with gzip.open(io.BytesIO(data)) if kind == _GZIP else io.BytesIO(data) as stream:
            found = stream.read(MAX_BYTES + 1)
    except (binascii.Error, OSError, EOFError, ValueError, zlib.error) as e:
        raise MessageError(f"a message in parts or compressed that cannot be unpacked: {e}") from None
    if len(found) > MAX_BYTES:
        raise MessageError(f"a compressed message of more than {MAX_BYTES} bytes")
    return found.decode("utf-8", "replace")
