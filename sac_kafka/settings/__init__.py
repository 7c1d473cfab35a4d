"""Every setting once: key, type, default, unit and why. Read once from properties, then passed down as a value.

One file a subject. `python -m sac_kafka.settings` prints docs/configuration.md. Nothing here reads a file or the
environment; the keys of Atlas and of the Spark Atlas Connector keep their meaning, what is new is called
`atlas.hook.spark.…`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sac_kafka.config.declaring import Repeated, Setting, declared, key_in_force, read_declared
from sac_kafka.config.jaas_sections import JAAS_PREFIX
from sac_kafka.config.reading import Configuration
from sac_kafka.config.secrets import SecretMapping, mask_said
from sac_kafka.config.source import Source
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

    `rest_address_key` is the key that has set `rest_address`. `kafka` and `jaas` are what stands below `atlas.kafka.` and
    `atlas.jaas.`, prefix stripped; `repeated` are keys of the file that are set several times with different values.
    """

    namespace_is_default: bool = True
    rest_address_key: str = "atlas.rest.address"
    kafka: Mapping[str, str] = field(default_factory=SecretMapping)
    jaas: Mapping[str, str] = field(default_factory=SecretMapping)
    source: Source = field(default_factory=Source)
    repeated: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """What is set, as it may be shown."""
        shown = (f"{each.name}={_shown(getattr(self, each.name))}" for each in fields(self) if each.repr)
        return f"Settings({', '.join(shown)})"

    @classmethod
    def of(cls, configuration: Configuration) -> Settings:
        """Read the settings of a configuration, as `read` does."""
        return cls.read(
            configuration.values,
            configuration.source,
            configuration.origins,
            configuration.repeated,
            configuration.absent,
        )

    @classmethod
    def read(
        cls,
        properties: Mapping[str, str],
        origin: str,
        origins: Mapping[str, str] | None = None,
        repeated: Repeated | None = None,
        absent: str = "",
    ) -> Settings:
        """Read the settings from properties; a key that is blank counts as not set.

        Args:
            properties: Key to value as `config.properties.read_properties` gives them, Spark's overrides applied.
            origin: Where they come from (a path), for error messages.
            origins: Where single keys come from, if that is known better.
            repeated: What each line says of a key that is set several times with different values.
            absent: Where no file was found, for error messages.

        Raises:
            ConfigurationError: A value is not allowed; the message names origin, key, value and what is allowed.
        """
        values = read_declared(cls, properties, origin, origins, repeated=repeated, unused=_REST_FIELDS)
        if values.get("rest_enabled"):
            values.setdefault("client_type", "rest")
        if values.get("client_type") == "rest":
            values |= read_declared(Rest, properties, origin, origins, repeated=repeated)
        source = Source(origin, origins or {}, absent)
        with source.placing():
            _check_together(values)
        return cls(
            **values,
            namespace_is_default="namespace" not in values,
            rest_address_key=key_in_force(_REST_FIELDS["rest_address"], properties) or cls.rest_address_key,
            kafka=_below(KAFKA_PREFIX, properties),
            jaas=_below(JAAS_PREFIX, properties),
            source=source,
            repeated=tuple(repeated or ()),
        )


def _check_together(values: Mapping[str, Any]) -> None:
    if values.get("client_type") == "file" and "client_file_path" not in values:
        raise ConfigurationError("atlas.client.file.path is not set; set it to the file that messages are appended to")


def _shown(value: object) -> str:
    """A value as it may be shown; of pairs the first may say that the second is secret."""
    pairs = value if isinstance(value, tuple) else ()
    return mask_said(repr(["=".join(each) if isinstance(each, tuple) else each for each in pairs] if pairs else value))


def _below(prefix: str, properties: Mapping[str, str]) -> SecretMapping:
    return SecretMapping({key[len(prefix) :]: text for key, text in properties.items() if key.startswith(prefix)})


def describe() -> Iterator[Setting]:
    """Give every setting in the order of declaration, for generated documentation."""
    return (each for _, subject in SUBJECTS for _, each in declared(subject))
