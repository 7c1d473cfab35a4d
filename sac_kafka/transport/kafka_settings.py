"""Translates the settings of Kafka's Java producer (`atlas.kafka.*`) into those of librdkafka. Pure: reads no file.

By allow-list (`kafka_keys`): a key is translated, known and left out, or unknown and warned about once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.config.secrets import SecretMapping, masked
from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.kafka_keys import COMPRESSION_LEVELS, IGNORED, IGNORED_PREFIXES, TRANSLATED
from sac_kafka.transport.kafka_security import security

NATIVE_PREFIX = "librdkafka."
_ENVELOPE_ROOM = 4096  # bytes of a produce request around the value: record header and key
_EVENT_HUBS_MESSAGE_BYTES = 1_040_000  # Event Hubs closes the connection on requests above 1,046,528 bytes
_SECURITY_PREFIXES = ("security.protocol", "sasl.", "ssl.", "config.providers")
_UNRESOLVED = re.compile(r"\$\{[^}]*\}")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+._-]*://")
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})")

BASE: Mapping[str, str] = {
    # at least once and in order; not idempotent: that costs 0.5 s at the first message, and duplicates do Atlas no harm
    "client.id": "sac-kafka",
    "acks": "all",
    "enable.idempotence": "false",
    "max.in.flight.requests.per.connection": "1",
    "linger.ms": "5",
    "partitioner": "murmur2_random",
    # bounded waits
    "delivery.timeout.ms": "120000",
    "request.timeout.ms": "29000",
    "socket.timeout.ms": "30000",
    "socket.connection.setup.timeout.ms": "10000",
    "socket.keepalive.enable": "true",
    "topic.metadata.propagation.max.ms": "10000",
    "topic.metadata.refresh.interval.ms": "300000",
    # few log-in attempts on a broker that rejects them, quick again when it is back
    "metadata.recovery.strategy": "none",
    "reconnect.backoff.ms": "100",
    "reconnect.backoff.max.ms": "1000",
    "retry.backoff.ms": "100",
    "retry.backoff.max.ms": "1000",
    # bounded memory
    "message.max.bytes": "1048576",
    "queue.buffering.max.kbytes": "32768",
    "queue.buffering.max.messages": "10000",
    # quiet
    "enable.metrics.push": "false",
    "log.connection.close": "false",
}
EVENT_HUBS: Mapping[str, str] = {
    # Azure drops connections that are silent for 240 s; the service wants 60 s for requests
    "connections.max.idle.ms": "180000",
    "topic.metadata.refresh.interval.ms": "180000",
    "request.timeout.ms": "60000",
    "socket.timeout.ms": "61000",
    "message.max.bytes": str(_EVENT_HUBS_MESSAGE_BYTES),
    "batch.size": "900000",
}


@dataclass(frozen=True, slots=True)
class Translation:
    """What librdkafka's producer is made with, and warnings for the log. The repr shows no secret."""

    config: dict[str, str] = field(repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def shown(self) -> SecretMapping:
        """The configuration in a form that can be logged."""
        return SecretMapping(self.config)


def translate(kafka: Mapping[str, str], message_bytes: int = 0) -> Translation:
    """Translate Java settings (without the prefix `atlas.kafka.`) for librdkafka's producer.

    Args:
        kafka: The settings; `librdkafka.<key>` is passed on as it is, after everything else.
        message_bytes: The longest message that will be sent, which must fit unless the user has set a smaller limit.

    Raises:
        ConfigurationError: A value is wrong, the bootstrap servers are missing, or something about security cannot be
            translated.
    """
    native = {key[len(NATIVE_PREFIX) :]: text for key, text in kafka.items() if key.startswith(NATIVE_PREFIX)}
    java = {key: text.strip() for key, text in kafka.items() if not key.startswith(NATIVE_PREFIX)}
    _check_resolved(java)
    servers = _servers(java.get("bootstrap.servers", ""))
    is_event_hubs = any(".servicebus." in server for server in servers)
    config = dict(BASE) | {"bootstrap.servers": ",".join(servers)}
    config["message.max.bytes"] = str(max(int(config["message.max.bytes"]), message_bytes + _ENVELOPE_ROOM))
    if is_event_hubs:
        config |= EVENT_HUBS
    config |= _translated(java)
    secured, warnings = security(java, native)
    config |= secured
    if is_event_hubs:
        warnings += _fit_event_hubs(config)
    if message_bytes and message_bytes + _ENVELOPE_ROOM > int(config["message.max.bytes"]):
        warnings.append(
            f"messages of up to {message_bytes} bytes do not fit into atlas.kafka.max.request.size = "
            f"{config['message.max.bytes']}; lower atlas.notification.message.max.length.bytes"
        )
    warnings += _unknown(java)
    _check_together(config, java)
    _reconcile(config)
    return Translation(config | native, tuple(warnings))


def _check_resolved(java: Mapping[str, str]) -> None:
    for key, text in java.items():
        used = key in TRANSLATED or key == "bootstrap.servers" or key.startswith(_SECURITY_PREFIXES)
        if used and (reference := _UNRESOLVED.search(text)):
            raise ConfigurationError(
                f"atlas.kafka.{key} refers to {reference.group(0)}, which is not set; set it, or write the value out"
            )


def _servers(text: str) -> list[str]:
    entries = [_SCHEME.sub("", entry.strip()) for entry in text.split(",") if entry.strip()]
    if not entries:
        raise ConfigurationError("atlas.kafka.bootstrap.servers is not set; set it to host:port of one or more brokers")
    for entry in entries:
        match = _ADDRESS.fullmatch(entry)
        if match is None or not 1 <= int(match["port"]) <= 65535:
            port = ":9093" if ".servicebus." in entry else ":9092"
            raise ConfigurationError(
                f"atlas.kafka.bootstrap.servers = {masked('bootstrap.servers', text)}: {entry!r} is not host:port; "
                f"write it as in broker.example.com{port}"
            )
    return entries


def _translated(java: Mapping[str, str]) -> dict[str, str]:
    config: dict[str, str] = {}
    for key, text in java.items():
        if not text or key not in TRANSLATED or not _is_level_used(key, java):
            continue
        try:
            values = TRANSLATED[key].convert(text)
        except ValueError as error:
            raise ConfigurationError(f"atlas.kafka.{key} = {masked(key, text)}: {error}") from None
        config |= zip(TRANSLATED[key].targets, values, strict=False)
    return config


def _is_level_used(key: str, java: Mapping[str, str]) -> bool:
    return key not in COMPRESSION_LEVELS or COMPRESSION_LEVELS[key] == java.get("compression.type", "").lower()


def _fit_event_hubs(config: dict[str, str]) -> list[str]:
    """Replace what the Event Hubs service does not take; gives warnings."""
    warnings = []
    if int(config["message.max.bytes"]) > _EVENT_HUBS_MESSAGE_BYTES:
        warnings.append(f"atlas.kafka.max.request.size is lowered to {_EVENT_HUBS_MESSAGE_BYTES} for Event Hubs")
        config["message.max.bytes"] = str(_EVENT_HUBS_MESSAGE_BYTES)
    if config.get("compression.type", "none") not in ("none", "gzip"):
        codec = config["compression.type"]
        warnings.append(f"atlas.kafka.compression.type = {codec} is not used: Event Hubs takes none or gzip")
        config["compression.type"] = "none"
    if config["security.protocol"] != "sasl_ssl":
        warnings.append("atlas.kafka.security.protocol is not SASL_SSL, the only protocol of Event Hubs")
    return warnings


def _unknown(java: Mapping[str, str]) -> list[str]:
    known = [*TRANSLATED, "bootstrap.servers", "security.protocol", "sasl.mechanism", "sasl.jaas.config"]
    strangers = [
        key
        for key in sorted(java)
        if key not in known
        and key not in IGNORED
        and not key.startswith(IGNORED_PREFIXES)
        and not key.startswith(("ssl.truststore.", "ssl.keystore.", "config.providers"))
        and key not in ("ssl.key.password", "ssl.endpoint.identification.algorithm")
    ]
    warnings = []
    for key in strangers:
        nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.8)
        cure = (
            f"did you mean atlas.kafka.{nearest[0]}?"
            if nearest
            else f"for librdkafka: atlas.kafka.{NATIVE_PREFIX}{key}"
        )
        warnings.append(f"atlas.kafka.{key} is no setting of Kafka's producer and is not used ({cure})")
    if java.get("acks") == "0":
        warnings.append("atlas.kafka.acks = 0: messages count as delivered before any broker has them; use all")
    return warnings


