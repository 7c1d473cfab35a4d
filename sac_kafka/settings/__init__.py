"""Declare every setting: key, type, default, unit and description.

One module per subject; `dev.configuration` generates docs/configuration.md from them. Settings are read once from
properties and passed down as values; nothing here reads a file or the environment. Keys of Atlas and of the Spark Atlas
Connector keep their meaning; new keys are named `atlas.hook.spark.…`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from sac_kafka.errors import WrongValuesError
from sac_kafka.masking import SecretMapping
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.declaring import (
    Repeated,
    Setting,
    Subject,
    declared_settings,
    effective_key,
    read_settings,
)
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.settings.entra import Entra
from sac_kafka.settings.files.reading import Configuration
from sac_kafka.settings.files.source import SettingsSource
from sac_kafka.settings.filters import Filters
from sac_kafka.settings.kafka import JAAS_PREFIX, Kafka
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.settings.names import Names
from sac_kafka.settings.openlineage import OpenLineageReceiver
from sac_kafka.settings.purview import Purview
from sac_kafka.settings.rest import OWN_KEY, Rest
from sac_kafka.settings.sinks import ClientType, Sinks
from sac_kafka.settings.spool import SpoolFiles
from sac_kafka.settings.unity import Unity

KAFKA_PREFIX = "atlas.kafka."
_ALSO = "atlas.also."

SUBJECTS: tuple[tuple[str, type], ...] = (
    ("Sinks", Sinks),
    ("Kafka", Kafka),
    ("Atlas over HTTP (`rest`)", Rest),
    ("OpenLineage", OpenLineageReceiver),
    ("Spool: messages that could not be delivered", SpoolFiles),
    ("Names", Names),
    ("Content of messages", Content),
    ("Filters", Filters),
    ("Microsoft Purview", Purview),
    ("Microsoft Entra ID", Entra),
    ("The driver", DriverBounds),
    ("Metrics", MetricsSettings),
    ("Unity Catalog (`sac-kafka bridge`)", Unity),
)
"""Title and class of each subject, in the order of the documentation."""

_REST_FIELDS = {name: each for name, each in declared_settings(Rest) if name != "enabled"}


@dataclass(frozen=True, kw_only=True, repr=False)
class Settings(Subject):
    """The settings of one hook, grouped by subject. Durations are seconds, sizes bytes; None means "not set".

    `repeated` are the keys that the file sets several times with different values.
    """

    sink: Sinks = field(default_factory=Sinks)
    kafka: Kafka = field(default_factory=Kafka)
    rest: Rest = field(default_factory=Rest)
    openlineage: OpenLineageReceiver = field(default_factory=OpenLineageReceiver)
    spool: SpoolFiles = field(default_factory=SpoolFiles)
    names: Names = field(default_factory=Names)
    content: Content = field(default_factory=Content)
    filters: Filters = field(default_factory=Filters)
    purview: Purview = field(default_factory=Purview)
    entra: Entra = field(default_factory=Entra)
    driver: DriverBounds = field(default_factory=DriverBounds)
    metrics: MetricsSettings = field(default_factory=MetricsSettings)
    source: SettingsSource = field(default_factory=SettingsSource)
    repeated: tuple[str, ...] = ()

    @classmethod
    def of(cls, configuration: Configuration) -> Settings:
        """Read the settings of a configuration; raises as `read` does."""
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
        """Read the settings from properties; a blank value counts as not set.

        `properties` have Spark's overrides applied. For errors: `origin` is their source (a path), `origins` that of single keys,
        `absent` the places without a file. `repeated` are the values of each key that is set several times.

        Raises:
            WrongValuesError: Some values are invalid; each sentence names origin, key, value and the allowed values.
        """
        wrong: dict[str, str] = {}

        def values(by: type, unused: Collection[str] = ()) -> dict[str, Any]:
            return read_settings(by, properties, origin, origins, repeated=repeated, unused=unused, wrong=wrong)

        sink, rest = values(Sinks), values(Rest, _REST_FIELDS)
        if rest.get("enabled"):
            sink.setdefault("client_type", ClientType.REST)
        if sink.get("client_type") in {ClientType.REST, ClientType.PURVIEW}:
            rest = values(Rest)
        names = values(Names)
        address_key = effective_key(_REST_FIELDS["address"], properties) or OWN_KEY
        own_address = properties.get(OWN_KEY, "").strip() or None
        read = cls(
            sink=Sinks(**sink),
            kafka=Kafka(
                **values(Kafka), properties=_below(KAFKA_PREFIX, properties), jaas=_below(JAAS_PREFIX, properties)
            ),
            rest=Rest(**rest, address_key=address_key, own_address=own_address),
            openlineage=OpenLineageReceiver(**values(OpenLineageReceiver)),
            spool=SpoolFiles(**values(SpoolFiles)),
            names=Names(**names, namespace_is_default="namespace" not in names),
            content=Content(**values(Content)),
            filters=Filters(**values(Filters)),
            purview=Purview(**values(Purview)),
            entra=Entra(**values(Entra)),
            driver=DriverBounds(**values(DriverBounds)),
            metrics=MetricsSettings(**values(MetricsSettings)),
            source=SettingsSource(origin, origins or {}, absent),
            repeated=tuple(repeated or ()),
        )
        if any(key.startswith(_ALSO) for key in properties):
            from sac_kafka.settings.destinations import wrong_keys

            wrong.update(wrong_keys(read.sink.also, properties, origins or {}, origin))
        if wrong:
            ordered = [key for key in properties if key in wrong]  # in the order of the file
            raise WrongValuesError(*(wrong[key] for key in ordered), keys=ordered)
        if read.sink.also:
            kept = replace(read.source, properties=SecretMapping(properties), repeated=repeated or {})
            read = replace(read, source=kept)
            _check_spools(read, dict(read.further()), origin)
        return read

    def further(self) -> Iterator[tuple[str, Settings]]:
        """Yield the name and the settings of each further destination; raises as `read` does."""
        for name in self.sink.also:
            from sac_kafka.settings.destinations import properties_of

            own = properties_of(name, self.source)
            settings = Settings.read(own.properties, self.source.text, own.origins, own.repeated)
            yield name, replace(settings, source=replace(settings.source, destination=name))


def _check_spools(first: Settings, further: Mapping[str, Settings], origin: str) -> None:
    """Raise WrongValuesError if two destinations share a spool directory, so that each would handle the other's files."""
    directory = first.spool.dir
    by_default = {str(PurePath(directory, f"also-{name}")): name for name in further} if directory else {}
    seen: dict[str, str] = {}
    for name, own in further.items():
        if own.spool.dir == directory:
            continue
        path = str(PurePath(own.spool.dir or ""))
        other = seen.get(path) or by_default.get(path, name)
        if other != name and (path in seen or further[other].spool.dir == directory):
            key = f"{_ALSO}{name}.hook.spool.dir"
            place = first.source.origins.get(key, origin)
            wrong = f"{place}: {key} = {own.spool.dir}: {other} has the same directory; name another one, or remove the line"
            raise WrongValuesError(wrong, keys=[key])
        seen[path] = name


def _below(prefix: str, properties: Mapping[str, str]) -> SecretMapping:
    return SecretMapping({key[len(prefix) :]: text for key, text in properties.items() if key.startswith(prefix)})


def describe() -> Iterator[Setting]:
    """Yield every setting in the order of declaration."""
    return (each for _, subject in SUBJECTS for _, each in declared_settings(subject))
