"""What is read and checked in the same way whichever Kafka client is used: protocol, references, size of messages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sac_kafka.config.secrets import mask_line
from sac_kafka.errors import ConfigurationError

_PROTOCOL_ALIASES = {"PLAINTEXTSASL": "SASL_PLAINTEXT"}  # the word of HDP's Kafka
_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
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


def in_clear(kafka: Mapping[str, str], protocol: str, *, has_password: bool) -> list[str]:
    """Warn where a secret goes over the network in clear, or whom it goes to is not checked; not for this machine alone.

    Args:
        kafka: Settings without `atlas.kafka.`, those under `librdkafka.` included.
        protocol: As `protocol_of` gives it.
        has_password: Whether the login is by user name and password.
    """
    servers = [each.strip() for each in kafka.get("bootstrap.servers", "").split(",") if each.strip()]
    warnings = [
        f"atlas.kafka.bootstrap.servers = {mask_line(each)}: Kafka does not speak HTTP, and the connection is {protocol}; write "
        f"{mask_line(each.rpartition('://')[2])}, and the protocol as atlas.kafka.security.protocol"
        for each in servers
        if each.lower().startswith(("http://", "https://"))
    ]
    if not all(map(_is_here, servers)):
        if protocol == "SASL_PLAINTEXT" and has_password and kafka.get("sasl.mechanism", "").upper() == "PLAIN":
            warnings.append(
                "the Kafka password is sent in clear; set atlas.kafka.security.protocol to SASL_SSL, or use SCRAM"
            )
        verification = kafka.get("librdkafka.enable.ssl.certificate.verification", "true").strip().lower()
        if protocol.endswith("SSL") and verification == "false":
            warnings.append(
                "the broker's certificate is not checked, so anybody can pose as the broker; remove "
                "atlas.kafka.librdkafka.enable.ssl.certificate.verification, and set atlas.kafka.ssl.truststore.location"
            )
        key = "ssl.endpoint.identification.algorithm"
        if protocol.endswith("SSL") and kafka.get(key, "https").strip().lower() in ("", "none"):
            warnings.append(
                f"the broker's host name is not checked, so anyone with a certificate of a trusted CA can pose as the broker; "
                f"remove atlas.kafka.{key}"
            )
    url = kafka.get("sasl.oauthbearer.token.endpoint.url", "").strip()
    is_token = protocol.startswith("SASL_") and kafka.get("sasl.mechanism", "").upper() == "OAUTHBEARER"
    if is_token and url.lower().startswith("http://") and not _is_here(url[7:].split("/")[0]):
        warnings.append(
            "the client secret is sent in clear; write https:// in atlas.kafka.sasl.oauthbearer.token.endpoint.url"
        )
    return warnings


def _is_here(address: str) -> bool:
    """Whether `host:port` is this machine's own."""
    address = address.rpartition("://")[2].rpartition("@")[2]
    host = address[1:].partition("]")[0] if address.startswith("[") else address.partition(":")[0]
    return host.lower() == "localhost" or host == "::1" or host.startswith("127.")


def too_long(message_bytes: int, room_bytes: int, limit_bytes: int) -> list[str]:
    """Warn where the longest message, with so much room around it, is above the client's limit."""
    if not message_bytes or message_bytes + room_bytes <= limit_bytes:
        return []
    return [
        f"messages of up to {message_bytes} bytes do not fit into atlas.kafka.max.request.size = {limit_bytes}; "
        "lower atlas.notification.message.max.length.bytes"
    ]
