"""Settings of the driver's own `KafkaProducer`: what stands under `atlas.kafka.`, as it is, with a login and our defaults.

Kafka's client knows its own settings, also those that librdkafka has not (Kerberos, handlers in Java, key stores of
every kind), so nothing is checked here that it checks itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.config.jaas import JaasEntry, parse
from sac_kafka.config.jaas_sections import jaas_section, jaas_text
from sac_kafka.config.secrets import SecretMapping, masked
from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.settings.event_hubs import JAVA_EVENT_HUBS, is_event_hubs

DEFAULTS: Mapping[str, str] = {
    "client.id": "sac-kafka",
    "acks": "all",
    "enable.idempotence": "false",  # in order by one request at a time; an id of the producer costs a round trip
    "max.in.flight.requests.per.connection": "1",
    "linger.ms": "0",  # records are handed over in groups
    "reconnect.backoff.ms": "1000",  # so that a refused log-in is not tried again before the producer is closed
    "reconnect.backoff.max.ms": "1000",
    "buffer.memory": "33554432",
    "request.timeout.ms": "30000",
    "delivery.timeout.ms": "120000",
    "max.request.size": "1048576",
}
_BLOCK_MS = "1000"  # a record that was not taken in this time is handed over again
_PATIENCE = 10  # how much longer than the transport the client waits: it must not give up single records
_ENVELOPE_BYTES = 1024  # what Kafka's client puts around a value
_NO_PRODUCER = re.compile(  # settings of consumers, of serializers, of transactions, and of Atlas' own
    r"zookeeper\..*|fetch\..*|librdkafka\..*|(?:auto|enable\.auto)\.commit\..*|enable\.auto\.commit|auto\.offset\.reset|"
    r"(?:(?:hook|entities)\.)?group\.id|(?:session|consumer|poll)\.timeout\.ms|heartbeat\.interval\.ms|max\.poll\..*|"
    r"partition\.assignment\.strategy|(?:key|value)\.(?:de)?serializer|transactional\.id|transaction\.timeout\.ms|"
    r"data|offsets\.topic\.replication\.factor|error\.message\.consumer_closed|bridge\..*"
)
_PROTOCOL_ALIASES = {"PLAINTEXTSASL": "SASL_PLAINTEXT"}  # the word of HDP's Kafka
_KERBEROS_MODULE = "com.sun.security.auth.module.Krb5LoginModule"
_MAX_INT = 2_147_483_647


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaSettings:
    """What a `KafkaProducer` is made with, and what the transport enforces itself.

    `delivery_timeout_seconds` and `queue_bytes` are the user's `delivery.timeout.ms` and `buffer.memory`.
    """

    properties: Mapping[str, str] = field(default_factory=SecretMapping)
    servers: str
    protocol: str
    delivery_timeout_seconds: float
    queue_bytes: int


def java_settings(
    kafka: Mapping[str, str], jaas: Mapping[str, str], login: KerberosLogin, *, message_bytes: int = 0
) -> JavaSettings:
    """Complete the settings of Kafka's Java client.

    Args:
        kafka: Those under `atlas.kafka.`, prefix stripped.
        jaas: Those under `atlas.jaas.`, prefix stripped; used where SASL is and `sasl.jaas.config` is not set.
        login: How the driver is logged in; used for Kerberos where neither of them says anything.
        message_bytes: The longest message that will be sent, which must fit unless the user has set a smaller limit.

    Raises:
        ConfigurationError: A setting that is read here is wrong, or there is no login.
    """
    own = {key: text.strip() for key, text in kafka.items() if text.strip() and not _NO_PRODUCER.fullmatch(key)}
    servers = own.get("bootstrap.servers", "")
    if not servers:
        raise ConfigurationError("atlas.kafka.bootstrap.servers is not set; set it to host:port of one or more brokers")
    protocol = own.get("security.protocol", "PLAINTEXT").upper()
    own["security.protocol"] = protocol = _PROTOCOL_ALIASES.get(protocol, protocol)
    defaults = {**DEFAULTS, **(JAVA_EVENT_HUBS if is_event_hubs(servers.split(",")) else {})}
    complete = {**defaults, **own}
    if "max.request.size" not in own:
        complete["max.request.size"] = str(max(int(defaults["max.request.size"]), message_bytes + _ENVELOPE_BYTES))
    if protocol.startswith("SASL_"):
        complete |= _login(own, jaas, login)
    delivery_ms = _number(complete, "delivery.timeout.ms")
    least = _number(complete, "linger.ms") + _number(complete, "request.timeout.ms")
    complete["delivery.timeout.ms"] = str(min(max(delivery_ms * _PATIENCE, least), _MAX_INT))
    complete["max.block.ms"] = _BLOCK_MS
    return JavaSettings(
        properties=SecretMapping(complete),
        servers=servers,
        protocol=protocol,
        delivery_timeout_seconds=delivery_ms / 1000,
        queue_bytes=_number(complete, "buffer.memory"),
    )


def _login(own: Mapping[str, str], jaas: Mapping[str, str], login: KerberosLogin) -> dict[str, str]:
    """Give mechanism, login and service name, as far as the user has not set them."""
    mechanism = own.get("sasl.mechanism", "GSSAPI").upper()  # Kafka's default, too
    found = {"sasl.mechanism": mechanism}
    text = own.get("sasl.jaas.config")
    entry = parse(text, "atlas.kafka.sasl.jaas.config") if text else jaas_section(jaas, has_ticket=login.has_ticket)
    if entry is None and login.has_login_file:
        return found  # Kafka reads its section KafkaClient, and the name of the service in it
    if entry is None and mechanism != "GSSAPI":
        raise ConfigurationError(
            f"atlas.kafka.sasl.jaas.config is not set, but atlas.kafka.sasl.mechanism is {mechanism}; set it, or "
            "atlas.jaas.KafkaClient.loginModuleName and .option.*"
        )
    entry = entry or _driver_login(login)
    if mechanism == "GSSAPI" and "serviceName" not in entry.options and "sasl.kerberos.service.name" not in own:
        found["sasl.kerberos.service.name"] = "kafka"
    return found if text else found | {"sasl.jaas.config": jaas_text(entry)}


def _driver_login(login: KerberosLogin) -> JaasEntry:
    """Give a login by Spark's own keytab (`spark.kerberos.keytab`), else by the ticket cache of the driver's user."""
    options = {"useTicketCache": "true", "renewTGT": "true", "doNotPrompt": "true"}
    if login.keytab and login.principal:
        options = {"useKeyTab": "true", "storeKey": "true", "keyTab": login.keytab, "principal": login.principal}
    return JaasEntry(_KERBEROS_MODULE, "REQUIRED", options)


def _number(properties: Mapping[str, str], key: str) -> int:
    """Read milliseconds or bytes."""
    text = properties[key]
    if not text.isascii() or not text.isdigit() or int(text) > _MAX_INT * 1000:
        raise ConfigurationError(
            f"atlas.kafka.{key} = {masked(key, text)}: must be a whole number, 0 or more; correct it"
        )
    return int(text)
