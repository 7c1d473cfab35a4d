"""Translate the settings of Kafka's Java producer (`atlas.kafka.*`) to those of librdkafka.

Each key is translated, known and ignored, or unknown and reported in a warning (`keys`). The only files read are the trust
and key stores in the settings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import ConfigurationError, all_of
from sac_kafka.masking import mask_setting
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.settings import event_hubs
from sac_kafka.transport.kafka.settings.checking import check_references, in_clear, too_long
from sac_kafka.transport.kafka.settings.code_loading import CALLBACK_KEY, check_libraries
from sac_kafka.transport.kafka.settings.context import NO_CONTEXT, ConnectionContext
from sac_kafka.transport.kafka.settings.event_hubs import EVENT_HUBS
from sac_kafka.transport.kafka.settings.keys import (
    COMPRESSION_LEVELS,
    MAX_INT,
    NATIVE_PREFIX,
    TRANSLATED,
    KeySupport,
    support_of,
)
from sac_kafka.transport.kafka.settings.reviewing import meant_by
from sac_kafka.transport.kafka.settings.security import security

if TYPE_CHECKING:
    from sac_kafka.transport.kafka.settings.oauth_tokens import TokenSource

_ENVELOPE_BYTES = 4096  # overhead of a value in a produce request: record header and key
_DELIVERY_SECONDS = 120.0
_EXTRA_TIMEOUT_MS = 900_000
"""Added to the transport's timeout for librdkafka: a record that librdkafka itself gives up would break the order."""
_MODERN_TLS = {"TLSv1.2", "TLSv1.3"}
_SEPARATOR = re.compile(r"[\s,]+")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+._-]*://")
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[\w.-]+):(?P<port>[0-9]{1,5})")

_CONNECTION_STRING = "; a connection string is a password: put it into atlas.kafka.sasl.jaas.config"

BASE: Mapping[str, str] = {
    # At least once and in order. Not idempotent, which costs 0.5 s at the first message; Atlas tolerates duplicates.
    "client.id": "sac-kafka",
    "acks": "all",
    "enable.idempotence": "false",
    "max.in.flight.requests.per.connection": "1",
    "linger.ms": "5",
    "partitioner": "murmur2_random",
    # bounded waits
    "request.timeout.ms": "29000",
    "socket.timeout.ms": "30000",
    "socket.connection.setup.timeout.ms": "10000",
    "api.version.request.timeout.ms": "8000",  # so that a port that never responds is detected within a flush of 10 s
    "socket.keepalive.enable": "true",
    "topic.metadata.propagation.max.ms": "10000",
    "topic.metadata.refresh.interval.ms": "300000",
    # few login attempts on a broker that rejects them, quick reconnection after an outage
    "metadata.recovery.strategy": "none",
    "reconnect.backoff.ms": "100",
    "reconnect.backoff.max.ms": "1000",
    "retry.backoff.ms": "100",
    "retry.backoff.max.ms": "1000",
    # bounded memory
    "message.max.bytes": "1048576",
    "queue.buffering.max.kbytes": "32768",
    "queue.buffering.max.messages": "10000",
    # less logging
    "enable.metrics.push": "false",
    "log.connection.close": "false",
}


@dataclass(frozen=True, slots=True)
class Translation:
    """The configuration of librdkafka's producer, and limits of the transport. The repr contains no secrets.

    The transport enforces `delivery_timeout_seconds` (maximum time in flight) and `queue_bytes` (maximum queue size).
    `token` is the source of OAUTHBEARER tokens if Python provides them.
    """

    config: dict[str, str] = field(repr=False)
    warnings: tuple[str, ...] = ()
    delivery_timeout_seconds: float = _DELIVERY_SECONDS
    token: TokenSource | None = None

    @property
    def queue_bytes(self) -> int:
        """The maximum size of queued records in bytes: `buffer.memory`."""
        return int(self.config["queue.buffering.max.kbytes"]) * 1024

    def client_config(self) -> dict[str, Any]:
        """Return the configuration for a client, including the token callback, whose first token is fetched here."""
        if self.token is None:
            return dict(self.config)
        self.token.prepare(self.config.get("sasl.oauthbearer.config", ""))
        return {**self.config, "oauth_cb": self.token}


def librdkafka_settings(settings: Settings, driver: Driver | None) -> Translation:
    """Translate a hook's settings; `driver` reads key stores and credentials, None outside a driver.

    Raises:
        ConfigurationError: As in `translate`.
        NeedsJvmClientError: As in `translate`.
        NeedsDriverError: Outside a driver, a file names a function that provides tokens.
    """
    context = ConnectionContext(
        kafka=settings.kafka,
        topic=settings.sink.topic,
        entra=settings.entra,
        driver=driver,
        runs_callback=driver is not None or settings.source.is_override(CALLBACK_KEY),
    )
    return translate(settings.kafka.properties, settings.content.message_max_bytes, context)


