"""Type definitions as a model that is asked: whatever a server or a file has given, also what is not whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sac_kafka.atlas.types.definitions import TypeDefinition

_SINGLE = "SINGLE"


@dataclass(frozen=True, slots=True)
class RelationshipEnd:
    """An end that entities refer through: of which relationship, to what, and whether to many.

    `is_owner`: what it refers to lives and dies with these entities' owner, which therefore must be named (R6).
    """

    relationship: str
    target: str
    is_many: bool
    is_owner: bool


class TypeModel:
    """What types are there, and what they have with what they inherit.

    Args:
        definitions: An AtlasTypesDef: kind (entityDefs …) to definitions.
    """

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._types = _named(definitions, "entityDefs")
        self._structs = _named(definitions, "structDefs")
        self._classifications = _named(definitions, "classificationDefs")
        self._enums = {
            name: frozenset(str(each.get("value")) for each in found.get("elementDefs") or ())
            for name, found in _named(definitions, "enumDefs").items()
        }
        self._relationships = tuple(_named(definitions, "relationshipDefs").values())
        self._ancestry: dict[str, frozenset[str]] = {}
        self._attributes: dict[str, Mapping[str, TypeDefinition]] = {}
        self._ends: dict[str, Mapping[str, tuple[RelationshipEnd, ...]]] = {}

    def __len__(self) -> int:
        """How many types of entities there are."""
        return len(self._types)

    def has(self, type_name: str) -> bool:
        """Whether there is such a type of entities."""
        return type_name in self._types

    def has_classification(self, name: str) -> bool:
        """Whether there is such a classification."""
        return name in self._classifications

    def enum(self, name: str) -> frozenset[str] | None:
        """Give the values of an enumeration, None if it is none."""
        return self._enums.get(name)

    def struct(self, name: str) -> Mapping[str, TypeDefinition] | None:
        """Give the attributes of a struct by name, None if it is none."""
        found = self._structs.get(name)
        return None if found is None else _attributes(found)

    def is_a(self, type_name: str, super_type: str) -> bool:
        """Whether entities of the type are of the supertype, too."""
        return super_type in self.ancestry(type_name)

    def ancestry(self, type_name: str) -> frozenset[str]:
        """Give the type and all that it inherits from, those that are not defined too."""
        if type_name not in self._ancestry:
            found: dict[str, None] = {type_name: None}
            left = [type_name]
            while left:
                for each in self._types.get(left.pop(), {}).get("superTypes") or ():
                    if each not in found:
                        found[each] = None
                        left.append(each)
            self._ancestry[type_name] = frozenset(found)
        return self._ancestry[type_name]

    def attributes(self, type_name: str) -> Mapping[str, TypeDefinition]:
        """Give all attributes of a type by name, inherited ones too, without those that are ends of relationships."""
        if type_name not in self._attributes:
            ends = self.ends(type_name)
            found = {
                name: attribute
                for each in self.ancestry(type_name)
                for name, attribute in _attributes(self._types.get(each, {})).items()
                if name not in ends
            }
            self._attributes[type_name] = found
        return self._attributes[type_name]

    def ends(self, type_name: str) -> Mapping[str, tuple[RelationshipEnd, ...]]:
        """Give the ends of relationships that entities of the type have, by attribute: several may share one."""
        if type_name not in self._ends:
            types = self.ancestry(type_name)
            found: dict[str, tuple[RelationshipEnd, ...]] = {}
            for relationship in self._relationships:
                one, two = relationship.get("endDef1") or {}, relationship.get("endDef2") or {}
                is_composition = relationship.get("relationshipCategory") == "COMPOSITION"
                for near, far in ((one, two), (two, one)):
                    if near.get("type") in types and near.get("name"):
                        end = RelationshipEnd(
                            str(relationship["name"]),
                            str(far.get("type")),
                            near.get("cardinality") != _SINGLE,
                            is_composition and bool(far.get("isContainer")),
                        )
                        found[near["name"]] = (*found.get(near["name"], ()), end)
            self._ends[type_name] = found
        return self._ends[type_name]

    def unique(self, type_name: str) -> frozenset[str]:
        """Give the attributes by one of which an entity of the type can be named."""
        return frozenset(name for name, each in self.attributes(type_name).items() if each.get("isUnique"))


def _named(definitions: Mapping[str, Any], kind: str) -> dict[str, TypeDefinition]:
    return dict(_each(definitions.get(kind)))


def _attributes(definition: TypeDefinition) -> dict[str, TypeDefinition]:
    return dict(_each(definition.get("attributeDefs")))


def _each(definitions: object) -> Iterator[tuple[str, TypeDefinition]]:
    for each in definitions if isinstance(definitions, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield each["name"], each
