"""Every setting once: key, type, default, unit and why. Read once from properties, then passed down as a value.

One file a subject. `python -m sac_kafka.settings` prints docs/configuration.md. Nothing here reads a file or the
environment; the keys of Atlas and of the Spark Atlas Connector keep their meaning, what is new is called
`atlas.hook.spark.…`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sac_kafka.config.declaring import Setting, declared, key_in_force, read_declared
from sac_kafka.config.jaas_sections import JAAS_PREFIX
from sac_kafka.config.secrets import SecretMapping
from sac_kafka.config.unknown_keys import unknown_keys
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.content import Content
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.settings.kafka import KafkaLogin
from sac_kafka.settings.names import Names
from sac_kafka.settings.rest import Rest
from sac_kafka.settings.sinks import Sinks
from sac_kafka.settings.spool import SpoolFiles

KAFKA_PREFIX = "atlas.kafka."

SUBJECTS: tuple[tuple[str, type], ...] = (
    ("Where messages go", Sinks),
    ("Kafka", KafkaLogin),
    ("Atlas over HTTP (`rest`)", Rest),
    ("Messages that could not be delivered", SpoolFiles),
    ("Names", Names),
    ("What is sent", Content),
    ("The driver", DriverBounds),
)
"""What `Settings` is made of, in the order of the documentation."""

_REST_FIELDS = {name: each for name, each in declared(Rest) if name != "rest_enabled"}


@dataclass(frozen=True, kw_only=True)
class Settings(Sinks, KafkaLogin, Rest, SpoolFiles, Names, Content, DriverBounds):
    """The settings of one hook. Durations are seconds, sizes bytes; None means "not set".

    `rest_address_key` is the key that has set `rest_address`.
    """

    namespace_is_default: bool = True
    rest_address_key: str = "atlas.rest.address"
    kafka: Mapping[str, str] = field(default_factory=SecretMapping)
    jaas: Mapping[str, str] = field(default_factory=SecretMapping)
    unknown: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        properties: Mapping[str, str],
        origin: str,
        origins: Mapping[str, str] | None = None,
        firsts: Mapping[str, str] | None = None,
    ) -> Settings:
        """Read the settings from properties; a key that is blank counts as not set.

        Args:
            properties: Key to value as `config.properties.read_properties` gives them, Spark's overrides applied.
            origin: Where they come from (a path), for error messages.
            origins: Where single keys come from, if that is known better.
            firsts: The first value of each key that is set several times.

        Raises:
            ConfigurationError: A value is not allowed; the message names origin, key, value and what is allowed.
        """
        values = read_declared(cls, properties, origin, origins, firsts=firsts, unused=_REST_FIELDS)
        if values.get("rest_enabled"):
            values.setdefault("client_type", "rest")
        if values.get("client_type") == "rest":
            values |= read_declared(Rest, properties, origin, origins, firsts=firsts)
        if values.get("client_type") == "file" and "client_file_path" not in values:
            raise ConfigurationError(
                f"{origin}: atlas.client.type = file: atlas.client.file.path is not set; "
                "set it to the file that messages are to be appended to"
            )
        return cls(
            **values,
            namespace_is_default="namespace" not in values,
            rest_address_key=key_in_force(_REST_FIELDS["rest_address"], properties) or cls.rest_address_key,
            kafka=_below(KAFKA_PREFIX, properties),
            jaas=_below(JAAS_PREFIX, properties),
            unknown=unknown_keys(properties, [key for each in describe() for key in each.keys]),
        )


def _below(prefix: str, properties: Mapping[str, str]) -> SecretMapping:
    return SecretMapping({key[len(prefix) :]: text for key, text in properties.items() if key.startswith(prefix)})


def describe() -> Iterator[Setting]:
    """Give every setting in the order of declaration, for generated documentation."""
    return (each for _, subject in SUBJECTS for _, each in declared(subject))
