"""Compare our type definitions with those of a server. Pure: two AtlasTypesDef in, differences out.

Types, attributes, descriptions and search weights that only the server has are not differences.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sac_kafka.atlas.types.definitions import KINDS, TypeDefinition

TypesDef = Mapping[str, list[dict[str, Any]]]


class Fix(Enum):
    """Action that removes a difference: create a type, update a type, or none by this tool."""

    CREATE = "create"
    UPDATE = "update"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of a type: its place in the type ("" for the whole type) and a description."""

    kind: str
    type_name: str
    place: str
    text: str
    fix: Fix

    def __str__(self) -> str:
        return f"{self.type_name}{f'.{self.place}' if self.place else ''}: {self.text}"


# Only properties that affect validation and lookup are compared.
_ATTRIBUTE_DEFAULTS: Mapping[str, Any] = {
    "typeName": None,
    "cardinality": "SINGLE",
    "isOptional": False,
    "isUnique": False,
    "isIndexable": False,
}
_END_DEFAULTS: Mapping[str, Any] = {"type": None, "name": None, "cardinality": "SINGLE", "isContainer": False}


def differences(ours: TypesDef, theirs: TypesDef) -> tuple[Difference, ...]:
    """Return what the server's types lack or define differently, in the order of our types."""
    found: list[Difference] = []
    for kind in KINDS:
        there = {each["name"]: each for each in theirs.get(kind) or ()}
        for definition in ours.get(kind) or ():
            name = definition["name"]
            if name in there:
                found += _of_type(kind, definition, there[name])
            else:
                found.append(Difference(kind, name, "", "missing", Fix.CREATE))
    return tuple(found)


def missing(ours: TypesDef, found: tuple[Difference, ...]) -> dict[str, list[dict[str, Any]]]:
    """Return the definitions to create on the server."""
    wanted = {(each.kind, each.type_name) for each in found if each.fix is Fix.CREATE}
    return {kind: [each for each in ours.get(kind) or () if (kind, each["name"]) in wanted] for kind in KINDS}


def update_definitions(
    ours: TypesDef, theirs: TypesDef, found: tuple[Difference, ...]
) -> dict[str, list[dict[str, Any]]]:
    """Return the server's definitions extended by missing attributes and elements; nothing of theirs is removed."""
    wanted: dict[tuple[str, str], set[str]] = {}
    for each in found:
        if each.fix is Fix.UPDATE:
            wanted.setdefault((each.kind, each.type_name), set()).add(each.place)
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for (kind, name), places in wanted.items():
        key, name_of = ("elementDefs", "value") if kind == "enumDefs" else ("attributeDefs", "name")
        new, old = (next(each for each in types[kind] if each["name"] == name) for types in (ours, theirs))
        changed = copy.deepcopy(old)
        parts = [*(changed.get(key) or ()), *(each for each in new[key] if each[name_of] in places)]
        result[kind].append({**changed, key: _renumber(parts) if kind == "enumDefs" else parts})
    return result


def _renumber(elements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Renumber elements so that their ordinals are unique; later elements change."""
    taken: set[int] = set()
    result = []
    for element in elements:
        number = element["ordinal"] if element["ordinal"] not in taken else max(taken) + 1
        taken.add(number)
        result.append({**element, "ordinal": number})
    return result


def _of_type(kind: str, ours: TypeDefinition, theirs: TypeDefinition) -> Iterator[Difference]:
    name = ours["name"]
    if kind == "enumDefs":
        there = {each["value"] for each in theirs.get("elementDefs") or ()}
        for element in ours["elementDefs"]:
            if element["value"] not in there:
                yield Difference(kind, name, element["value"], "missing element", Fix.UPDATE)
        return
    if kind == "relationshipDefs":
        yield from _of_relationship(ours, theirs)
    for super_type in ours.get("superTypes") or ():
        if super_type not in (theirs.get("superTypes") or ()):
            yield Difference(kind, name, "", f"does not inherit from {super_type}", Fix.NONE)
    attributes = {each["name"]: each for each in theirs.get("attributeDefs") or ()}
    for attribute in ours.get("attributeDefs") or ():
        yield from _of_attribute(kind, name, attribute, attributes.get(attribute["name"]))


def _of_attribute(
    kind: str, type_name: str, ours: TypeDefinition, theirs: TypeDefinition | None
) -> Iterator[Difference]:
    name = ours["name"]
    if theirs is None:
        # Atlas does not add mandatory attributes to a type, because existing entities would lack them.
        fix = Fix.UPDATE if ours.get("isOptional") else Fix.NONE
        yield Difference(kind, type_name, name, "missing attribute", fix)
        return
    for key, default in _ATTRIBUTE_DEFAULTS.items():
        wanted, there = ours.get(key, default), theirs.get(key, default)
        if wanted != there:
            yield Difference(kind, type_name, name, f"{key} is {there}, not {wanted}", Fix.NONE)


def _of_relationship(ours: TypeDefinition, theirs: TypeDefinition) -> Iterator[Difference]:
    kind, name = "relationshipDefs", ours["name"]
    if (wanted := ours["relationshipCategory"]) != (there := theirs.get("relationshipCategory")):
        yield Difference(kind, name, "", f"relationshipCategory is {there}, not {wanted}", Fix.NONE)
    for end in ("endDef1", "endDef2"):
        for key, default in _END_DEFAULTS.items():
            wanted, there = ours[end].get(key, default), (theirs.get(end) or {}).get(key, default)
            if wanted != there:
                yield Difference(kind, name, end, f"{key} is {there}, not {wanted}", Fix.NONE)
