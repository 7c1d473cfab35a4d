"""Query type definitions from a server or a file; incomplete definitions are tolerated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sac_kafka.atlas.types.definitions import TypeDefinition
from sac_kafka.atlas.types.inheritance import SINGLE, ancestry_of, ends_of
from sac_kafka.catalog.json_values import objects_in


@dataclass(frozen=True, slots=True)
class RelationshipEnd:
    """End of a relationship: its relationship, target type and cardinality.

    `is_owner`: The end refers to the owner of these entities, which must be present (R6).
    """

    relationship: str
    target: str
    is_many: bool
    is_owner: bool


class TypeModel:
    """Types with their own and inherited attributes and relationships.

    `definitions` is an AtlasTypesDef: kind (entityDefs …) to definitions.
    """

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._types = _by_name(definitions, "entityDefs")
        self._structs = _by_name(definitions, "structDefs")
        self._classifications = _by_name(definitions, "classificationDefs")
        self._enums = {
            name: frozenset(str(each.get("value")) for each in found.get("elementDefs") or ())
            for name, found in _by_name(definitions, "enumDefs").items()
        }
        self._relationships = tuple(_by_name(definitions, "relationshipDefs").values())
        self._ancestry: dict[str, frozenset[str]] = {}
        self._attributes: dict[str, Mapping[str, TypeDefinition]] = {}
        self._ends: dict[str, Mapping[str, tuple[RelationshipEnd, ...]]] = {}

    def __len__(self) -> int:
        """Return the number of entity types."""
        return len(self._types)

    def has(self, type_name: str) -> bool:
        """Return True if the entity type exists."""
        return type_name in self._types

    def has_classification(self, name: str) -> bool:
        """Return True if the classification exists."""
        return name in self._classifications

    def enum(self, name: str) -> frozenset[str] | None:
        """Return the values of an enumeration, or None if the type is not one."""
        return self._enums.get(name)

    def struct(self, name: str) -> Mapping[str, TypeDefinition] | None:
        """Return the attributes of a struct by name, or None if the type is not one."""
        found = self._structs.get(name)
        return None if found is None else _attributes(found)

    def is_a(self, type_name: str, super_type: str) -> bool:
        """Return True if the type is, or inherits from, the supertype."""
        return super_type in self.ancestry(type_name)

    def ancestry(self, type_name: str) -> frozenset[str]:
        """Return the type and all its supertypes, including undefined ones."""
        if type_name not in self._ancestry:
            found = ancestry_of(type_name, lambda each: self._types.get(each, {}).get("superTypes") or ())
            self._ancestry[type_name] = frozenset(found)
        return self._ancestry[type_name]

    def attributes(self, type_name: str) -> Mapping[str, TypeDefinition]:
        """Return the own and inherited attributes of a type by name, without relationship ends."""
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
        """Return the relationship ends of a type by attribute; several ends may share an attribute."""
        if type_name not in self._ends:
            found = ends_of(self.ancestry(type_name), self._relationships)
            self._ends[type_name] = {name: tuple(_end(*side) for side in sides) for name, sides in found.items()}
        return self._ends[type_name]

    def unique(self, type_name: str) -> frozenset[str]:
        """Return the unique attributes of a type."""
        return frozenset(name for name, each in self.attributes(type_name).items() if each.get("isUnique"))


def _end(relationship: TypeDefinition, near: TypeDefinition, far: TypeDefinition) -> RelationshipEnd:
    is_composition = relationship.get("relationshipCategory") == "COMPOSITION"
    return RelationshipEnd(
        str(relationship["name"]),
        str(far.get("type")),
        near.get("cardinality") != SINGLE,
        is_composition and bool(far.get("isContainer")),
    )


def _by_name(definitions: Mapping[str, Any], kind: str) -> dict[str, TypeDefinition]:
    found = objects_in(definitions.get(kind))
    return {each["name"]: each for each in found if isinstance(each.get("name"), str)}


def _attributes(definition: TypeDefinition) -> dict[str, TypeDefinition]:
    return _by_name(definition, "attributeDefs")
