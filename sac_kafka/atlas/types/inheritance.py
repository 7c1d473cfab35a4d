"""Resolve the supertypes and the relationship ends of a type, in our definitions or in those of any server."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from sac_kafka.atlas.types.definitions import TypeDefinition, by_name

SINGLE = "SINGLE"
"""Cardinality of a single value; the others (SET, LIST) are multi-valued."""

RelationshipEnds = Mapping[str, tuple[tuple[TypeDefinition, TypeDefinition, TypeDefinition], ...]]
"""Relationships of a type by attribute, each as (relationship, this end, the other end)."""


def ancestry_of(name: str, super_types: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """Return a type and all its supertypes without duplicates, itself first."""
    found: dict[str, None] = {}
    left = [name]
    while left:
        each = left.pop()
        if each not in found:
            found[each] = None
            left += reversed(super_types(each))
    return tuple(found)


def ends_of(types: Collection[str], relationships: Iterable[TypeDefinition]) -> RelationshipEnds:
    """Return the relationships of a type with this ancestry; incomplete definitions are skipped."""
    found: dict[str, tuple[tuple[TypeDefinition, TypeDefinition, TypeDefinition], ...]] = {}
    for relationship in relationships:
        one, two = relationship.get("endDef1") or {}, relationship.get("endDef2") or {}
        for near, far in ((one, two), (two, one)):
            name = near.get("name")
            if name and near.get("type") in types:
                found[name] = (*found.get(name, ()), (relationship, near, far))
    return MappingProxyType(found)


@cache
def ancestry(name: str) -> tuple[str, ...]:
    """Return one of our types and all its supertypes without duplicates, itself first.

    Raises:
        KeyError: The type does not exist.
    """
    ours = by_name("entityDefs")
    return ancestry_of(name, lambda each: ours[each]["superTypes"])


@cache
def ends(name: str) -> RelationshipEnds:
    """Return the relationships of one of our types by attribute."""
    return ends_of(ancestry(name), by_name("relationshipDefs").values())