def translate(kafka: Mapping[str, str], message_bytes: int = 0, context: ConnectionContext = NO_CONTEXT) -> Translation:
    """Translate Java settings (without the prefix `atlas.kafka.`) for librdkafka's producer.

    Args:
        kafka: The settings; `librdkafka.<key>` is passed unchanged and overrides all others.
        message_bytes: Maximum message size; the client's limit is raised to it unless the user has set a smaller one.
        context: Other settings of the login, and the driver, which reads key stores.

    Raises:
        ConfigurationError: A value is invalid, the bootstrap servers are missing, a store cannot be read, or a security
            setting cannot be translated.
        NeedsJvmClientError: A security setting requires Kafka's Java client.
    """
    check_libraries(kafka)
    native = {key[len(NATIVE_PREFIX) :]: text for key, text in kafka.items() if key.startswith(NATIVE_PREFIX)}
    java = {key: text.strip() for key, text in kafka.items() if not key.startswith(NATIVE_PREFIX)}
    if not java.get("config.providers"):  # else `security` reports that resolving references requires Java
        _check_references(java)
    servers, translated, secured = all_of(
        lambda: _servers(java.get("bootstrap.servers", "")),
        lambda: _translate(java),
        lambda: security(java, native, context),
    )
    is_event_hubs = event_hubs.is_event_hubs(servers)
    config = dict(BASE) | {"bootstrap.servers": ",".join(servers)}
    config["message.max.bytes"] = str(max(int(config["message.max.bytes"]), message_bytes + _ENVELOPE_BYTES))
    if is_event_hubs:
        message_bytes = min(message_bytes, event_hubs.RECORD_BYTES)
        config |= EVENT_HUBS
        if message_bytes:  # the service limits batches, so a lower message limit must also apply to batches
            config["batch.size"] = str(min(int(config["batch.size"]), message_bytes))
    config |= translated
    delivery_ms = int(config.pop("delivery.timeout.ms", str(int(_DELIVERY_SECONDS * 1000))))
    config |= secured.config
    warnings = list(secured.warnings)
    if is_event_hubs:
        warnings += event_hubs.fit(config, "message.max.bytes")
    has_password = "sasl.password" in config or "sasl.password" in native
    warnings += in_clear(kafka, config["security.protocol"].upper(), has_password=has_password)
    warnings += too_long(message_bytes, _ENVELOPE_BYTES, int(config["message.max.bytes"]))
    warnings += [*_unknown(java), *_unexpected_effects(java, config["security.protocol"])]
    _check_together(config, java, delivery_ms)
    _reconcile(config)
    config["delivery.timeout.ms"] = str(min(delivery_ms + _EXTRA_TIMEOUT_MS, MAX_INT))
    return Translation(config | native, tuple(warnings), delivery_ms / 1000, secured.source)


def _check_references(java: Mapping[str, str]) -> None:
    for key, text in java.items():
        if support_of(key) in (KeySupport.TRANSLATED, KeySupport.SECURED):
            check_references(f"atlas.kafka.{key}", text)


def _servers(text: str) -> list[str]:
    entries = [_SCHEME.sub("", entry.strip()) for entry in text.split(",") if entry.strip()]
    if not entries:
        raise ConfigurationError("atlas.kafka.bootstrap.servers is not set; set it to host:port of one or more brokers")
    for entry in entries:
        match = _ADDRESS.fullmatch(entry)
        if match is None or not 1 <= int(match["port"]) <= 65535:
            port = ":9093" if ".servicebus." in entry else ":9092"
            raise ConfigurationError(
                f"atlas.kafka.bootstrap.servers: '{mask_setting('bootstrap.servers', entry)}' is not host:port; write it as in "
                f"broker.example.com{port}{_servers_hint(text)}"
            )
    return entries


def _servers_hint(text: str) -> str:
    """Return the probable mistake in invalid servers, "" if it is unknown."""
    if "SharedAccessKey" in text:
        return _CONNECTION_STRING
    if "#" in text:
        return "; comments must be on separate lines"
    if "$" in text or "%" in text:
        return "; write an environment variable as ${env:NAME}"
    return "; separate brokers by commas" if ";" in text or (len(text.split()) > 1 and "," not in text) else ""


def _translate(java: Mapping[str, str]) -> dict[str, str]:
    used = [key for key, text in java.items() if text and key in TRANSLATED and _is_level_used(key, java)]
    values = all_of(*(partial(_convert, key, java[key]) for key in used))
    config: dict[str, str] = {}
    for key, found in zip(used, values, strict=True):
        config |= zip(TRANSLATED[key].targets, found, strict=False)
    return config


