"""Translate SASL and TLS settings of Kafka's Java client for librdkafka. Used only by `librdkafka_settings`.

Settings that cannot be translated are errors and never ignored, so that a connection is never less secure than configured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.masking import mask_setting
from sac_kafka.settings.declarations.values import did_you_mean
from sac_kafka.transport.kafka.settings import event_hubs
from sac_kafka.transport.kafka.settings.checking import is_used, protocol_of
from sac_kafka.transport.kafka.settings.context import ConnectionContext, Secured
from sac_kafka.transport.kafka.settings.keys import NEEDS_JAVA
from sac_kafka.transport.kafka.settings.login import (
    JAAS_CONFIG,
    check_module,
    find_login,
    option,
    with_stored_passwords,
)

if TYPE_CHECKING:
    from sac_kafka.settings.files.jaas import JaasEntry
    from sac_kafka.transport.kafka.settings.oauth_tokens import TokenSource

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_PASSWORD_MODULES = {
    "PLAIN": "plain.PlainLoginModule",
    "SCRAM-SHA-256": "scram.ScramLoginModule",
    "SCRAM-SHA-512": "scram.ScramLoginModule",
}
_MECHANISMS = (*_PASSWORD_MODULES, "OAUTHBEARER")
_KERBEROS = "GSSAPI"
_WORD = re.compile(r"[A-Z0-9_-]{1,40}")
_VARIABLE = re.compile(r"\$(?:[A-Z][A-Z0-9_]*|\([A-Za-z0-9_]+\))|%[A-Z][A-Z0-9_]*%")  # an unexpanded shell variable
_NATIVE_TRUST = {"ssl.ca.location", "ssl.ca.pem", "ssl.ca.certificate.stores", "enable.ssl.certificate.verification"}
_NATIVE_IDENTITY = {"ssl.certificate.location", "ssl.certificate.pem", "ssl.keystore.location"}
_NATIVE_MECHANISM = {"sasl.mechanism", "sasl.mechanisms"}
_NATIVE_LOGIN = {*_NATIVE_MECHANISM, "sasl.username"}
_LOGIN_HANDLER = "sasl.login.callback.handler.class"
_OWN_CLIENT_HANDLER = ".OAuthBearerSaslClientCallbackHandler"


def protocol(kafka: Mapping[str, str]) -> str:
    """Return `security.protocol` like `protocol_of`, after checking it."""
    name = protocol_of(kafka)
    if name not in PROTOCOLS:
        raise _error("security.protocol", name, f"must be one of {', '.join(PROTOCOLS)}{did_you_mean(name, PROTOCOLS)}")
    return name


def security(kafka: Mapping[str, str], native: Mapping[str, str], context: ConnectionContext) -> Secured:
    """Translate all SASL and TLS settings.

    Args:
        kafka: Java settings, trimmed.
        native: The user's librdkafka settings; a login among them is used instead of the translated one.
        context: Other settings of the login, and the driver, which reads stores.

    Raises:
        ConfigurationError: A setting is invalid or cannot be translated.
        NeedsJvmClientError: A setting requires Kafka's Java client.
    """
    name = protocol(kafka)
    _refuse_java(kafka, name)
    kafka = with_stored_passwords(kafka, context)
    config = {"security.protocol": name.lower()}
    source: TokenSource | None = None
    warnings: list[str] = []
    if name.startswith("SASL_") and not native.keys() & _NATIVE_LOGIN:
        login = _sasl(kafka, context)
        is_own = any(key.startswith("https.ca.") for key in native)
        config |= {key: text for key, text in login.config.items() if not (is_own and key.startswith("https.ca."))}
        source = login.source
        warnings += login.warnings
    elif name.startswith("SASL_") and not native.keys() & _NATIVE_MECHANISM:
        config["sasl.mechanism"] = _mechanism(kafka)  # librdkafka's default would be GSSAPI
    elif not name.startswith("SASL_") and kafka.get("sasl.jaas.config"):
        warnings.append(f"{JAAS_CONFIG} is not used, because atlas.kafka.security.protocol is {name}")
    if name.endswith("SSL"):
        from sac_kafka.transport.kafka.settings.tls_material import Stores

        stores = Stores(kafka, driver=context.driver)
        for material in (
            Secured() if native.keys() & _NATIVE_TRUST else stores.trust(),
            Secured() if native.keys() & _NATIVE_IDENTITY else stores.identity(),
        ):
            config |= material.config
            warnings += material.warnings
        config |= _host_name_check(kafka)
    return Secured(config, source, tuple(warnings))


def _refuse_java(kafka: Mapping[str, str], name: str) -> None:
    """Raise an error for Java classes that affect this connection."""
    for key, reason in NEEDS_JAVA.items():
        if kafka.get(key) and is_used(key, name) and not kafka[key].endswith(_OWN_CLIENT_HANDLER):
            raise NeedsJvmClientError(f"atlas.kafka.{key} = {mask_setting(key, kafka[key])}: {reason}")


def _mechanism(kafka: Mapping[str, str]) -> str:
    mechanism = kafka.get("sasl.mechanism", "").upper()
    if not mechanism:
        raise NeedsJvmClientError(
            "atlas.kafka.sasl.mechanism is not set, which means GSSAPI (Kerberos), and librdkafka does not support it"
        )
    if not _WORD.fullmatch(mechanism):
        raise _error("sasl.mechanism", mechanism, "must be one word; comments must be on separate lines")
    if (
        mechanism not in _MECHANISMS
        and mechanism != _KERBEROS
        and (hint := did_you_mean(mechanism, (*_MECHANISMS, _KERBEROS)))
    ):
        raise _error("sasl.mechanism", mechanism, f"Kafka supports {', '.join(_MECHANISMS)} and {_KERBEROS}{hint}")
    if mechanism not in _MECHANISMS:
        raise NeedsJvmClientError(
            f"atlas.kafka.sasl.mechanism = {mechanism}: librdkafka supports only {', '.join(_MECHANISMS)}"
        )
    return mechanism


def _password(kafka: Mapping[str, str], login: JaasEntry | None, context: ConnectionContext) -> Secured:
    mechanism = kafka["sasl.mechanism"].upper()
    if login is None:
        raise ConfigurationError(
            f"{JAAS_CONFIG} is not set, but atlas.kafka.sasl.mechanism is {mechanism}; set it to "
            f"org.apache.kafka.common.security.{_PASSWORD_MODULES[mechanism]} required "
            'username="…" password="…"; (or the section atlas.jaas.KafkaClient.…)'
        )
    if handler := kafka.get(_LOGIN_HANDLER):
        raise NeedsJvmClientError(f"atlas.kafka.{_LOGIN_HANDLER} = {handler}: librdkafka cannot run a Java handler")
    check_module(login, mechanism, _PASSWORD_MODULES[mechanism])
    username, password = option(login, "username"), option(login, "password")
    servers = [server.strip() for server in kafka.get("bootstrap.servers", "").split(",")]
    warnings: list[str] = []
    if _VARIABLE.fullmatch(password):
        warnings.append(
            f"{login.place}: the password looks like a shell variable; write an environment variable as ${{env:NAME}}"
        )
    if mechanism == "PLAIN" and event_hubs.is_event_hubs(servers):
        warnings += event_hubs.check_login(servers, context.topic, username, password, login.place)
    return Secured({"sasl.username": username, "sasl.password": password}, warnings=tuple(warnings))


def _oauth(kafka: Mapping[str, str], login: JaasEntry | None, context: ConnectionContext) -> Secured:
    from sac_kafka.transport.kafka.settings.oauth import oauth

    return oauth(kafka, login, context)


_LOGINS: dict[str, Callable[[Mapping[str, str], JaasEntry | None, ConnectionContext], Secured]] = {
    **dict.fromkeys(_PASSWORD_MODULES, _password),
    "OAUTHBEARER": _oauth,
}


def _sasl(kafka: Mapping[str, str], context: ConnectionContext) -> Secured:
    mechanism, login = _mechanism(kafka), find_login(kafka, context)
    found = _LOGINS[mechanism](kafka, login, context)
    return Secured({"sasl.mechanism": mechanism, **found.config}, found.source, found.warnings)


def _host_name_check(kafka: Mapping[str, str]) -> dict[str, str]:
    """Translate the algorithm, which is disabled by an empty value in Java and by `none` in librdkafka."""
    key = "ssl.endpoint.identification.algorithm"
    if key not in kafka:
        return {}
    if kafka[key].lower() not in ("", "https"):
        raise _error(key, kafka[key], "must be https, or empty to disable host name verification")
    return {key: kafka[key].lower() or "none"}


def _error(key: str, value: str, reason: str) -> ConfigurationError:
    return ConfigurationError(f"atlas.kafka.{key} = {mask_setting(key, value)}: {reason}")
