"""Look up passwords in Hadoop credential stores, as Atlas' hooks do.

Sources: `SecurityUtil.getPassword` and `KafkaNotification` of Atlas 2.4; the driver's JVM reads the stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sac_kafka.errors import ConfigurationError, NeedsDriverError
from sac_kafka.log import logger
from sac_kafka.masking import MASK, SecretMapping
from sac_kafka.settings.files.jaas import JaasEntry
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.settings.checking import is_used, protocol_of
from sac_kafka.transport.kafka.settings.connection_context import ConnectionContext

_TRUST_STORE = "ssl.truststore.password"
_TRUST_STORE_ALIAS = "truststore.password"
_STORES_PATH = "cert.stores.credential.provider.path"
_PATH = "hadoop.security.credential.provider.path"


def with_stored_passwords(kafka: Mapping[str, str], context: ConnectionContext) -> dict[str, str]:
    """Replace ******** by stored passwords, and with `atlas.enableTLS` look up the trust store's password.

    Settings that the connection's protocol does not use are not changed.

    Raises:
        ConfigurationError: A store cannot be read, or does not contain the alias.
    """
    protocol = protocol_of(kafka)
    found = dict(kafka) | (_trust_store_password(kafka, context) if protocol.endswith("SSL") else {})
    return {
        key: stored(f"atlas.kafka.{key}", context.kafka.provider_path, context.driver)
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


def entry_with_stored_passwords(entry: JaasEntry, place: str, context: ConnectionContext) -> JaasEntry:
    """Replace ******** by stored passwords in the login of the section at `place`.

    Raises:
        ConfigurationError: A store cannot be read, or does not contain the alias.
    """
    options = {
        name: stored(f"{place}.option.{name}", context.kafka.provider_path, context.driver) if value == MASK else value
        for name, value in entry.options.items()
    }
    return replace(entry, options=SecretMapping(options))


def stored(alias: str, provider_path: str | None, driver: Driver | None) -> str:
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
