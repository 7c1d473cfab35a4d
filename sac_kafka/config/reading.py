"""The configuration as it is in force: the file that was found, what it includes, and Spark's overrides on top."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.config.finding import Found, Places, find, overrides, searched
from sac_kafka.config.interpolation import from_outside, interpolated
from sac_kafka.config.properties import Properties, SystemProperties, load_properties
from sac_kafka.config.secrets import SecretMapping
from sac_kafka.errors import ConfigurationError

_SPARK = "the Spark configuration"
_ENABLED = "atlas.spark.enabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """All keys with their values, and where each was set (`/x/f.properties, line 3`, or the key of Spark).

    `found` is the file, None where only Spark's configuration says something; `source` says so in words, for the log.
    `firsts` is that of `Properties`, without what Spark overrides.
    """

    values: Mapping[str, str]
    origins: Mapping[str, str]
    found: Found | None
    source: str
    firsts: Mapping[str, str] = field(default_factory=SecretMapping)


def read_configuration(
    places: Places, system_properties: SystemProperties, environment: Mapping[str, str] | None = None
) -> Configuration:
    """Find and read the configuration; what `atlas.spark.enabled = false` switches off by Spark is not even looked for.

    Args:
        places: Where a file may lie.
        system_properties: What `${sys:name}` stands for.
        environment: What `${env:NAME}` stands for; by default the process environment.

    Raises:
        ConfigurationError: There is nothing anywhere, or what was found cannot be read.
    """
    over = _interpolated(overrides(places.spark_conf), system_properties, environment)
    is_off = over.get(_ENABLED, "").strip().lower() == "false"
    found = None if is_off else find(places)
    if found is None:
        looked = "; ".join(searched(places))
        if not over:
            raise ConfigurationError(
                f"no {places.name} was found: set the driver's system property atlas.conf to its directory "
                "(--driver-java-options -Datlas.conf=DIR), put it into the working directory, or ship it with --files; "
                f"looked at: {looked}"
            )
        source = _SPARK if is_off else f"{_SPARK} (no {places.name} was found in {looked})"
        return _merged(Properties({}, {}), over, None, source)
    properties = load_properties(found.path, system_properties, environment, found.content)
    return _merged(properties, over, found, f"{found.path} ({found.place})")


def _interpolated(
    over: Mapping[str, str], system_properties: SystemProperties, environment: Mapping[str, str] | None
) -> dict[str, str]:
    """Replace `${env:NAME}` and `${sys:name}` in overrides: Spark itself does so for its own keys only."""
    asked = system_properties if callable(system_properties) else system_properties.get
    around = os.environ if environment is None else environment

    def lookup(name: str) -> str | None:
        return from_outside(name, asked, around)

    return {key: interpolated(text, lookup, _SPARK, f"spark.{key}") for key, text in over.items()}


def _merged(properties: Properties, over: Mapping[str, str], found: Found | None, source: str) -> Configuration:
    return Configuration(
        values=SecretMapping({**properties.values, **over}),
        origins={**properties.origins, **{key: f"{_SPARK}, spark.{key}" for key in over}},
        found=found,
        source=source,
        firsts=SecretMapping({key: text for key, text in properties.firsts.items() if key not in over}),
    )
