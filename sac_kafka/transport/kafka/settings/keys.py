"""Classify the settings of Kafka's Java producer: translated for librdkafka, ignored, or supported by Java only.

Java's settings cannot be passed unchanged: librdkafka rejects unknown keys, and some keys have another meaning there
(`sasl.kerberos.kinit.cmd`, `request.timeout.ms`, `metadata.max.age.ms`). Ranges are those of librdkafka; values that are
valid in Java are clamped to them. `security` translates SASL and TLS settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
MAX_INT = 2_147_483_647
NATIVE_PREFIX = "librdkafka."
"""Prefix of librdkafka's own settings, which are passed to it unchanged."""


@dataclass(frozen=True, slots=True)
class Translated:
    """The translation of a Java setting to librdkafka settings.

    `convert` returns one value for each of `targets`, or none to omit the setting. It raises ValueError with a message
    that states the allowed values.
    """

    targets: tuple[str, ...]
    convert: Callable[[str], tuple[str, ...]]


def _number(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError("must be an integer")
    return int(text)


def _integer(target: str, least: int, most: int, *, scale: int = 1) -> Translated:
    """Return the translation of an integer, divided by `scale` (rounded up) and clamped to librdkafka's range."""
    return Translated((target,), lambda text: (str(min(max(-(-_number(text) // scale), least), most)),))


def _choice(target: str, *names: str) -> Translated:
    def convert(text: str) -> tuple[str, ...]:
        if text.lower() not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return (text.lower(),)

    return Translated((target,), convert)


def _request_timeout(text: str) -> tuple[str, str]:
    """Return librdkafka's acknowledgement timeout, and its socket timeout, one second longer."""
    milliseconds = _number(text)
    return str(min(max(milliseconds, 1), 299_000)), str(min(max(milliseconds, 0) + 1000, 300_000))


def _dns_lookup(text: str) -> tuple[str, ...]:
    if text == "default":  # Kafka before 2.6; now the only behavior
        return ()
    return _choice("", "use_all_dns_ips", "resolve_canonical_bootstrap_servers_only").convert(text)


def _partitioner(text: str) -> tuple[str, ...]:
    random = text.endswith((".RoundRobinPartitioner", ".UniformStickyPartitioner"))
    return ("random" if random else "murmur2_random",)


def _cipher_suites(text: str) -> tuple[str, ...]:
    """Remove the cipher suites of TLS 1.3: OpenSSL always offers them, and rejects a list without others."""
    suites = [suite for suite in re.split(r"[\s,:]+", text) if not suite.startswith(("TLS_AES_", "TLS_CHACHA20_"))]
    return (":".join(suites),) if any(suites) else ()


def _connections_max_idle(text: str) -> tuple[str, ...]:
    return (str(min(max(_number(text), 0), MAX_INT)),)  # -1 in Java and 0 in librdkafka mean "never"


TRANSLATED: dict[str, Translated] = {
    "client.id": Translated(("client.id",), lambda text: (text,)),
    "client.dns.lookup": Translated(("client.dns.lookup",), _dns_lookup),
    "acks": _choice("acks", "all", "-1", "0", "1"),
    "enable.idempotence": _choice("enable.idempotence", "true", "false"),
    "max.in.flight.requests.per.connection": _integer("max.in.flight.requests.per.connection", 1, 1_000_000),
    "linger.ms": _integer("linger.ms", 0, 900_000),
    "batch.size": _integer("batch.size", 1, MAX_INT),
    "buffer.memory": _integer("queue.buffering.max.kbytes", 1, MAX_INT, scale=1024),
    "max.request.size": _integer("message.max.bytes", 1000, 1_000_000_000),
    "compression.type": _choice("compression.type", "none", "gzip", "snappy", "lz4", "zstd"),
    "compression.gzip.level": _integer("compression.level", -1, 9),
    "compression.lz4.level": _integer("compression.level", -1, 12),
    "compression.zstd.level": _integer("compression.level", -1, 12),
    "delivery.timeout.ms": _integer("delivery.timeout.ms", 1, MAX_INT),  # 0 means no timeout in librdkafka
    "request.timeout.ms": Translated(("request.timeout.ms", "socket.timeout.ms"), _request_timeout),
    "metadata.max.age.ms": _integer("topic.metadata.refresh.interval.ms", 10, 3_600_000),
    "metadata.recovery.strategy": _choice("metadata.recovery.strategy", "none", "rebootstrap"),
    "metadata.recovery.rebootstrap.trigger.ms": _integer("metadata.recovery.rebootstrap.trigger.ms", 0, MAX_INT),
    "connections.max.idle.ms": Translated(("connections.max.idle.ms",), _connections_max_idle),
    "reconnect.backoff.ms": _integer("reconnect.backoff.ms", 0, 3_600_000),
    "reconnect.backoff.max.ms": _integer("reconnect.backoff.max.ms", 0, 3_600_000),
    "retry.backoff.ms": _integer("retry.backoff.ms", 1, 300_000),
    "retry.backoff.max.ms": _integer("retry.backoff.max.ms", 1, 300_000),
    "socket.connection.setup.timeout.ms": _integer("socket.connection.setup.timeout.ms", 1000, MAX_INT),
    "enable.metrics.push": _choice("enable.metrics.push", "true", "false"),
    "partitioner.class": Translated(("partitioner",), _partitioner),
    "ssl.cipher.suites": Translated(("ssl.cipher.suites",), _cipher_suites),
}

COMPRESSION_LEVELS = {f"compression.{codec}.level": codec for codec in ("gzip", "lz4", "zstd")}
"""Level settings and their codecs; only the level of the configured codec is used."""

SECURED = frozenset(
    """
    bootstrap.servers security.protocol sasl.mechanism sasl.jaas.config sasl.login.callback.handler.class
    sasl.oauthbearer.token.endpoint.url sasl.oauthbearer.scope sasl.oauthbearer.sub.claim.name
    sasl.oauthbearer.client.credentials.client.id sasl.oauthbearer.client.credentials.client.secret
    sasl.oauthbearer.assertion.algorithm sasl.oauthbearer.assertion.claim.aud sasl.oauthbearer.assertion.claim.exp.seconds
    sasl.oauthbearer.assertion.claim.iss sasl.oauthbearer.assertion.claim.jti.include
    sasl.oauthbearer.assertion.claim.nbf.seconds sasl.oauthbearer.assertion.claim.sub sasl.oauthbearer.assertion.file
    sasl.oauthbearer.assertion.private.key.file sasl.oauthbearer.assertion.private.key.passphrase
    sasl.oauthbearer.assertion.template.file sasl.oauthbearer.jwt.retriever.class
    ssl.truststore.location ssl.truststore.password ssl.truststore.type ssl.truststore.certificates
    ssl.keystore.location ssl.keystore.password ssl.keystore.type ssl.keystore.key ssl.keystore.certificate.chain
    ssl.key.password ssl.endpoint.identification.algorithm
    """.split()  # noqa: SIM905 (a list of words reads better in lines)
)
"""Settings of servers and security, which `librdkafka_settings` and `security` translate together."""

NEEDS_JAVA: dict[str, str] = {
    "sasl.client.callback.handler.class": "librdkafka cannot run a Java handler",
    "sasl.login.class": "librdkafka cannot run a Java login",
    "ssl.engine.factory.class": "librdkafka cannot run a Java SSL engine factory",
    "config.providers": "librdkafka cannot run a Java configuration provider",
}
"""Settings that require Kafka's Java client, and why; ignoring them would change the connection."""

OF_NO_PRODUCER = frozenset(
    # Fixed by the hook: values are bytes, there are no transactions, and `retries` stays at both clients' default, the
    # maximum. The transport has its own deadline, and a record that a client gave up earlier would break the order.
    """
    retries key.serializer value.serializer key.deserializer value.deserializer transactional.id
    """.split()  # noqa: SIM905
    # Settings of consumers, ZooKeeper and the server, which Atlas' default atlas-application.properties contains.
    + """
    data hook.group.id entities.group.id group.id auto.commit.enable enable.auto.commit auto.commit.interval.ms
    auto.offset.reset session.timeout.ms heartbeat.interval.ms max.poll.records max.poll.interval.ms poll.timeout.ms
    consumer.timeout.ms offsets.topic.replication.factor error.message.consumer_closed partition.assignment.strategy
    bridge.enable.internal.topics.import isolation.level
    """.split()  # noqa: SIM905
)
"""Settings that are passed to neither client."""

_OF_NO_PRODUCER_PREFIXES = ("zookeeper.", "fetch.", "transaction.")

IGNORED = OF_NO_PRODUCER.union(
    # Settings of the Java producer without an equivalent in librdkafka.
    """
    interceptor.classes metric.reporters
    auto.include.jmx.reporter metadata.max.idle.ms max.block.ms socket.connection.setup.timeout.max.ms send.buffer.bytes
    receive.buffer.bytes security.providers internal.auto.downgrade.txn.commit ssl.provider ssl.protocol
    ssl.enabled.protocols ssl.secure.random.implementation ssl.keymanager.algorithm ssl.trustmanager.algorithm
    """.split()  # noqa: SIM905
    # OAUTHBEARER settings of brokers, or for behavior that is not configurable in librdkafka.
    + """
    sasl.oauthbearer.clock.skew.seconds sasl.oauthbearer.expected.audience sasl.oauthbearer.expected.issuer
    sasl.oauthbearer.header.urlencode sasl.oauthbearer.jwks.endpoint.refresh.ms
    sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms sasl.oauthbearer.jwks.endpoint.retry.backoff.ms
    sasl.oauthbearer.jwks.endpoint.url sasl.oauthbearer.jwt.validator.class sasl.oauthbearer.scope.claim.name
    """.split()  # noqa: SIM905
    # Settings of Kafka before 0.9. Some are valid in librdkafka with another meaning and must not be passed on.
    + """
    metadata.broker.list request.required.acks producer.type serializer.class block.on.buffer.full timeout.ms
    metadata.fetch.timeout.ms
    """.split()  # noqa: SIM905
)
"""Known settings that are silently ignored for librdkafka."""

IGNORED_PREFIXES = (
    *_OF_NO_PRODUCER_PREFIXES,
    "metrics.",
    "partitioner.",
    "sasl.kerberos.",  # only Java supports Kerberos
    "sasl.login.",  # renewal of tokens and tickets; the handler classes are in SECURED and NEEDS_JAVA
)
"""Prefixes of known settings that are silently ignored for librdkafka."""


class KeySupport(Enum):
    """Support of a setting of Kafka's Java client by librdkafka."""

    TRANSLATED = "translated"
    SECURED = "translated as part of the connection's security"
    NEEDS_JAVA = "requires Kafka's Java client"
    IGNORED = "ignored"
    UNKNOWN = "unknown"


def is_for_java(key: str) -> bool:
    """Return whether a setting (without `atlas.kafka.`) is passed to Kafka's Java client."""
    return key not in OF_NO_PRODUCER and not key.startswith((NATIVE_PREFIX, *_OF_NO_PRODUCER_PREFIXES))


def support_of(key: str) -> KeySupport:
    """Return librdkafka's support of a setting (without `atlas.kafka.`)."""
    if key in TRANSLATED:
        return KeySupport.TRANSLATED
    if key in SECURED:
        return KeySupport.SECURED
    if key in NEEDS_JAVA or key.startswith("config.providers"):
        return KeySupport.NEEDS_JAVA
    return KeySupport.IGNORED if key in IGNORED or key.startswith(IGNORED_PREFIXES) else KeySupport.UNKNOWN
