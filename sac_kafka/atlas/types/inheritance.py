"""What a type has in all, with what it inherits: supertypes, attributes and ends of relationships."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from sac_kafka.atlas.types import FAMILIES
from sac_kafka.atlas.types.declaration import AttributeDef, Category, End, EntityDef, RelationshipDef

ENTITY_DEFS = MappingProxyType({each.name: each for family in FAMILIES for each in family.entities})
"""All types of entities, by name."""

RELATIONSHIP_DEFS: tuple[RelationshipDef, ...] = tuple(each for family in FAMILIES for each in family.relationships)


@cache
def ancestry(name: str) -> tuple[EntityDef, ...]:
    """The type and all its supertypes, each once, itself first.

    Raises:
        KeyError: there is no such type.
    """
    found = {name: ENTITY_DEFS[name]}
    for super_type in found[name].super_types:
        found.update((each.name, each) for each in ancestry(super_type))
    return tuple(found.values())


def is_a(name: str, super_type: str) -> bool:
    """Whether entities of the type are of the supertype, too: is it itself or inherits from it."""
    return any(each.name == super_type for each in ancestry(name))


@cache
def subtypes(name: str) -> tuple[str, ...]:
    """The type and all that inherit from it, as they are declared."""
    return tuple(each for each in ENTITY_DEFS if is_a(each, name))


@cache
def attributes(name: str) -> MappingProxyType[str, AttributeDef]:
    """All attributes that hold values, its own and inherited ones, by name."""
    links = ends(name)
    return MappingProxyType(
        {
            attribute.name: attribute
            for declared in reversed(ancestry(name))
            for attribute in declared.attributes
            if attribute.name not in links
        }
    )


@cache
def ends(name: str) -> MappingProxyType[str, tuple[tuple[RelationshipDef, End, End], ...]]:
    """Attribute → the relationships that it may stand for: (relationship, this end, the other end)."""
    types = {each.name for each in ancestry(name)}
    found: dict[str, tuple[tuple[RelationshipDef, End, End], ...]] = {}
    for relationship in RELATIONSHIP_DEFS:
        one, two = relationship.ends
        for near, far in ((one, two), (two, one)):
            if near.type_name in types:
                found[near.name] = (*found.get(near.name, ()), (relationship, near, far))
    return MappingProxyType(found)


def owners(name: str) -> tuple[str, ...]:
    """The attributes in which an entity must name its owner: the child's ends of compositions (R6)."""
    return tuple(
        attribute
        for attribute, found in ends(name).items()
        if any(relationship.category is Category.COMPOSITION and far.is_container for relationship, _near, far in found)
    )