def _check_together(config: Mapping[str, str], java: Mapping[str, str]) -> None:
    linger, delivery = int(config["linger.ms"]), int(config["delivery.timeout.ms"])
    if delivery <= linger:
        raise ConfigurationError(
            f"atlas.kafka.delivery.timeout.ms = {delivery}: must be more than atlas.kafka.linger.ms = {linger}"
        )
    conflict = next((reason for reason, holds in _idempotence_conflicts(config) if holds), None)
    if config["enable.idempotence"] == "true" and conflict:
        raise ConfigurationError(f"atlas.kafka.enable.idempotence = {java['enable.idempotence']}: needs {conflict}")


def _idempotence_conflicts(config: Mapping[str, str]) -> tuple[tuple[str, bool], ...]:
    return (
        ("atlas.kafka.acks = all", config["acks"] not in ("all", "-1")),
        ("atlas.kafka.retries above 0", config.get("retries") == "0"),
        ("at most 5 max.in.flight.requests.per.connection", int(config["max.in.flight.requests.per.connection"]) > 5),
    )


def _reconcile(config: dict[str, str]) -> None:
    """Raise bounds that would be below what they bound.

    A message that is larger than the queue could never be queued; librdkafka refuses a back-off above its maximum.
    """
    _at_least(config, "queue.buffering.max.kbytes", int(config["message.max.bytes"]) // 1024 + 2)
    for name in ("reconnect.backoff", "retry.backoff"):
        _at_least(config, f"{name}.max.ms", int(config[f"{name}.ms"]))


def _at_least(config: dict[str, str], key: str, least: int) -> None:
    config[key] = str(max(int(config[key]), least))
