"""The message: a HookNotification in the envelope that a server's consumer reads, as the text of a Kafka record.

Source: `org.apache.atlas.model.notification.AtlasNotificationMessage`; keys in the order in which Atlas writes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# ASCII only: Atlas' own spool corrupts other characters when it replays (R26).
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False)


def encode(value: Any) -> str:  # noqa: ANN401 # whatever JSON can say
    """Compact ASCII JSON, so that a character is a byte."""
    return _ENCODER.encode(value)


def envelope(
    notification: Mapping[str, Any], *, source_ip: str, created_by: str, now_ms: int, is_purview: bool = False
) -> str:
    """The whole message.

    `version` must be there and be 1.0.0, else the server loses the message (R1). `source` is a plain string: with a
    version object servers since 2.3 log a warning for every message (R2). The message is never split, so index and
    count are 1. `now_ms` is epoch milliseconds. What Purview reads has no `source` and no `spooled` in its documentation.
    """
    own = {} if is_purview else {"source": "sac_kafka"}
    spooled = {} if is_purview else {"spooled": False}
    return encode(
        {
            **own,
            "version": {"version": "1.0.0", "versionParts": [1]},
            "msgCompressionKind": "NONE",
            "msgSplitIdx": 1,
            "msgSplitCount": 1,
            "msgSourceIP": source_ip,
            "msgCreatedBy": created_by,
            "msgCreationTime": now_ms,
            **spooled,
            "message": notification,
        }
    )
