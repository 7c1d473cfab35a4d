"""Complete the settings of the driver's own `KafkaProducer`: those under `atlas.kafka.`, a login, and our defaults.

Settings are passed unchanged, including those that librdkafka does not support (Kerberos, Java handlers, all key store
types). Kafka's client validates them, so only settings that are used here are checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import MASK, SecretMapping, mask_setting
from sac_kafka.settings.files.jaas import JaasEntry, NoLoginModuleError, jaas_text, parse
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.settings import event_hubs
from sac_kafka.transport.kafka.settings.checking import check_references, in_clear, is_used, protocol_of, too_long
from sac_kafka.transport.kafka.settings.code_loading import CALLBACK_KEY, check_login_module
from sac_kafka.transport.kafka.settings.context import ConnectionContext
from sac_kafka.transport.kafka.settings.event_hubs import JAVA_EVENT_HUBS
from sac_kafka.transport.kafka.settings.keys import NATIVE_PREFIX, NEEDS_JAVA, KeySupport, is_for_java, support_of
from sac_kafka.transport.kafka.settings.login import JAAS_CONFIG, section_login, with_stored_passwords
from sac_kafka.transport.kafka.settings.reviewing import meant_by

DEFAULTS: Mapping[str, str] = {
    "client.id": "sac-kafka",
    "acks": "all",
    "enable.idempotence": "false",  # one request in flight keeps the order; a producer id would cost a round trip
    "max.in.flight.requests.per.connection": "1",
    "linger.ms": "0",  # records are sent in groups
    "reconnect.backoff.ms": "1000",  # so that a rejected login is not repeated before the producer is closed
    "reconnect.backoff.max.ms": "1000",
    "buffer.memory": "33554432",
    "request.timeout.ms": "30000",
    "delivery.timeout.ms": "120000",
    "max.request.size": "1048576",
}
_IN_FLIGHT = "max.in.flight.requests.per.connection"
_BLOCK_MS = "1000"  # a record that `send` does not accept within this time is sent again later
_TIMEOUT_FACTOR = 10  # times the transport's timeout: the client itself must not give up single records
_ENVELOPE_BYTES = 1024  # overhead of a record's value in a request
_HOST_NAME_CHECK = "ssl.endpoint.identification.algorithm"  # the only setting whose empty value has a meaning
_HANDLERS = ("sasl.login.callback.handler.class", "sasl.client.callback.handler.class")
_OWN_CLASSES = (
    *NEEDS_JAVA,
    "interceptor.classes",
    "metric.reporters",
    "partitioner.class",
    "security.providers",
)
"""Settings that may name a user's class, which then receives all settings."""
_NO_HOST = re.compile(r"[$(){}<>'\"]")
_PLAIN_MODULE = ".plain.PlainLoginModule"
_KERBEROS_MODULE = "com.sun.security.auth.module.Krb5LoginModule"
_MAX_INT = 2_147_483_647


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaSettings:
    """Properties of a `KafkaProducer`, and limits that the transport enforces itself.

    `delivery_timeout_seconds` and `queue_bytes` are the user's `delivery.timeout.ms` and `buffer.memory`. `warnings`
    describe settings that have another effect than expected.
    """

    properties: Mapping[str, str] = field(default_factory=SecretMapping)
    servers: str
    protocol: str
    delivery_timeout_seconds: float
    queue_bytes: int
    warnings: tuple[str, ...] = ()


