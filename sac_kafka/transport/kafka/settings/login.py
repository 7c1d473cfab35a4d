"""Find the JAAS login of a Kafka connection in `sasl.jaas.config`, else in the sections `atlas.jaas.KafkaClient.*`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.settings.files.jaas import JaasEntry, parse
from sac_kafka.settings.files.jaas_sections import located_section
from sac_kafka.transport.kafka.settings.checking import check_resolved
from sac_kafka.transport.kafka.settings.connection_context import ConnectionContext
from sac_kafka.transport.kafka.settings.stored_passwords import entry_with_stored_passwords

JAAS_CONFIG = "atlas.kafka.sasl.jaas.config"
_KAFKA_PACKAGE = ".org.apache.kafka.common.security."  # may be preceded by the prefix of a shaded package
_KERBEROS = ".Krb5LoginModule"


@dataclass(frozen=True, slots=True)
class Login:
    """A JAAS entry and its place, for error messages."""

    entry: JaasEntry
    place: str

    def option(self, name: str) -> str:
        """Return a required option.

        Raises:
            ConfigurationError: The option is missing or empty.
        """
        value = self.entry.options.get(name, "")
        if not value:
            fix = f'add {name}="…"' if self.place == JAAS_CONFIG else f"set {self.place}.option.{name}"
            raise ConfigurationError(f"{self.place}: the option {name} is missing or empty; {fix}")
        return value

    def check(self, mechanism: str, module: str) -> None:
        """Check that the login module is the one of the mechanism; its package may be shaded.

        Raises:
            ConfigurationError: The module belongs to another mechanism.
            NeedsJvmClientError: The module is not Kafka's, or uses delegation tokens.
        """
        name = f".{self.entry.module}"
        if not name.endswith(f".{module}") and _KAFKA_PACKAGE not in name and not name.endswith(_KERBEROS):
            raise NeedsJvmClientError(
                f"{self.place}: librdkafka cannot run the login module {self.entry.module}, which is not one of Kafka's"
            )
        if not name.endswith(f".{module}"):
            raise ConfigurationError(
                f"{self.place}: the login module {self.entry.module} does not match atlas.kafka.sasl.mechanism = "
                f"{mechanism}, which requires org.apache.kafka.common.security.{module}; correct one of them"
            )
        if self.entry.options.get("tokenauth", "").lower() == "true":
            raise NeedsJvmClientError(f"{self.place}: tokenauth = true: librdkafka does not support delegation tokens")


def find_login(kafka: Mapping[str, str], context: ConnectionContext) -> Login | None:
    """Return the login, None without one. A password given as ******** in a section is looked up by the driver.

    Raises:
        ConfigurationError: The login is malformed, or the password cannot be looked up.
    """
    text = kafka.get("sasl.jaas.config", "")
    if text:
        return Login(parse(text, JAAS_CONFIG), JAAS_CONFIG)
    return section_login(context.kafka.jaas, context)


def section_login(
    jaas: Mapping[str, str], context: ConnectionContext | None, *, has_ticket: bool = False, has_providers: bool = False
) -> Login | None:
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
    located = located_section(jaas, has_ticket=has_ticket)
    if located is None:
        return None
    entry, place = located
    if not has_providers:
        for name, value in entry.options.items():
            check_resolved(f"{place}.option.{name}", value)
    return Login(entry_with_stored_passwords(entry, place, context) if context is not None else entry, place)
