"""Rules as values: what a rule is about, and what the assets are called that it is about."""

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
    """What a location is, where the user says it."""

    RESOURCE_SET = "resource-set"
    FOLDER = "folder"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Criterion:
    """What something of a dataset has to be: what one of the globs stands for; `plain` are these, where all are without stars."""

    name: str
    globs: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...] = field(compare=False, repr=False)
    plain: frozenset[str] | None = field(compare=False, repr=False)

    @property
    def given(self) -> tuple[str, ...]:
        """The words that it gives to parts of a value."""
        return words(self.globs[0])

    def match(self, value: str) -> Mapping[str, str] | None:
        """The words that the first glob that holds gives to parts of the value; None where none holds."""
        text = f"{value}/" if self.name == "path" and value else value
        for pattern in self.patterns:
            if found := pattern.fullmatch(text):
                groups = found.groupdict("").items()
                return {word: part.removesuffix("/") for word, part in groups if not word.startswith(OURS)}
        return None


def criterion(name: str, *globs: str) -> Criterion:
    """Make a criterion: paths are compared part by part and letter by letter, all else without the case of letters."""
    compiled = in_parts if name == "path" else flat
    asked = tuple(one_scheme(each) if name == "scheme" and is_plain(each) else each for each in globs)
    compared = asked if name == "path" else tuple(each.lower() for each in asked)
    plain = frozenset(compared) if all(map(is_plain, asked)) else None
    return Criterion(name, globs, tuple(map(compiled, asked)), plain)


class NamingRule(Protocol):
    """What rules of all formats can do."""

    @property
    def told(self) -> str:
        """The rule in a few words, with its place."""

    @property
    def type_name(self) -> str:
        """The type of the assets that it names."""

    def asset(self, fields: DatasetFields, driver_values: Mapping[str, str]) -> Asset | None:
        """The asset that a dataset is by this rule, None where it is not about it."""


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
    def told(self) -> str:
        """The rule in a few words, with its place."""
        return f"{self.title} ({self.place})" if self.title else self.place

    def asset(self, fields: DatasetFields, driver_values: Mapping[str, str]) -> Asset | None:
        """The asset that a dataset is by this rule, None where it is not about it, or a field of its templates is missing."""
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
        return Asset(type_name=self.type_name, qualified_name=qualified_name, name=name, rule=self.told)


def whole_schemes(rule: NamingRule) -> frozenset[str]:
    """Return the schemes that a rule is about as a whole; none where it asks for anything else."""
    if not isinstance(rule, MappingRule) or [each.name for each in rule.criteria] != ["scheme"]:
        return frozenset()
    return rule.criteria[0].plain or frozenset()


@dataclass(frozen=True, slots=True)
class LocationRule:
    """What the user says of locations: `glob` is a URI, with stars in its host and path."""

    glob: str
    treatment: Treatment
    place: str
    criteria: tuple[Criterion, ...] = field(compare=False, repr=False)

    def holds(self, fields: DatasetFields) -> bool:
        """Whether it is about a path."""
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