def java_settings(
    kafka: Mapping[str, str],
    jaas: Mapping[str, str],
    login: KerberosLogin,
    *,
    message_bytes: int = 0,
    context: ConnectionContext | None = None,
) -> JavaSettings:
    """Complete the settings of Kafka's Java client.

    Args:
        kafka: The settings under `atlas.kafka.`, prefix stripped.
        jaas: The settings under `atlas.jaas.`, prefix stripped; used with SASL if `sasl.jaas.config` is not set.
        login: The driver's Kerberos login; used if neither configures a login.
        message_bytes: Maximum message size; the request size is raised to it unless the user has set a smaller one.
        context: Used to look up passwords given as ********; None to keep them.

    Raises:
        ConfigurationError: A setting used here is invalid, a password cannot be looked up, or there is no login.
    """
    own = _own(kafka)
    if context is not None:
        own = with_stored_passwords(own, context)
    servers = own.get("bootstrap.servers", "")
    if not servers:
        raise ConfigurationError("atlas.kafka.bootstrap.servers is not set; set it to host:port of one or more brokers")
    _check_servers(servers)
    own["security.protocol"] = protocol = protocol_of(own)
    is_event_hubs = event_hubs.is_event_hubs(servers.split(","))
    if is_event_hubs:
        message_bytes = min(message_bytes, event_hubs.RECORD_BYTES)
    defaults = {**DEFAULTS, **(JAVA_EVENT_HUBS if is_event_hubs else {})}
    complete = {**defaults, **own}
    if "max.request.size" not in own:
        complete["max.request.size"] = str(max(int(defaults["max.request.size"]), message_bytes + _ENVELOPE_BYTES))
    warnings: list[str] = []
    if protocol.startswith("SASL_"):
        found, warnings = _login(own, jaas, login, context)
        complete |= found
    limit = _number(complete, "max.request.size")
    if is_event_hubs:
        warnings += event_hubs.fit(complete, "max.request.size")
        limit = int(complete["max.request.size"])
    warnings += in_clear(complete, protocol, has_password=True)
    warnings += too_long(message_bytes, _ENVELOPE_BYTES, limit)
    warnings += _without_effect(kafka)
    delivery_ms = _number(complete, "delivery.timeout.ms")
    least = _number(complete, "linger.ms") + _number(complete, "request.timeout.ms")
    complete["delivery.timeout.ms"] = str(min(max(delivery_ms * _TIMEOUT_FACTOR, least), _MAX_INT))
    complete["max.block.ms"] = _BLOCK_MS
    complete[_IN_FLIGHT] = _in_flight(complete)
    return JavaSettings(
        properties=SecretMapping(complete),
        servers=servers,
        protocol=protocol,
        delivery_timeout_seconds=delivery_ms / 1000,
        queue_bytes=_number(complete, "buffer.memory"),
        warnings=tuple(warnings),
    )


def _check_servers(servers: str) -> None:
    """Check for characters that no host name has, such as those of an unexpanded shell variable.

    Raises:
        ConfigurationError: A server is invalid.
    """
    for each in servers.split(","):
        if _NO_HOST.search(each):
            server = mask_setting("bootstrap.servers", each.strip())
            raise ConfigurationError(
                f"atlas.kafka.bootstrap.servers: '{server}' is not host:port; write an environment variable as ${{env:NAME}}"
            )


def _without_effect(kafka: Mapping[str, str]) -> list[str]:
    """Report keys unknown to Kafka's client, unless a user's class may read them; `reviewing` reports misspelt keys."""
    native = [f"atlas.kafka.{key} has no effect, because librdkafka is not used" for key in _native(kafka)]
    if any(kafka.get(key, "").strip() for key in (*_HANDLERS, *_OWN_CLASSES)):
        return native
    unknown = (
        key for key in sorted(kafka) if not key.startswith(NATIVE_PREFIX) and support_of(key) is KeySupport.UNKNOWN
    )
    return native + [
        f"atlas.kafka.{key} is not a Kafka producer property and has no effect"
        for key in unknown
        if meant_by(key) is None
    ]


def _native(kafka: Mapping[str, str]) -> list[str]:
    return sorted(key for key in kafka if key.startswith(NATIVE_PREFIX))


def _own(kafka: Mapping[str, str]) -> dict[str, str]:
    """Return the producer's settings that have a value, after checking for unresolved references."""
    own = {key: text.strip() for key, text in kafka.items() if is_for_java(key)}
    own = {key: text for key, text in own.items() if text or key == _HOST_NAME_CHECK}
    protocol = protocol_of(own)
    if "config.providers" not in own:
        for key, text in own.items():
            if support_of(key) is not KeySupport.UNKNOWN and is_used(key, protocol):
                check_references(f"atlas.kafka.{key}", text)
    return own


