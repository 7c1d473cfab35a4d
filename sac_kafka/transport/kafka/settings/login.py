"""The JAAS login of a Kafka connection: from `sasl.jaas.config`, else from the sections `atlas.jaas.KafkaClient.*`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.config.jaas import JaasEntry, parse
from sac_kafka.config.jaas_sections import located_section
from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.transport.kafka.settings.checking import check_resolved
from sac_kafka.transport.kafka.settings.connection_context import ConnectionContext
from sac_kafka.transport.kafka.settings.stored_passwords import entry_with_stored_passwords

JAAS_CONFIG = "atlas.kafka.sasl.jaas.config"
_OF_KAFKA = ".org.apache.kafka.common.security."  # perhaps shaded
_KERBEROS = ".Krb5LoginModule"


@dataclass(frozen=True, slots=True)
class Login:
    """A JAAS entry and where it stands, for error messages."""

    entry: JaasEntry
    place: str

    def option(self, name: str) -> str:
        """Give an option that must be there.

        Raises:
            ConfigurationError: It is missing or empty.
        """
        value = self.entry.options.get(name, "")
        if not value:
            cure = f'add {name}="…"' if self.place == JAAS_CONFIG else f"set {self.place}.option.{name}"
            raise ConfigurationError(f"{self.place}: the option {name} is missing or empty; {cure}")
        return value

    def check(self, mechanism: str, module: str) -> None:
        """Refuse a login module that is not the one of the mechanism; its package may be a shaded one.

        Raises:
            ConfigurationError: The two do not fit.
            NeedsJvmClientError: The module does something that only Java can.
        """
        name = f".{self.entry.module}"
        if not name.endswith(f".{module}") and _OF_KAFKA not in name and not name.endswith(_KERBEROS):
            raise NeedsJvmClientError(
                f"{self.place}: the login module {self.entry.module} is none of Kafka's own, and librdkafka cannot run one"
            )
        if not name.endswith(f".{module}"):
            raise ConfigurationError(
                f"{self.place}: the login module {self.entry.module} does not fit atlas.kafka.sasl.mechanism = "
                f"{mechanism}, which needs org.apache.kafka.common.security.{module}; correct one of the two"
            )
        if self.entry.options.get("tokenauth", "").lower() == "true":
            raise NeedsJvmClientError(f"{self.place}: tokenauth = true: librdkafka cannot log in by delegation token")


def find_login(kafka: Mapping[str, str], context: ConnectionContext) -> Login | None:
    """Give the login, None where none is set. A password of ******** in a section is looked up in the driver.

    Raises:
        ConfigurationError: It does not follow the grammar, or the password cannot be looked up.
    """
    text = kafka.get("sasl.jaas.config", "")
    if text:
        return Login(parse(text, JAAS_CONFIG), JAAS_CONFIG)
    return section_login(context.kafka.jaas, context)


def section_login(
    jaas: Mapping[str, str], context: ConnectionContext | None, *, has_ticket: bool = False, has_providers: bool = False
) -> Login | None:
    """Give the login of Atlas' section, None where there is none.

    Args:
        jaas: The settings under `atlas.jaas.`, prefix stripped.
        context: Where a password of ******** is looked up; None: it stays as it is.
        has_ticket: The driver's Hadoop login is by ticket, which has a section of its own.
        has_providers: Configuration providers of Kafka's Java client will resolve references.

    Raises:
        NoLoginModuleError: The section names no login module.
        ConfigurationError: A value is wrong, or a password cannot be looked up.
    """
    located = located_section(jaas, has_ticket=has_ticket)
    if located is None:
        return None
    entry, place = located
    if not has_providers:
        for name, value in entry.options.items():
            check_resolved(f"{place}.option.{name}", value)
    return Login(entry_with_stored_passwords(entry, place, context) if context is not None else entry, place)
