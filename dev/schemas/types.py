"""Demands of a server on entities of a type: attributes, owners, types that may stand for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from sac_kafka.atlas.types.definitions import TypeDefinition, by_name
from sac_kafka.atlas.types.inheritance import ancestry, ends


def is_a(name: str, super_type: str) -> bool:
    """Return whether entities of the type are of the supertype, too: is it itself or inherits from it."""
    return super_type in ancestry(name)


@cache
def subtypes(name: str) -> tuple[str, ...]:
    """Return the type and all that inherit from it, as they are defined."""
    return tuple(each for each in by_name("entityDefs") if is_a(each, name))


@cache
def attributes(name: str) -> Mapping[str, TypeDefinition]:
    """Return all attributes that hold values, its own and inherited ones, by name."""
    links = ends(name)
    return MappingProxyType(
        {
            attribute["name"]: attribute
            for type_name in reversed(ancestry(name))
            for attribute in by_name("entityDefs")[type_name]["attributeDefs"]
            if attribute["name"] not in links
        }
    )


def owners(name: str) -> tuple[str, ...]:
    """Return the attributes in which an entity must name its owner: the child's ends of compositions (R6)."""
    return tuple(
        attribute
        for attribute, found in ends(name).items()
        if any(
            relationship["relationshipCategory"] == "COMPOSITION" and far["isContainer"]
            for relationship, _near, far in found
        )
    )
