"""What is read and checked in the same way whichever Kafka client is used: protocol, references, size of messages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sac_kafka.errors import ConfigurationError

_PROTOCOL_ALIASES = {"PLAINTEXTSASL": "SASL_PLAINTEXT"}  # the word of HDP's Kafka
_REFERENCE = re.compile(r"\$\{([^}]*)\}")
_NAME = re.compile(r"(?:env|sys):[\w.-]+")  # anything else may be a piece of a password


def protocol_of(kafka: Mapping[str, str]) -> str:
    """Give `security.protocol` in upper case, PLAINTEXT when it is not set (the default of Kafka's client); not checked."""
    name = kafka.get("security.protocol", "").strip().upper() or "PLAINTEXT"
    return _PROTOCOL_ALIASES.get(name, name)


def is_used(key: str, protocol: str) -> bool:
    """Whether a setting (without `atlas.kafka.`) has a part in a connection of this protocol."""
    if key.startswith("sasl."):
        return protocol.startswith("SASL_")
    return protocol.endswith("SSL") or not key.startswith("ssl.")


def check_resolved(key: str, text: str) -> None:
    """Refuse a value in which a `${…}` is left, because nothing of that name is set.

    Raises:
        ConfigurationError: There is one; only the name of an environment variable or system property is shown.
    """
    reference = _REFERENCE.search(text)
    if reference is None:
        return
    if _NAME.fullmatch(reference[1]):
        raise ConfigurationError(f"{key} refers to {reference[0]}, which is not set; set it, or write the value out")
    raise ConfigurationError(
        f"{key} holds ${{…}}, which names nothing that is set; correct the name, or write the value out"
    )


def too_long(message_bytes: int, room_bytes: int, limit_bytes: int) -> list[str]:
    """Warn where the longest message, with so much room around it, is above the client's limit."""
    if not message_bytes or message_bytes + room_bytes <= limit_bytes:
        return []
    return [
        f"messages of up to {message_bytes} bytes do not fit into atlas.kafka.max.request.size = {limit_bytes}; "
        "lower atlas.notification.message.max.length.bytes"
    ]
