"""Read the settings of further destinations (`atlas.also`): those of the first, with their own keys.

A login is inherited only together with its server: the first destination's would otherwise be sent to another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from sac_kafka.masking import SecretMapping
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.declaring import Repeated, declared_settings
from sac_kafka.settings.declarations.values import nearest
from sac_kafka.settings.entra import Entra
from sac_kafka.settings.files.source import SettingsSource
from sac_kafka.settings.kafka import Kafka
from sac_kafka.settings.names import Names
from sac_kafka.settings.openlineage import TOKEN_KEY, URL_KEY, OpenLineageReceiver
from sac_kafka.settings.purview import Purview
from sac_kafka.settings.rest import OWN_KEY, Rest
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


_KAFKA_SERVER = ("atlas.kafka.bootstrap.servers",)
_REST_SERVER = ("atlas.hook.rest.notification.address", OWN_KEY)
_LOGINS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        _KAFKA_SERVER,
        (
            "atlas.kafka.sasl.",
            "atlas.kafka.ssl.key.",
            "atlas.kafka.ssl.keystore.",
            "atlas.kafka.ssl.certificate.",
            "atlas.jaas.",
            "atlas.hook.spark.kafka.oauth.callback",
        ),
    ),
    (
        _REST_SERVER,
        ("atlas.rest.basic.auth.", "atlas.client.username", "atlas.client.password", "atlas.hook.spark.rest.token"),
    ),
    ((URL_KEY,), (TOKEN_KEY,)),
    (_KAFKA_SERVER + _REST_SERVER, ("atlas.hook.spark.entra.",)),
)
"""Keys of the servers that a login is for, and the beginnings of the keys of that login."""
_ALL_LOGINS = tuple(login for _, logins in _LOGINS for login in logins)


@dataclass(frozen=True, slots=True)
class Own:
    """The properties of a destination, their origins, and the values of each key that is set several times.

    `omitted` are the keys of the first destination's logins, if they are for other servers and there is no own login.
    """

    properties: SecretMapping
    origins: Mapping[str, str]
    repeated: Repeated
    omitted: tuple[str, ...]


def _synonyms() -> Iterator[tuple[str, ...]]:
    """Yield the keys of each setting that a destination may have."""
    for subject in _SUBJECTS:
        for name, each in declared_settings(subject):
            if subject is not Sinks or name not in _SHARED:
                yield each.keys
    for other, names in _FIELDS.items():
        for name, each in declared_settings(other):
            if name in names:
                yield each.keys


@cache
def _own_keys() -> Mapping[str, tuple[str, ...]]:
    """Return each key that a destination may have, with all keys of its setting."""
    return {key: keys for keys in _synonyms() for key in keys}


def is_own_key(key: str) -> bool:
    """Return whether destinations may set a key (as the first one names it)."""
    return key in _own_keys() or key.startswith(_SECTIONS)


def own_key(name: str, key: str) -> str:
    """Return the key with which a destination sets what is `key` for the first one.

    >>> own_key("copy", "atlas.rest.address")
    'atlas.also.copy.rest.address'
    """
    return f"{_PREFIX}{name}.{key.removeprefix('atlas.')}"


def properties_of(name: str, source: SettingsSource) -> Own:
    """Return the properties of a destination: those of the first without foreign logins, overridden by those under its name.

    A blank one unsets that of the first.
    """
    prefix = f"{_PREFIX}{name}."
    own = {f"atlas.{key[len(prefix) :]}": key for key in source.properties if key.startswith(prefix)}
    hidden = {other for key in own for other in _own_keys().get(key, (key,))}
    inherited = {
        key: text
        for key, text in source.properties.items()
        if key != ALSO and not key.startswith(_PREFIX) and key not in hidden
    }
    set_here = {key: source.properties[full] for key, full in own.items() if source.properties[full].strip()}
    foreign = _foreign_logins(source.properties, inherited | set_here)
    properties = {key: text for key, text in inherited.items() if not key.startswith(foreign)} | set_here
    origins = {key: place for key, place in source.origins.items() if key in properties}
    origins |= {key: f"{source.origins.get(own[key], source.text)}, {own[key]}" for key in set_here}
    repeated = {key: lines for key, lines in source.repeated.items() if key in properties and key not in set_here}
    repeated |= {key: source.repeated[own[key]] for key in set_here if own[key] in source.repeated}
    if _TYPE not in set_here and name in {each.value for each in ClientType}:
        properties[_TYPE] = name
        origins[_TYPE] = f"{source.origins.get(ALSO, source.text)}, {ALSO}"
        repeated.pop(_TYPE, None)
    has_login = any(key.startswith(_ALL_LOGINS) for key in own)  # also a blank one, for a server that needs none
    omitted = () if has_login else tuple(key for key in inherited if key.startswith(foreign))
    return Own(SecretMapping(properties), origins, repeated, omitted)


def _foreign_logins(first: Mapping[str, str], properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the beginnings of the keys of logins for servers that the first destination does not have."""

    def servers(settings: Mapping[str, str], keys: Collection[str]) -> set[str]:
        return {text for key in keys if (text := settings.get(key, "").strip())}

    return tuple(
        login for keys, logins in _LOGINS if servers(properties, keys) - servers(first, keys) for login in logins
    )


def wrong_keys(
    names: tuple[str, ...], properties: Mapping[str, str], origins: Mapping[str, str], origin: str
) -> dict[str, str]:
    """Return an error for each key of a destination that is not listed, or that destinations do not have.

    With `atlas.also` set to a blank value, all of them are ignored.
    """
    if ALSO in properties and not properties[ALSO].strip():
        return {}
    wrong = dict[str, str]()
    for key in properties:
        name, _, rest = key.removeprefix(_PREFIX).partition(".") if key.startswith(_PREFIX) else ("", "", "")
        if not name:
            continue
        place, meant = origins.get(key, origin), f"atlas.{rest}"
        if name not in names:
            listed = nearest(name, names)
            fix = f"did you mean {own_key(listed, meant)}?" if listed else "add it there, or remove this line"
            wrong[key] = f"{place}: {key}: {ALSO} does not list {name}; {fix}"
        elif not is_own_key(meant):
            wrong[key] = f"{place}: {key}: {meant} is no setting of a single destination; {_correct(name, meant)}"
    return wrong


def _correct(name: str, key: str) -> str:
    from sac_kafka.settings import describe

    if any(key in each.keys for each in describe()):
        return f"it is the same for all: set {key}"
    similar = nearest(key, _own_keys())
    return f"did you mean {own_key(name, similar)}?" if similar else "correct or remove it"
