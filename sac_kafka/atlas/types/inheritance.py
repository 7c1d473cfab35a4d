"""Resolve the supertypes and the relationship ends of a type."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from sac_kafka.atlas.types.definitions import TypeDefinition, by_name

SINGLE = "SINGLE"
"""Cardinality of a single value; the others (SET, LIST) are multi-valued."""


@cache
def ancestry(name: str) -> tuple[str, ...]:
    """Return the type and all its supertypes without duplicates, itself first.

    Raises:
        KeyError: The type does not exist.
    """
    found = {name: None}
    for super_type in by_name("entityDefs")[name]["superTypes"]:
        found.update(dict.fromkeys(ancestry(super_type)))
    return tuple(found)


@cache
def ends(name: str) -> Mapping[str, tuple[tuple[TypeDefinition, TypeDefinition, TypeDefinition], ...]]:
    """Return the relationships of a type by attribute, each as (relationship, this end, the other end)."""
    types = ancestry(name)
    found: dict[str, tuple[tuple[TypeDefinition, TypeDefinition, TypeDefinition], ...]] = {}
    for relationship in by_name("relationshipDefs").values():
        one, two = relationship["endDef1"], relationship["endDef2"]
        for near, far in ((one, two), (two, one)):
            if near["type"] in types:
                found[near["name"]] = (*found.get(near["name"], ()), (relationship, near, far))
    return MappingProxyType(found)
