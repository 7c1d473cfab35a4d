"""What a type has in all, with what it inherits: supertypes, attributes and ends of relationships."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from sac_kafka.atlas.types.definitions import Definition, by_name

SINGLE = "SINGLE"
"""The cardinality of one value; the others (SET, LIST) are of many."""


@cache
def ancestry(name: str) -> tuple[str, ...]:
    """The type and all its supertypes, each once, itself first.

    Raises:
        KeyError: there is no such type.
    """
    found = {name: None}
    for super_type in by_name("entityDefs")[name]["superTypes"]:
        found.update(dict.fromkeys(ancestry(super_type)))
    return tuple(found)


def is_a(name: str, super_type: str) -> bool:
    """Whether entities of the type are of the supertype, too: is it itself or inherits from it."""
    return super_type in ancestry(name)


@cache
def subtypes(name: str) -> tuple[str, ...]:
    """The type and all that inherit from it, as they are defined."""
    return tuple(each for each in by_name("entityDefs") if is_a(each, name))


@cache
def attributes(name: str) -> Mapping[str, Definition]:
    """All attributes that hold values, its own and inherited ones, by name."""
    links = ends(name)
    return MappingProxyType(
        {
            attribute["name"]: attribute
            for type_name in reversed(ancestry(name))
            for attribute in by_name("entityDefs")[type_name]["attributeDefs"]
            if attribute["name"] not in links
        }
    )


@cache
def ends(name: str) -> Mapping[str, tuple[tuple[Definition, Definition, Definition], ...]]:
    """Attribute → the relationships that it may stand for: (relationship, this end, the other end)."""
    types = ancestry(name)
    found: dict[str, tuple[tuple[Definition, Definition, Definition], ...]] = {}
    for relationship in by_name("relationshipDefs").values():
        one, two = relationship["endDef1"], relationship["endDef2"]
        for near, far in ((one, two), (two, one)):
            if near["type"] in types:
                found[near["name"]] = (*found.get(near["name"], ()), (relationship, near, far))
    return MappingProxyType(found)


def owners(name: str) -> tuple[str, ...]:
    """The attributes in which an entity must name its owner: the child's ends of compositions (R6)."""
    return tuple(
        attribute
        for attribute, found in ends(name).items()
        if any(
            relationship["relationshipCategory"] == "COMPOSITION" and far["isContainer"]
            for relationship, _near, far in found
        )
    )