def _convert(key: str, text: str) -> tuple[str, ...]:
    try:
        return TRANSLATED[key].convert(text)
    except ValueError as error:
        raise ConfigurationError(f"atlas.kafka.{key} = {mask_setting(key, text)}: {error}") from None


def _is_level_used(key: str, java: Mapping[str, str]) -> bool:
    return key not in COMPRESSION_LEVELS or COMPRESSION_LEVELS[key] == java.get("compression.type", "").lower()


def _unknown(java: Mapping[str, str]) -> list[str]:
    """Report unknown keys; `reviewing` reports misspelt ones."""
    return [
        f"atlas.kafka.{key} is not a Kafka producer property and has no effect; write a property of librdkafka as "
        f"atlas.kafka.{NATIVE_PREFIX}{key}"
        for key in sorted(java)
        if support_of(key) is KeySupport.UNKNOWN and meant_by(key) is None
    ]


def _unexpected_effects(java: Mapping[str, str], protocol: str) -> list[str]:
    """Report settings whose effect differs from what may be expected."""
    partitioner, versions = java.get("partitioner.class", ""), java.get("ssl.enabled.protocols", "")
    allowed, suites = set(_SEPARATOR.split(versions)), java.get("ssl.cipher.suites", "")
    in_flight = java.get("max.in.flight.requests.per.connection", "")
    warnings = {
        "atlas.kafka.acks = 0: messages count as delivered before any broker has stored them; use all": (
            java.get("acks") == "0"
        ),
        "atlas.kafka.transactional.id is ignored: messages are sent without transactions": bool(
            java.get("transactional.id")
        ),
        f"atlas.kafka.max.in.flight.requests.per.connection = {in_flight}: retries may reorder messages; remove it, or set "
        "atlas.kafka.enable.idempotence = true": (
            in_flight not in ("", "1") and java.get("enable.idempotence", "").lower() != "true"
        ),
        f"atlas.kafka.partitioner.class = {partitioner} is a Java class and ignored; the partition is the hash of the key": (
            bool(partitioner) and not partitioner.startswith("org.apache.kafka.")
        ),
        f"atlas.kafka.ssl.enabled.protocols = {versions} is ignored: OpenSSL supports only TLSv1.2 and TLSv1.3": (
            bool(versions) and protocol.endswith("ssl") and not _MODERN_TLS & allowed
        ),
        "atlas.kafka.ssl.enabled.protocols = TLSv1.3 is not enforced: librdkafka also accepts TLSv1.2; set "
        "atlas.hook.spark.kafka.client = jvm to enforce it": protocol.endswith("ssl") and allowed == {"TLSv1.3"},
        f"atlas.kafka.ssl.cipher.suites = {suites} is not enforced: librdkafka cannot select suites of TLS 1.3, and those of "
        "TLS 1.2 are not restricted; set atlas.hook.spark.kafka.client = jvm to enforce it": (
            bool(suites) and protocol.endswith("ssl") and not any(TRANSLATED["ssl.cipher.suites"].convert(suites))
        ),
    }
    return [warning for warning, applies in warnings.items() if applies]


def _check_together(config: Mapping[str, str], java: Mapping[str, str], delivery: int) -> None:
    linger = int(config["linger.ms"])
    if delivery <= linger:
        raise ConfigurationError(
            f"atlas.kafka.delivery.timeout.ms = {delivery}: must be greater than atlas.kafka.linger.ms = {linger}"
        )
    conflict = next((reason for reason, holds in _idempotence_conflicts(config) if holds), None)
    if config["enable.idempotence"] == "true" and conflict:
        raise ConfigurationError(f"atlas.kafka.enable.idempotence = {java['enable.idempotence']}: requires {conflict}")


def _idempotence_conflicts(config: Mapping[str, str]) -> tuple[tuple[str, bool], ...]:
    return (
        ("atlas.kafka.acks = all", config["acks"] not in ("all", "-1")),
        ("at most 5 max.in.flight.requests.per.connection", int(config["max.in.flight.requests.per.connection"]) > 5),
    )


def _reconcile(config: dict[str, str]) -> None:
    """Raise maxima that are below the values they limit.

    A message larger than the queue could never be queued; librdkafka rejects a backoff above its maximum.
    """
    _at_least(config, "queue.buffering.max.kbytes", int(config["message.max.bytes"]) // 1024 + 2)
    for name in ("reconnect.backoff", "retry.backoff"):
        _at_least(config, f"{name}.max.ms", int(config[f"{name}.ms"]))


def _at_least(config: dict[str, str], key: str, least: int) -> None:
    config[key] = str(max(int(config[key]), least))
