"""Refuse settings with which a Kafka client would load or run what a file names: libraries, commands, login modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_value
from sac_kafka.transport.kafka.settings.keys import NATIVE_PREFIX

if TYPE_CHECKING:
    from sac_kafka.settings.files.jaas import JaasEntry

CALLBACK_KEY = "atlas.hook.spark.kafka.oauth.callback"
_NATIVE: Mapping[str, str] = {
    "plugin.library.paths": "librdkafka would load these libraries",
    "ssl.engine.location": "OpenSSL would load this library",
    "ssl.engine.id": "OpenSSL would load this engine",
    "ssl.providers": "OpenSSL would load these providers",
    "sasl.kerberos.kinit.cmd": "librdkafka would run this command in a shell",
}
"""librdkafka's settings that load or run code, and what they do."""

_MODULES = frozenset(f"com.sun.security.auth.module.{name}LoginModule" for name in ("Jndi", "Ldap"))
"""Login modules that Kafka 4 refuses by default (`org.apache.kafka.disallowed.login.modules`): a server names their classes."""


def check_libraries(kafka: Mapping[str, str]) -> None:
    """Check the settings under `atlas.kafka.` (prefix stripped) for librdkafka's settings that load or run code.

    Raises:
        ConfigurationError: One is set.
    """
    for key, text in kafka.items():
        reason = _NATIVE.get(key.removeprefix(NATIVE_PREFIX).strip().lower()) if key.startswith(NATIVE_PREFIX) else None
        if reason is not None and text.strip():
            raise ConfigurationError(
                f"atlas.kafka.{key} = {mask_value(text)}: {reason}, which a configuration may not ask for; remove it"
            )


def check_login_module(login: JaasEntry) -> None:
    """Check that the login module is not one of those that fetch classes or objects from a server.

    Raises:
        ConfigurationError: It is one.
    """
    if login.module in _MODULES:
        raise ConfigurationError(
            f"{login.place}: the login module {login.module} is refused, as by Kafka, because it loads what a server names; "
            "use a login module of Kafka, or Krb5LoginModule"
        )
