"""Read the effective configuration: the file with its includes, overridden by Spark's settings and `attach` arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sac_kafka.errors import NoConfigurationError, NoSettingsError
from sac_kafka.masking import SecretMapping
from sac_kafka.settings.declarations.interpolation import from_outside, interpolate_value
from sac_kafka.settings.files.finding import Found, Places, find, overrides, searched_places
from sac_kafka.settings.files.properties import LostLine, Properties, SystemProperties, decode, load_properties
from sac_kafka.settings.files.source import SPARK_CONFIGURATION, SettingsSource
from sac_kafka.settings.files.unknown_keys import find_lookalike, invisible_in

_OPTIONS = "the options --conf"
_ENABLED = "atlas.spark.enabled"
_PREFIX = "atlas."
_SPARK_PREFIX = "spark.atlas."


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """All keys with their values and origins (`/x/f.properties, line 3`, a key of Spark, or the call of `attach`).

    `found` is the file, None if there is only Spark's configuration or arguments. `source` describes the source for the
    log, `absent` the places without a file. `repeated` holds the values of each key that is set several times with different
    values and is not overridden. `prefixed` are the keys that the file has with the prefix `spark.`, `lost` the lines of the
    file that have no effect.
    """

    values: Mapping[str, str]
    origins: Mapping[str, str]
    found: Found | None
    source: str
    absent: str = ""
    repeated: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    prefixed: tuple[str, ...] = ()
    lost: tuple[LostLine, ...] = ()

    @property
    def places(self) -> SettingsSource:
        """Source of the settings, used as a prefix of messages about them."""
        return SettingsSource(self.source, self.origins, self.absent)


def read_configuration(
    places: Places,
    system_properties: SystemProperties,
    environment: Mapping[str, str] | None = None,
    call: str = "attach",
) -> Configuration:
    """Find and read the configuration; no file is searched for if Spark's configuration sets `atlas.spark.enabled=false`.

    `call` is the function that the arguments were passed to; `environment` is by default that of the process.

    Raises:
        NoConfigurationError: There is neither a file nor a setting.
        ConfigurationError: The file cannot be read or contains no setting.
    """
    origins = {key: f"{SPARK_CONFIGURATION}, spark.{key}" for key in overrides(places.spark_conf)}
    origins |= dict.fromkeys(places.arguments, f"the call of {call}")
    over = {**overrides(places.spark_conf), **places.arguments}
    over = _interpolate(over, origins, system_properties, environment)
    is_off = over.get(_ENABLED, "").strip().lower() == "false"
    found = None if is_off else find(places)
    if found is None:
        if not over:
            raise NoConfigurationError(_nothing(places))
        arguments = f"the arguments of {call}"
        source = f"{arguments if places.arguments else SPARK_CONFIGURATION if places.is_driver else _OPTIONS} (no file)"
        absent = "" if is_off else f"no {places.name} was found in {', '.join(searched_places(places))}"
        return _merge(Properties({}, {}), over, origins, None, source, absent)
    properties = load_properties(found.path, system_properties, environment, found.content)
    configuration = _merge(properties, over, origins, found, f"{found.path} ({found.place})")
    if not any(key.startswith(_PREFIX) for key in configuration.values):
        raise NoSettingsError(
            f"{configuration.source}: no line sets an atlas.… key; {_no_settings_fix(found, configuration, places.needed)}"
        )
    return configuration


def _no_settings_fix(found: Found, configuration: Configuration, needed: Sequence[str]) -> str:
    """Return the fix for a file without any `atlas.` key."""
    values = configuration.values
    unprefixed = next((key for key in ("bootstrap.servers", "kafka.bootstrap.servers") if key in values), None)
    if unprefixed is not None and "atlas" not in values:  # a key `atlas` means that the file is YAML
        return f"{unprefixed}: did you mean atlas.kafka.bootstrap.servers?"
    if (similar := next((key for key in values if find_lookalike(key, ())), None)) is not None:
        return without_effect(similar, find_lookalike(similar, ()) or "")
    if configuration.lost:
        return lost_line(configuration.lost[0])
    content = Path(found.path).read_bytes() if found.content is None else found.content
    if b"\0" in content:
        return "save the file as UTF-8: it contains NUL characters"
    if any(line.lstrip().startswith("#atlas.") for line in decode(content).splitlines()):
        return "remove the # of the lines that you need"
    return f"write KEY=VALUE lines such as {needed[0]} (sac-kafka config --template prints a template)"


def without_effect(key: str, meant: str) -> str:
    r"""Describe a key without effect that resembles a known one.

    >>> without_effect("\ufeffatlas.client.type", "atlas.client.type")
    'atlas.client.type has no effect: an invisible character (U+FEFF) is part of the key; retype the line'
    """
    if hidden := invisible_in(key):
        return f"{meant} has no effect: an invisible character ({hidden}) is part of the key; retype the line"
    return f"{key} has no effect; did you mean {meant}?"


def lost_line(line: LostLine) -> str:
    """Describe a line without effect and its fix."""
    if line.is_unfinished:
        return f"{line.key} has no effect: the last line of the file ends in a backslash; remove it"
    return f"{line.key} has no effect: the line has no = and no value; write {line.key}=VALUE"


def _nothing(places: Places) -> str:
    """Report that no configuration was found, and how to provide one to a job or a command."""
    folder = Path(places.working_directory)
    if not places.is_driver:
        return (
            f"no {places.name} in {folder}: specify it with --conf-dir DIR or --conf-file FILE, or pass settings with "
            f"{' '.join(f'--conf {each}' for each in places.needed)}; sac-kafka config --template prints a file to begin with"
        )
    return (
        f"no {places.name} was found: set spark.atlas.client.type=console or spark.{places.needed[0]} in the Spark session, "
        f"put the file into {folder}, or set ATLAS_CONF to its directory (searched {', '.join(searched_places(places))})"
    )


def _interpolate(
    over: Mapping[str, str],
    origins: Mapping[str, str],
    system_properties: SystemProperties,
    environment: Mapping[str, str] | None,
) -> dict[str, str]:
    """Replace `${env:NAME}` and `${sys:name}` in overrides, because Spark does so only for its own keys."""
    system_property = system_properties if callable(system_properties) else system_properties.get
    variables = os.environ if environment is None else environment

    def lookup(name: str) -> str | None:
        return from_outside(name, system_property, variables)

    places = {key: origin.partition(", ") for key, origin in origins.items()}
    return {key: interpolate_value(text, lookup, places[key][0], places[key][2] or key) for key, text in over.items()}


def _merge(
    properties: Properties,
    over: Mapping[str, str],
    over_origins: Mapping[str, str],
    found: Found | None,
    source: str,
    absent: str = "",
) -> Configuration:
    values, origins = dict(properties.values), dict(properties.origins)
    repeated: dict[str, tuple[str, ...]] = {}
    for key, lines in properties.repeated.items():
        different = tuple(dict.fromkeys(filter(None, map(str.strip, lines))))
        if len(different) > 1:
            repeated[key] = different
        else:
            values[key] = "".join(different)
    prefixed = tuple(
        key for key in values if key.startswith(_SPARK_PREFIX) and key.removeprefix("spark.") not in values
    )
    for key in prefixed:
        plain = key.removeprefix("spark.")
        values[plain], origins[plain] = values[key], origins[key]
        if key in repeated:
            repeated[plain] = repeated[key]
    return Configuration(
        values=SecretMapping({**values, **over}),
        origins={**origins, **over_origins},
        found=found,
        source=source,
        absent=absent,
        repeated={key: lines for key, lines in repeated.items() if key not in over},
        prefixed=prefixed,
        lost=properties.lost,
    )
