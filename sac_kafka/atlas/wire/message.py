"""Wrap a HookNotification in the envelope that Atlas' consumer reads, and split a message that exceeds the record size.

Source: `org.apache.atlas.model.notification.AtlasNotificationMessage`, with keys in Atlas' order;
`org.apache.atlas.notification.AbstractNotification.createNotificationMessages`.
"""

from __future__ import annotations

import base64
import gzip
import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any

# ASCII only: Atlas' own spool corrupts other characters when it replays (R26).
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False)


def encode(value: Any) -> str:  # noqa: ANN401 # any JSON value
    """Encode a value as compact ASCII JSON, so that its length in characters is its length in bytes."""
    return _ENCODER.encode(value)


def envelope(
    notification: Mapping[str, Any], *, source_ip: str, created_by: str, now_ms: int, is_purview: bool = False
) -> str:
    """Return the message as JSON text, by the user `created_by` at the time `now_ms` in epoch milliseconds.

    `is_purview` omits `source` and `spooled`, which Purview's documentation does not list.
    """
    # A plain string: for an object with a version Atlas 2.3 and later log a warning per message (R2).
    source = {} if is_purview else {"source": "sac_kafka"}
    spooled = {} if is_purview else {"spooled": False}
    return encode(
        {
            **source,
            # Atlas loses messages without a version, or with a later one (R1).
            "version": {"version": "1.0.0", "versionParts": [1]},
            "msgCompressionKind": "NONE",
            # A message is split only after it was encoded (`parts`), so it is always the only part here.
            "msgSplitIdx": 1,
            "msgSplitCount": 1,
            "msgSourceIP": source_ip,
            "msgCreatedBy": created_by,
            "msgCreationTime": now_ms,
            **spooled,
            "message": notification,
        }
    )


ENVELOPE_ROOM = 512
"""Bytes that Atlas reserves for the envelope of a part, within the limit of a record (`MESSAGE_MAX_LENGTH_BYTES`)."""


def _new_id() -> str:
    return str(uuid.uuid4())


def parts(text: str, *, max_bytes: int, compresses: bool, new_id: Callable[[], str] = _new_id) -> tuple[bytes, ...]:
    """Return the values of a message's records, in order; only the text itself if it fits into one record.

    `text` is the whole message, ASCII, `max_bytes` the maximum length of a record's value. With `compresses`, a longer message
    is compressed before it is split. `new_id` returns the `msgId` shared by the parts of a message.

    Bundles are divided into messages that are valid by themselves (`division`), so this is only needed for a single large
    entity, such as a process with thousands of inputs. If a part is missing or out of order, Atlas' consumer
    (`AtlasNotificationMessageDeserializer`) drops the whole message without an error; a duplicate part does no harm.
    """
    data = text.encode("ascii")
    if len(data) <= max_bytes:
        return (data,)
    kind = "GZIP" if compresses else "NONE"
    # Without a time in the gzip header the same text always has the same bytes.
    payload = base64.b64encode(gzip.compress(data, mtime=0) if compresses else data).decode("ascii")
    id_ = new_id()
    if compresses:
        whole = _part(payload, id_, kind, 1, 1)
        if len(whole) <= max_bytes:
            return (whole,)
    length = max(1, max_bytes - ENVELOPE_ROOM)
    pieces = [payload[start : start + length] for start in range(0, len(payload), length)]
    return tuple(_part(piece, id_, kind, index, len(pieces)) for index, piece in enumerate(pieces))


def _part(payload: str, id_: str, kind: str, index: int, count: int) -> bytes:
    """Return the envelope of a part; Atlas counts parts from 0, but the index of a single part is 1."""
    message = {
        "version": {"version": "1.0.0", "versionParts": [1]},
        "msgId": id_,
        "msgCompressionKind": kind,
        "msgSplitIdx": index,
        "msgSplitCount": count,
        "message": payload,
    }
    return encode(message).encode("ascii")
