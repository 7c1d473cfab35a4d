"""Define rules: the datasets that a rule matches, and the names of their assets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.dataset_fields import DatasetFields, DatasetKind, one_scheme
from sac_kafka.purview.mapping.globs import OURS, flat, in_parts, is_plain, words
from sac_kafka.purview.mapping.templates import Template


class Treatment(str, Enum):
    """Treatment of a location, set by the user."""

    RESOURCE_SET = "resource-set"
    FOLDER = "folder"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A field must match one of the globs; `plain` are the globs if none of them has stars."""

    name: str
    globs: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...] = field(compare=False, repr=False)
    plain: frozenset[str] | None = field(compare=False, repr=False)

    @property
    def given(self) -> tuple[str, ...]:
        """The words that it gives to parts of a value."""
        return words(self.globs[0])

    def match(self, value: str) -> Mapping[str, str] | None:
        """Return the words that the first matching glob assigns to parts of the value; None if none matches."""
        text = f"{value}/" if self.name == "path" and value else value
        for pattern in self.patterns:
            if found := pattern.fullmatch(text):
                groups = found.groupdict("").items()
                return {word: part.removesuffix("/") for word, part in groups if not word.startswith(OURS)}
        return None


def criterion(name: str, *globs: str) -> Criterion:
    """Return a criterion: paths are compared part by part and case-sensitively, all else case-insensitively."""
    compiled = in_parts if name == "path" else flat
    asked = tuple(one_scheme(each) if name == "scheme" and is_plain(each) else each for each in globs)
    compared = asked if name == "path" else tuple(each.lower() for each in asked)
    plain = frozenset(compared) if all(map(is_plain, asked)) else None
    return Criterion(name, globs, tuple(map(compiled, asked)), plain)


class NamingRule(Protocol):
    """Interface of the rules of all formats."""

    @property
    def description(self) -> str:
        """The rule in a few words, with its place."""

    @property
    def type_name(self) -> str:
        """Type of the assets that the rule names."""

    def asset(self, fields: DatasetFields, driver_values: Mapping[str, str]) -> Asset | None:
        """Return the asset of a dataset; None if the rule does not match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRule:
    """A rule of our own format.

    Args:
        place: Where it stands: `mapping.toml, line 3`.
        kinds: The kinds of dataset that have all that it names.
        criteria: What has to hold, all of them.
        type_name: The type of the asset.
        qualified_name: What it is called.
        name: What a person calls it.
        title: What the user calls the rule.
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
        """The rule in a few words, with its place."""
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
        qualified_name, name = self.qualified_name.filled(values), self.name.filled(values)
        if qualified_name is None or name is None:
            return None
        return Asset(type_name=self.type_name, qualified_name=qualified_name, name=name, rule=self.description)


def whole_schemes(rule: NamingRule) -> frozenset[str]:
    """Return the schemes that a rule is about as a whole; none where it asks for anything else."""
    if not isinstance(rule, MappingRule) or [each.name for each in rule.criteria] != ["scheme"]:
        return frozenset()
    return rule.criteria[0].plain or frozenset()


@dataclass(frozen=True, slots=True)
class LocationRule:
    """Treatment of locations by the user: `glob` is a URI, with stars in its host and path."""

    glob: str
    treatment: Treatment
    place: str
    criteria: tuple[Criterion, ...] = field(compare=False, repr=False)

    def holds(self, fields: DatasetFields) -> bool:
        """Return True if the rule matches a path."""
        return all(each.match(fields.values.get(each.name, "")) is not None for each in self.criteria)


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRules:
    """The rules of a file, in its order.

    `warnings` are sentences about those that are hardly meant; so many are `left_out` because the hook needs none for them.
    """

    rules: tuple[NamingRule, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    locations: tuple[LocationRule, ...] = ()
    place: str = ""
    warnings: tuple[str, ...] = ()
    left_out: int = 0
