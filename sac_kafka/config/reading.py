"""The configuration as it is in force: the file that was found, what it includes; over it Spark's, then `attach`'s."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sac_kafka.config.finding import Found, Places, find, looked_in, overrides
from sac_kafka.config.interpolation import from_outside, interpolated
from sac_kafka.config.properties import LostLine, Properties, SystemProperties, decoded, load_properties
from sac_kafka.config.secrets import SecretMapping
from sac_kafka.config.source import SettingsSource
from sac_kafka.config.unknown_keys import disguised, invisible_in
from sac_kafka.errors import NoConfigurationError, NoSettingsError

_SPARK = "the Spark configuration"
_OPTIONS = "the options --conf"
_CALL = "the call of attach"
_SETTINGS_OF_CALL = "the settings of the call"
_ENABLED = "atlas.spark.enabled"
_OURS = "atlas."
_OF_SPARK = "spark.atlas."


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """All keys with their values, and where each was set (`/x/f.properties, line 3`, the key of Spark, or the call).

    `found` is the file, None where only Spark's configuration says something; `source` says so in words, for the log,
    and `absent` where none was found. `repeated` has what each line says of a key that is set several times with
    different values, without what Spark overrides. `prefixed` are keys that the file has with `spark.` before them, `lost`
    lines of it that set nothing.
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
        """Where the settings come from, to be put before what is said of them."""
        return SettingsSource(self.source, self.origins, self.absent)


def read_configuration(
    places: Places, system_properties: SystemProperties, environment: Mapping[str, str] | None = None
) -> Configuration:
    """Find and read the configuration; what `atlas.spark.enabled = false` switches off by Spark is not even looked for.

    Args:
        places: Where a file may lie.
        system_properties: What `${sys:name}` stands for.
        environment: What `${env:NAME}` stands for; by default the process environment.

    Raises:
        NoConfigurationError: There is nothing anywhere.
        ConfigurationError: What was found cannot be read or holds no setting.
    """
    origins = {key: f"{_SPARK}, spark.{key}" for key in overrides(places.spark_conf)}
    origins |= dict.fromkeys(places.arguments, _CALL)
    over = {**overrides(places.spark_conf), **places.arguments}
    over = _interpolated(over, origins, system_properties, environment)
    is_off = over.get(_ENABLED, "").strip().lower() == "false"
    found = None if is_off else find(places)
    if found is None:
        if not over:
            raise NoConfigurationError(_nothing(places))
        source = f"{_SETTINGS_OF_CALL if places.arguments else _SPARK if places.is_driver else _OPTIONS} (no file)"
        absent = "" if is_off else f"no {places.name} was found in {', '.join(looked_in(places))}"
        return _merged(Properties({}, {}), over, origins, None, source, absent)
    properties = load_properties(found.path, system_properties, environment, found.content)
    configuration = _merged(properties, over, origins, found, f"{found.path} ({found.place})")
    if not any(key.startswith(_OURS) for key in configuration.values):
        raise NoSettingsError(
            f"{configuration.source}: no line sets an atlas.… key; {_to_write(found, configuration, places.needed)}"
        )
    return configuration


def _to_write(found: Found, configuration: Configuration, needed: Sequence[str]) -> str:
    """Return the cure of a file that sets nothing of ours."""
    values = configuration.values
    bare = next((key for key in ("bootstrap.servers", "kafka.bootstrap.servers") if key in values), None)
    if bare is not None and "atlas" not in values:  # which is YAML
        return f"{bare}: did you mean atlas.kafka.bootstrap.servers?"
    if (almost := next((key for key in values if disguised(key, ())), None)) is not None:
        return without_effect(almost, disguised(almost, ()) or "")
    if configuration.lost:
        return lost_line(configuration.lost[0])
    content = Path(found.path).read_bytes() if found.content is None else found.content
    if any(line.lstrip().startswith("#atlas.") for line in decoded(content).splitlines()):
        return "remove the # of the lines that you need"
    return f"write KEY=VALUE lines such as {needed[0]} (sac-kafka config --template prints a start)"


def without_effect(key: str, meant: str) -> str:
    r"""Return what is said of a key that looks like another one.

    >>> without_effect("\ufeffatlas.client.type", "atlas.client.type")
    'atlas.client.type has no effect: an invisible character (U+FEFF) is part of the key; type the line anew'
    """
    if hidden := invisible_in(key):
        return f"{meant} has no effect: an invisible character ({hidden}) is part of the key; type the line anew"
    return f"{key} has no effect; did you mean {meant}?"


def lost_line(line: LostLine) -> str:
    """Return what is said of a line that sets nothing."""
    if line.is_unfinished:
        return f"{line.key} has no effect: the last line of the file ends in a backslash; remove it"
    return f"{line.key} has no effect: the line has no = and no value; write {line.key}=VALUE"


def _nothing(places: Places) -> str:
    """Say that there is no configuration, and how one is given: to a job, or to a command."""
    folder = Path(places.working_directory)
    if not places.is_driver:
        return (
            f"there is no {places.name} in {folder}: name it by --conf-dir DIR or --file FILE, or give settings as "
            f"{' '.join(f'--conf {each}' for each in places.needed)}"
        )
    return (
        f"no {places.name} was found: set spark.atlas.client.type=console or spark.{places.needed[0]} in the Spark session, "
        f"put the file into {folder}, or name its directory by ATLAS_CONF (looked in {', '.join(looked_in(places))})"
    )


def _interpolated(
    over: Mapping[str, str],
    origins: Mapping[str, str],
    system_properties: SystemProperties,
    environment: Mapping[str, str] | None,
) -> dict[str, str]:
    """Replace `${env:NAME}` and `${sys:name}` in overrides: Spark itself does so for its own keys only."""
    asked = system_properties if callable(system_properties) else system_properties.get
    around = os.environ if environment is None else environment

    def lookup(name: str) -> str | None:
        return from_outside(name, asked, around)

    places = {key: origin.partition(", ") for key, origin in origins.items()}
    return {key: interpolated(text, lookup, places[key][0], places[key][2] or key) for key, text in over.items()}


def _merged(
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
    prefixed = tuple(key for key in values if key.startswith(_OF_SPARK) and key.removeprefix("spark.") not in values)
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
