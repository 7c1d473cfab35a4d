"""Read the settings of further destinations (`atlas.also`): those of the first, with their own keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.declaring import declared_settings
from sac_kafka.settings.entra import Entra
from sac_kafka.settings.files.source import SettingsSource
from sac_kafka.settings.kafka import Kafka
from sac_kafka.settings.names import Names
from sac_kafka.settings.openlineage import OpenLineageReceiver
from sac_kafka.settings.purview import Purview
from sac_kafka.settings.rest import Rest
from sac_kafka.settings.sinks import ClientType, Sinks
from sac_kafka.settings.spool import SpoolFiles

ALSO = "atlas.also"
_PREFIX = f"{ALSO}."
_TYPE = "atlas.client.type"
_SECTIONS = ("atlas.kafka.", "atlas.jaas.")
_SUBJECTS = (Sinks, Kafka, Rest, OpenLineageReceiver, SpoolFiles, Purview, Entra)
_FIELDS = {
    Names: {"namespace"},
    Content: {"message_form", "message_max_bytes", "message_max_entities", "message_compression", "table_model"},
}
"""Single settings of other subjects that destinations do not share."""
_SHARED = {"enabled", "also"}


def _own_keys() -> Iterator[str]:
    for subject in _SUBJECTS:
        for name, each in declared_settings(subject):
            if subject is not Sinks or name not in _SHARED:
                yield from each.keys
    for other, names in _FIELDS.items():
        for name, each in declared_settings(other):
            if name in names:
                yield from each.keys


def properties_of(name: str, source: SettingsSource) -> tuple[dict[str, str], dict[str, str]]:
    """Return the properties of a destination, and their origins: those of the first, overridden by those under its name."""
    prefix, properties, origins = f"{_PREFIX}{name}.", dict[str, str](), dict(source.origins)
    for key, text in source.properties.items():
        if key != ALSO and not key.startswith(_PREFIX):
            properties[key] = text
    for key, text in source.properties.items():
        if key.startswith(prefix):
            own = f"atlas.{key[len(prefix) :]}"
            properties[own] = text
            origins[own] = f"{source.origins.get(key, source.text)}, {key}"
    if f"{prefix}{_TYPE.removeprefix('atlas.')}" not in source.properties and name in {
        each.value for each in ClientType
    }:
        properties[_TYPE] = name
        origins[_TYPE] = f"{source.origins.get(ALSO, source.text)}, {ALSO}"
    return properties, origins


def wrong_keys(names: tuple[str, ...], properties: Mapping[str, str], origin: str) -> dict[str, str]:
    """Return an error for each key of a destination that is not listed, or that destinations do not have."""
    known, wrong = frozenset(_own_keys()), dict[str, str]()
    for key in properties:
        name, _, rest = key.removeprefix(_PREFIX).partition(".") if key.startswith(_PREFIX) else ("", "", "")
        if not name:
            continue
        meant = f"atlas.{rest}"
        if name not in names:
            wrong[key] = f"{origin}: {key}: {ALSO} does not list {name}; add it there, or remove this line"
        elif meant not in known and not meant.startswith(_SECTIONS):
            wrong[key] = f"{origin}: {key}: {meant} is no setting of a single destination; correct it, or set {meant}"
    return wrong
