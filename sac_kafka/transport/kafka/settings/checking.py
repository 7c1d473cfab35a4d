"""Check settings in the same way for both Kafka clients: protocol, unresolved references, security, message size."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_line

_PROTOCOL_ALIASES = {"PLAINTEXTSASL": "SASL_PLAINTEXT"}  # used by HDP's Kafka
_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_NAME = re.compile(r"(?:env|sys):[\w.-]+")  # anything else may be part of a password and is not quoted


def protocol_of(kafka: Mapping[str, str]) -> str:
    """Return `security.protocol` in upper case without checking it; PLAINTEXT if not set (Kafka's default)."""
    name = kafka.get("security.protocol", "").strip().upper() or "PLAINTEXT"
    return _PROTOCOL_ALIASES.get(name, name)


def is_used(key: str, protocol: str) -> bool:
    """Return whether a setting (without `atlas.kafka.`) affects a connection with this protocol."""
    if key.startswith("sasl."):
        return protocol.startswith("SASL_")
    return protocol.endswith("SSL") or not key.startswith("ssl.")


def check_references(key: str, text: str) -> None:
    """Check that a value contains no unresolved `${…}`.

    Raises:
        ConfigurationError: It does. The message quotes only names of environment variables and system properties.
    """
    reference = _REFERENCE.search(text)
    if reference is None:
        return
    if _NAME.fullmatch(reference[1]):
        raise ConfigurationError(f"{key} refers to {reference[0]}, which is not set; set it, or write the value out")
    raise ConfigurationError(
        f"{key} contains a ${{…}} that refers to nothing; correct the name, or write the value out"
    )


def in_clear(kafka: Mapping[str, str], protocol: str, *, has_password: bool) -> list[str]:
    """Warn about secrets sent unencrypted or to an unverified server; not for connections to this machine only.

    Args:
        kafka: Settings without `atlas.kafka.`, including those under `librdkafka.`.
        protocol: The result of `protocol_of`.
        has_password: Whether the login uses user name and password.
    """
    servers = [each.strip() for each in kafka.get("bootstrap.servers", "").split(",") if each.strip()]
    warnings = [
        f"atlas.kafka.bootstrap.servers = {mask_line(server)}: Kafka does not use HTTP, the connection uses {protocol}; write "
        f"{mask_line(server.rpartition('://')[2])}, and set the protocol in atlas.kafka.security.protocol"
        for server in servers
        if server.lower().startswith(("http://", "https://"))
    ]
    if not all(map(_is_local, servers)):
        if protocol == "SASL_PLAINTEXT" and has_password and kafka.get("sasl.mechanism", "").upper() == "PLAIN":
            warnings.append(
                "the Kafka password is sent unencrypted; set atlas.kafka.security.protocol to SASL_SSL, or use SCRAM"
            )
        verification = kafka.get("librdkafka.enable.ssl.certificate.verification", "true").strip().lower()
        if protocol.endswith("SSL") and verification == "false":
            warnings.append(
                "the broker's certificate is not verified, so that anyone can impersonate the broker; remove "
                "atlas.kafka.librdkafka.enable.ssl.certificate.verification, and set atlas.kafka.ssl.truststore.location"
            )
        key = "ssl.endpoint.identification.algorithm"
        if protocol.endswith("SSL") and kafka.get(key, "https").strip().lower() in ("", "none"):
            warnings.append(
                f"the broker's host name is not verified, so that anyone with a certificate of a trusted CA can impersonate the "
                f"broker; remove atlas.kafka.{key}"
            )
    url = kafka.get("sasl.oauthbearer.token.endpoint.url", "").strip()
    is_token = protocol.startswith("SASL_") and kafka.get("sasl.mechanism", "").upper() == "OAUTHBEARER"
    if is_token and url.lower().startswith("http://") and not _is_local(url[7:].split("/")[0]):
        warnings.append(
            "the client secret is sent unencrypted; write https:// in atlas.kafka.sasl.oauthbearer.token.endpoint.url"
        )
    return warnings


def _is_local(address: str) -> bool:
    """Return whether `host:port` is on this machine."""
    address = address.rpartition("://")[2].rpartition("@")[2]
    host = address[1:].partition("]")[0] if address.startswith("[") else address.partition(":")[0]
    return host.lower() == "localhost" or host == "::1" or host.startswith("127.")


def too_long(message_bytes: int, room_bytes: int, limit_bytes: int) -> list[str]:
    """Warn if the longest message plus its overhead (`room_bytes`) exceeds the client's limit."""
    if not message_bytes or message_bytes + room_bytes <= limit_bytes:
        return []
    return [
        f"messages of up to {message_bytes} bytes exceed atlas.kafka.max.request.size = {limit_bytes}; "
        "lower atlas.notification.message.max.length.bytes"
    ]
