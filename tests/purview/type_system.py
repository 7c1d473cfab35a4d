"""What types have with what they inherit, by Atlas' rules, over whatever definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Definition = Mapping[str, Any]


@dataclass(frozen=True)
class End:
    """An end of a relationship as an attribute: of which type, to which, whether it must be there, whether it is many."""

    relationship: str
    far: str
    is_mandatory: bool
    is_many: bool


@dataclass(frozen=True)
class TypeSystem:
    """Types by name."""

    types_def: Mapping[str, list[dict[str, Any]]]

    @cached_property
    def entities(self) -> Mapping[str, Definition]:
        return {each["name"]: each for each in self.types_def["entityDefs"]}

    @cached_property
    def relationships(self) -> Mapping[str, Definition]:
        return {each["name"]: each for each in self.types_def["relationshipDefs"]}

    def ancestry(self, name: str) -> tuple[str, ...]:
        """The type and all its supertypes, each once, itself first."""
        found = {name: None}
        for super_type in self.entities[name]["superTypes"]:
            found.update(dict.fromkeys(self.ancestry(super_type)))
        return tuple(found)

    def is_a(self, name: str, super_type: str) -> bool:
        return name in self.entities and super_type in self.ancestry(name)

    def attributes(self, name: str) -> dict[str, Definition]:
        return {each["name"]: each for of in self.ancestry(name) for each in self.entities[of]["attributeDefs"]}

    def ends(self, name: str) -> dict[str, list[End]]:
        """By attribute: the ends that a type has, inherited ones included."""
        types, found = self.ancestry(name), {}
        for each in self.relationships.values():
            one, two = each["endDef1"], each["endDef2"]
            for near, far in ((one, two), (two, one)):
                if near["type"] in types:
                    is_owned = each["relationshipCategory"] == "COMPOSITION" and far.get("isContainer", False)
                    end = End(each["name"], far["type"], is_owned, near.get("cardinality") != "SINGLE")
                    found.setdefault(near["name"], []).append(end)
        return found
