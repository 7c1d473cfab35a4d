"""The JAAS login of a Kafka connection: from `sasl.jaas.config`, else from the sections `atlas.jaas.KafkaClient.*`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.config.jaas import JaasEntry, parse
from sac_kafka.config.jaas_sections import CLIENT, JAAS_PREFIX, jaas_section
from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.transport.kafka.settings.stored_passwords import section_with_stored_passwords
from sac_kafka.transport.kafka.settings.surroundings import Surroundings

JAAS_CONFIG = "atlas.kafka.sasl.jaas.config"
UNRESOLVED = re.compile(r"\$\{[^}]*\}")
"""What is left of a reference to something that is not there."""


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
        if not ("." + self.entry.module).endswith("." + module):
            raise ConfigurationError(
                f"{self.place}: the login module {self.entry.module} does not fit atlas.kafka.sasl.mechanism = "
                f"{mechanism}, which needs org.apache.kafka.common.security.{module}; correct one of the two"
            )
        if self.entry.options.get("tokenauth", "").lower() == "true":
            raise NeedsJvmClientError(f"{self.place}: tokenauth = true: librdkafka cannot log in by delegation token")


def find_login(kafka: Mapping[str, str], around: Surroundings) -> Login | None:
    """Give the login, None where none is set. A password of ******** in a section is looked up in the driver.

    Raises:
        ConfigurationError: It does not follow the grammar, or the password cannot be looked up.
    """
    text = kafka.get("sasl.jaas.config", "")
    if text:
        return Login(parse(text, JAAS_CONFIG), JAAS_CONFIG)
    entry, place = jaas_section(section_with_stored_passwords(around)), f"{JAAS_PREFIX}{CLIENT}"
    if entry is None:
        return None
    for name, value in entry.options.items():
        if reference := UNRESOLVED.search(value):
            raise ConfigurationError(
                f"{place}.option.{name} refers to {reference.group(0)}, which is not set; set it, or write the value out"
            )
    return Login(entry, place)
