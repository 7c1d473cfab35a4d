"""Prefix messages about settings with their source: the file and line, or the key in Spark's configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from sac_kafka.errors import ConfigurationError, sentences_of

_KEY = re.compile(r"(?<![\w.-])(?:atlas|hadoop\.security|cert\.stores)\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,20}")
_NOT_SET = " is not set"
SPARK_CONFIGURATION = "the Spark configuration"
"""Beginning of the origin of a key that is set in Spark's configuration."""


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """Source of settings: a description (`text`) and the `origins` of single keys (`/x/f.properties, line 3`).

    `absent` describes the places without a file, "" if a file was found. `properties` and `repeated` (the values of each key that
    is set several times) are kept if there are further destinations, which override them. `destination` is the name of the
    further destination that the settings are of: messages then name its keys.
    """

    text: str = ""
    origins: Mapping[str, str] = field(default_factory=dict)
    absent: str = ""
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    repeated: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    destination: str = ""

    def add_place(self, sentence: str) -> str:
        """Prefix a sentence with the origin of the first setting in it that is set, else with the source.

        >>> source = SettingsSource("/x/f", {"atlas.kafka.acks": "/x/f, line 3"})
        >>> source.add_place("atlas.kafka.acks = 7: must be one of all, -1, 0, 1")
        '/x/f, line 3: atlas.kafka.acks = 7: must be one of all, -1, 0, 1'
        >>> source.add_place("atlas.rest.address is not set; set it to the address of Atlas")
        '/x/f: atlas.rest.address is not set; set it to the address of Atlas'
        """
        keys = _KEY.findall(sentence)
        place = next((found for key in keys if (found := self._origin(key))), self.text if keys else "")
        if not place or sentence.startswith(place) or (self.text and sentence.startswith(self.text)):
            return self.name_keys(sentence)
        missing = self.absent and keys and sentence.startswith(keys[0] + _NOT_SET)
        return self.name_keys(f"{place}: {sentence}{f'; {self.absent}' if missing else ''}")

    def name_keys(self, text: str) -> str:
        """Return a text about a further destination with its own keys, where it has not both already.

        >>> SettingsSource("/x/f", destination="copy").name_keys("atlas.rest.address is not set")
        'atlas.also.copy.rest.address is not set'
        """
        if not self.destination:
            return text
        from sac_kafka.settings.destinations import is_own_key, own_key

        def name(match: re.Match[str]) -> str:
            key = own_key(self.destination, match[0])
            return key if is_own_key(match[0]) and key not in text else match[0]

        return _KEY.sub(name, text)

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Prefix the messages of ConfigurationErrors raised in this context, as `add_place` does."""
        try:
            yield
        except ConfigurationError as error:
            placed = tuple(map(self.add_place, sentences_of(error)))
            if placed == sentences_of(error):
                raise
            raise type(error)(*placed) from None

    def is_override(self, key: str) -> bool:
        """Return whether a key is set in Spark's configuration, or with `--conf` of a command, and not in a file."""
        return self.origins.get(key, "").startswith(SPARK_CONFIGURATION)

    def _origin(self, key: str) -> str | None:
        """Return the origin of a key, or of the first key of a section."""
        if self.destination:
            key = key.replace(f"atlas.also.{self.destination}.", "atlas.", 1)
        if key in self.origins:
            return self.origins[key]
        return next((place for each, place in self.origins.items() if each.startswith(f"{key}.")), None)