def _login(
    own: Mapping[str, str], jaas: Mapping[str, str], login: KerberosLogin, context: ConnectionContext | None
) -> tuple[dict[str, str], list[str]]:
    """Return mechanism, login and service name, as far as the user has not set them, and warnings."""
    mechanism = own.get("sasl.mechanism", "GSSAPI").upper()  # Kafka's default
    found = {"sasl.mechanism": mechanism}
    text = own.get("sasl.jaas.config")
    warnings: list[str] = []
    if text:
        given: JaasEntry | None = parse(text, JAAS_CONFIG)
    else:
        given, warnings = _section(own, jaas, login, context, mechanism)
    if given is not None:
        check_login_module(given)
    if context is not None and context.kafka.oauth_callback and mechanism == "OAUTHBEARER":
        warnings.append(
            f"{CALLBACK_KEY} is not used by the driver's own Kafka client, which gets its tokens in Java: set "
            f"atlas.kafka.{_HANDLERS[0]} or atlas.kafka.sasl.oauthbearer.token.endpoint.url"
        )
    if given is None and login.has_login_file:
        return found, warnings  # Kafka reads the section KafkaClient and the service name from the login file
    if given is None and mechanism != "GSSAPI":
        raise ConfigurationError(
            f"{JAAS_CONFIG} is not set, but atlas.kafka.sasl.mechanism is {mechanism}; set it, or "
            "atlas.jaas.KafkaClient.loginModuleName and .option.*"
        )
    if given is not None and mechanism == "PLAIN":
        warnings += _event_hubs_login(own, given, context)
    entry = _driver_login(login) if given is None else _with_shipped_keytab(given, login)
    if mechanism == "GSSAPI" and "serviceName" not in entry.options and "sasl.kerberos.service.name" not in own:
        found["sasl.kerberos.service.name"] = "kafka"
    return found if text and entry is given else found | {"sasl.jaas.config": jaas_text(entry)}, warnings


def _section(
    own: Mapping[str, str],
    jaas: Mapping[str, str],
    login: KerberosLogin,
    context: ConnectionContext | None,
    mechanism: str,
) -> tuple[JaasEntry | None, list[str]]:
    """Return the login of Atlas' section; one without a login module is ignored if there is another login."""
    has_providers = "config.providers" in own
    try:
        return section_login(jaas, context, has_ticket=login.has_ticket, has_providers=has_providers), []
    except NoLoginModuleError as error:
        if mechanism != "GSSAPI" and not login.has_login_file:
            raise
        return None, [f"{error}; until then the section is ignored, and the driver's own login is used"]


def _event_hubs_login(own: Mapping[str, str], login: JaasEntry, context: ConnectionContext | None) -> list[str]:
    """Check the connection string in the login, unless a Java handler or configuration provider supplies it."""
    servers = [server.strip() for server in own["bootstrap.servers"].split(",")]
    username, password = (login.options.get(name, "") for name in ("username", "password"))
    is_elsewhere = not password or password == MASK or any(key in own for key in ("config.providers", *_HANDLERS))
    is_plain = f".{login.module}".endswith(_PLAIN_MODULE)
    if is_elsewhere or not is_plain or not event_hubs.is_event_hubs(servers):
        return []
    return event_hubs.check_login(
        servers, context.topic if context is not None else "", username, password, login.place
    )


def _driver_login(login: KerberosLogin) -> JaasEntry:
    """Return a login with Spark's own keytab (`spark.kerberos.keytab`), else with the ticket cache of the driver's user."""
    options = {"useTicketCache": "true", "renewTGT": "true", "doNotPrompt": "true"}
    if login.keytab and login.principal:
        options = {"useKeyTab": "true", "storeKey": "true", "keyTab": login.keytab, "principal": login.principal}
    return JaasEntry(_KERBEROS_MODULE, "REQUIRED", options)


def _with_shipped_keytab(entry: JaasEntry, login: KerberosLogin) -> JaasEntry:
    """Return an entry with Spark's keytab if its own is not on this host and both are the same principal's.

    In YARN's cluster mode the path in the file is one of the host that submits; `--keytab` sends the keytab to the driver.
    """
    missing = entry.options.get("keyTab", "").removeprefix("file:")
    is_same = login.principal is not None and login.principal == entry.options.get("principal")
    if not missing or login.keytab is None or not is_same or Path(missing).exists():
        return entry
    return replace(entry, options=SecretMapping({**entry.options, "keyTab": login.keytab}))


def _number(properties: Mapping[str, str], key: str) -> int:
    """Read milliseconds or bytes."""
    text = properties[key]
    if not text.isascii() or not text.isdigit() or int(text) > _MAX_INT * 1000:
        raise ConfigurationError(
            f"atlas.kafka.{key} = {mask_setting(key, text)}: must be a whole number, 0 or more; correct it"
        )
    return int(text)


def _in_flight(properties: Mapping[str, str]) -> str:
    """Return the limit of requests in flight: up to five with idempotence, else one, so that order is preserved."""
    is_ordered = properties["enable.idempotence"].lower() == "true"
    return str(min(max(_number(properties, _IN_FLIGHT), 1), 5)) if is_ordered else "1"
