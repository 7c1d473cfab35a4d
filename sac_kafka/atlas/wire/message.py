"""Wrap a HookNotification in the envelope that Atlas' consumer reads, as the text of a Kafka record.

Source: `org.apache.atlas.model.notification.AtlasNotificationMessage`, with keys in Atlas' order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
            # A message is split only after it was encoded (`splitting`), so it is always the only part here.
            "msgSplitIdx": 1,
            "msgSplitCount": 1,
            "msgSourceIP": source_ip,
            "msgCreatedBy": created_by,
            "msgCreationTime": now_ms,
            **spooled,
            "message": notification,
        }
    )
