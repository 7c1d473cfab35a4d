"""Define rules: the datasets that a rule matches, and the names of their assets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from sac_kafka.globs import INTERNAL_PREFIX, flat, in_parts
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.dataset_fields import DatasetFields, DatasetKind, canonical_scheme
from sac_kafka.purview.mapping.globs import is_plain, words
from sac_kafka.purview.mapping.templates import Template


class Treatment(str, Enum):
    """Treatment of a location, set by the user."""

    RESOURCE_SET = "resource-set"
    FOLDER = "folder"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Criterion:
    """Condition that a field matches one of the globs; `plain` are the globs if none has wildcards, else None."""

    name: str
    globs: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...] = field(compare=False, repr=False)
    plain: frozenset[str] | None = field(compare=False, repr=False)

    @property
    def captures(self) -> tuple[str, ...]:
        """Words captured by the globs."""
        return words(self.globs[0])

    def match(self, value: str) -> Mapping[str, str] | None:
        """Return the captures of the first matching glob by word; None if no glob matches the value."""
        text = f"{value}/" if self.name == "path" and value else value
        for pattern in self.patterns:
            if found := pattern.fullmatch(text):
                groups = found.groupdict("").items()
                return {word: part.removesuffix("/") for word, part in groups if not word.startswith(INTERNAL_PREFIX)}
        return None


def criterion(name: str, *globs: str) -> Criterion:
    """Return a criterion: paths are compared part by part and case-sensitively, all else case-insensitively."""
    canonical = tuple(canonical_scheme(glob) if name == "scheme" and is_plain(glob) else glob for glob in globs)
    compared = canonical if name == "path" else tuple(value.lower() for value in canonical)
    plain = frozenset(compared) if all(map(is_plain, canonical)) else None
    if name == "path":
        patterns = tuple(in_parts([*filter(None, value.split("/"))], "/") for value in canonical)
    else:
        patterns = tuple(flat(value, ignores_case=True) for value in canonical)
    return Criterion(name, globs, patterns, plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRule:
    """A rule of a file: its `criteria` must all match, and `qualified_name` and `name` are templates of the names of the asset.

    `place` is the place of the rule (`mapping.toml, line 3`), `kinds` are the kinds of dataset that have all required fields, and
    `title` is optional, given by the user.
    """

    place: str
    kinds: frozenset[DatasetKind]
    criteria: tuple[Criterion, ...]
    type_name: str
    qualified_name: Template
    name: Template
    title: str = ""

    @property
    def description(self) -> str:
        """Title of the rule, with its place."""
        return f"{self.title} ({self.place})" if self.title else self.place

    def asset(self, fields: DatasetFields, driver_values: Mapping[str, str]) -> Asset | None:
        """Return the asset of a dataset; None if the rule does not match or a field of its templates is missing."""
        if fields.kind not in self.kinds:
            return None
        values = {**driver_values, **fields.values}
        for each in self.criteria:
            value = fields.values.get(each.name)
            found = each.match(value) if value is not None else None
            if found is None:
                return None
            values.update(found)
        qualified_name, name = self.qualified_name.fill(values), self.name.fill(values)
        if qualified_name is None or name is None:
            return None
        return Asset(type_name=self.type_name, qualified_name=qualified_name, name=name, rule=self.description)


def whole_schemes(rule: MappingRule) -> frozenset[str]:
    """Return the schemes that a rule covers entirely; empty if it has any other condition."""
    if [each.name for each in rule.criteria] != ["scheme"]:
        return frozenset()
    return rule.criteria[0].plain or frozenset()


@dataclass(frozen=True, slots=True)
class LocationRule:
    """Treatment of locations set by the user; `glob` is a URI with wildcards in host and path."""

    glob: str
    treatment: Treatment
    place: str
    criteria: tuple[Criterion, ...] = field(compare=False, repr=False)

    @property
    def is_exact(self) -> bool:
        """True if the last segment of the glob has no star."""
        return "*" not in self.glob.rpartition("/")[2]

    def holds(self, fields: DatasetFields) -> bool:
        """Return True if the rule matches a path."""
        return all(each.match(fields.values.get(each.name, "")) is not None for each in self.criteria)


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRules:
    """Rules of a file, in its order: of names, of mount points of DBFS with their targets, and of the treatment of locations.

    `place` is the name of the file, `warnings` are sentences about rules that are probably mistakes, `ignored` is the number of
    ignored mappings that the accelerator ships, as the hook has equivalent rules.
    """

    rules: tuple[MappingRule, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    locations: tuple[LocationRule, ...] = ()
    place: str = ""
    warnings: tuple[str, ...] = ()
    ignored: int = 0
