"""Find the JAAS login of a Kafka connection, and look up passwords in Hadoop credential stores, as Atlas' hooks do.

The login is in `sasl.jaas.config`, else in the sections `atlas.jaas.KafkaClient.*`. Sources: `SecurityUtil.getPassword` and
`KafkaNotification` of Atlas 2.4; the driver's JVM reads the stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sac_kafka.errors import ConfigurationError, NeedsDriverError, NeedsJvmClientError
from sac_kafka.log import logger
from sac_kafka.masking import MASK, SecretMapping
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.settings.checking import check_references, is_used, protocol_of
from sac_kafka.transport.kafka.settings.code_loading import check_login_module
from sac_kafka.transport.kafka.settings.context import ConnectionContext

if TYPE_CHECKING:
    from sac_kafka.settings.files.jaas import JaasEntry

_TRUST_STORE = "ssl.truststore.password"
_TRUST_STORE_ALIAS = "truststore.password"
_STORES_PATH = "cert.stores.credential.provider.path"
_PATH = "hadoop.security.credential.provider.path"
JAAS_CONFIG = "atlas.kafka.sasl.jaas.config"
_KAFKA_PACKAGE = ".org.apache.kafka.common.security."  # may be preceded by the prefix of a shaded package
_KERBEROS = ".Krb5LoginModule"


def with_stored_passwords(kafka: Mapping[str, str], context: ConnectionContext) -> dict[str, str]:
    """Replace ******** by stored passwords, and with `atlas.enableTLS` look up the trust store's password.

    Settings that the connection's protocol does not use are not changed.

    Raises:
        ConfigurationError: A store cannot be read, or does not contain the alias.
    """
    protocol = protocol_of(kafka)
    found = dict(kafka) | (_trust_store_password(kafka, context) if protocol.endswith("SSL") else {})
    return {
        key: stored_password(f"atlas.kafka.{key}", context.kafka.provider_path, context.driver)
        if text == MASK and is_used(key, protocol)
        else text
        for key, text in found.items()
    }


def _trust_store_password(kafka: Mapping[str, str], context: ConnectionContext) -> dict[str, str]:
    """Look up the trust store's password for `atlas.enableTLS`. It is optional, as in Atlas: JKS stores need none."""
    given = kafka.get(_TRUST_STORE, "")
    if not (
        context.kafka.is_tls_enabled and context.kafka.stores_provider_path and kafka.get("ssl.truststore.location")
    ):
        return {}
    if context.driver is None and given:
        return {}
    try:
        password = _looked_up(_TRUST_STORE_ALIAS, context.kafka.stores_provider_path, context.driver, _STORES_PATH)
    except NeedsDriverError:
        raise
    except ConfigurationError as error:
        logger.warning("atlas.enableTLS = true, but %s, or set atlas.kafka.%s", error, _TRUST_STORE)
        return {}
    if not password and not given:
        logger.warning(
            "atlas.enableTLS = true, but %s = %s has no alias %s; add it, or set atlas.kafka.%s",
            _STORES_PATH,
            context.kafka.stores_provider_path,
            _TRUST_STORE_ALIAS,
            _TRUST_STORE,
        )
    return {_TRUST_STORE: password} if password else {}


def stored_password(alias: str, provider_path: str | None, driver: Driver | None) -> str:
    """Return the password stored under an alias, which is the key of the setting.

    Raises:
        ConfigurationError: The store does not contain it, or there is no driver to read the store.
    """
    password = _looked_up(alias, provider_path, driver, _PATH)
    if not password:
        raise ConfigurationError(
            f"{alias} = {MASK}: the Hadoop credential store ({_PATH} = {provider_path or 'as in the driver'}) has no such "
            f"alias; add it: hadoop credential create {alias} -provider PATH"
        )
    return password


def _looked_up(alias: str, provider_path: str | None, driver: Driver | None, path_key: str) -> str | None:
    if driver is None:
        raise NeedsDriverError(
            f"{path_key} = {provider_path or 'not set'}: the password {alias} is in a Hadoop credential store, which only "
            "a Spark driver's JVM can read; outside a driver write the password out, or use ${env:NAME}"
        )
    try:
        return driver.credential(alias, provider_path)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{path_key} = {provider_path or 'not set'}: the password {alias} cannot be read: {error}; correct the path "
            "or the permissions"
        ) from None


def option(login: JaasEntry, name: str) -> str:
    """Return a required option.

    Raises:
        ConfigurationError: The option is missing or empty.
    """
    value = login.options.get(name, "")
    if not value:
        fix = f'add {name}="…"' if login.place == JAAS_CONFIG else f"set {login.place}.option.{name}"
        raise ConfigurationError(f"{login.place}: the option {name} is missing or empty; {fix}")
    return value


def check_module(login: JaasEntry, mechanism: str, module: str) -> None:
    """Check that the login module is the one of the mechanism; its package may be shaded.

    Raises:
        ConfigurationError: The module belongs to another mechanism.
        NeedsJvmClientError: The module is not Kafka's, or uses delegation tokens.
    """
    name = f".{login.module}"
    if not name.endswith(f".{module}") and _KAFKA_PACKAGE not in name and not name.endswith(_KERBEROS):
        raise NeedsJvmClientError(
            f"{login.place}: librdkafka cannot run the login module {login.module}, which is not one of Kafka's"
        )
    if not name.endswith(f".{module}"):
        raise ConfigurationError(
            f"{login.place}: the login module {login.module} does not match atlas.kafka.sasl.mechanism = {mechanism}, "
            f"which requires org.apache.kafka.common.security.{module}; correct one of them"
        )
    if login.options.get("tokenauth", "").lower() == "true":
        raise NeedsJvmClientError(f"{login.place}: tokenauth = true: librdkafka does not support delegation tokens")


def find_login(kafka: Mapping[str, str], context: ConnectionContext) -> JaasEntry | None:
    """Return the login, None without one. A password given as ******** in a section is looked up by the driver.

    Raises:
        ConfigurationError: The login is malformed, or the password cannot be looked up.
    """
    text = kafka.get("sasl.jaas.config", "")
    login: JaasEntry | None
    if text:
        from sac_kafka.settings.files.jaas import parse  # most connections have no login

        login = parse(text, JAAS_CONFIG)
    else:
        login = section_login(context.kafka.jaas, context)
    if login is not None:
        check_login_module(login)
    return login


def section_login(
    jaas: Mapping[str, str], context: ConnectionContext | None, *, has_ticket: bool = False, has_providers: bool = False
) -> JaasEntry | None:
    """Return the login in Atlas' section, None without a section.

    Args:
        jaas: The settings under `atlas.jaas.`, prefix stripped.
        context: Used to look up a password given as ********; None to keep it.
        has_ticket: Whether the driver's Hadoop login uses a ticket, which has a separate section.
        has_providers: Whether configuration providers of Kafka's Java client resolve references.

    Raises:
        NoLoginModuleError: The section has no login module.
        ConfigurationError: A value is invalid, or a password cannot be looked up.
    """
    if not jaas:
        return None
    from sac_kafka.settings.files.jaas import section_entry

    entry = section_entry(jaas, has_ticket=has_ticket)
    if entry is None:
        return None
    if not has_providers:
        for name, value in entry.options.items():
            check_references(f"{entry.place}.option.{name}", value)
    if context is None:
        return entry
    path, driver = context.kafka.provider_path, context.driver
    options = {
        name: stored_password(f"{entry.place}.option.{name}", path, driver) if value == MASK else value
        for name, value in entry.options.items()
    }
    return replace(entry, options=SecretMapping(options))
