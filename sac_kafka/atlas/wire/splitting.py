"""A message that is too long for one record, as the parts that a server's consumer puts together again.

Statements are divided into messages that each make sense by themselves (`division`); what is left for here is a message
of one entity that cannot be divided, such as a process with thousands of inputs. First compressed, then cut. A consumer
loses the whole message, without an error, where a part is missing or out of order; a part that comes twice does no harm.

Source: `org.apache.atlas.notification.AbstractNotification.createNotificationMessages`,
`org.apache.atlas.notification.AtlasNotificationMessageDeserializer`.
"""

from __future__ import annotations

import base64
import gzip
import uuid
from collections.abc import Callable

from sac_kafka.atlas.wire.message import encode

ENVELOPE_ROOM = 512
"""What Atlas leaves of the limit for the envelope of a part (`MESSAGE_MAX_LENGTH_BYTES`)."""


def _new_id() -> str:
    return str(uuid.uuid4())


def parts(text: str, *, max_bytes: int, compresses: bool, new_id: Callable[[], str] = _new_id) -> tuple[bytes, ...]:
    """The values of a message's records, in order: the text itself where it fits.

    Args:
        text: The whole message, ASCII.
        max_bytes: The longest value of a record.
        compresses: Whether a longer message is compressed before it is cut.
        new_id: Gives the `msgId` that the parts of this message share.
    """
    data = text.encode("ascii")
    if len(data) <= max_bytes:
        return (data,)
    kind = "GZIP" if compresses else "NONE"
    # The same bytes for the same text: no time of day in the header.
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
    """An envelope around text; of several parts the index is from 0, of a single one it is 1."""
    message = {
        "version": {"version": "1.0.0", "versionParts": [1]},
        "msgId": id_,
        "msgCompressionKind": kind,
        "msgSplitIdx": index,
        "msgSplitCount": count,
        "message": payload,
    }
    return encode(message).encode("ascii")
