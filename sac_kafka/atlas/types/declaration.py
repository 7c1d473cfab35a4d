"""How types are declared: Atlas' definitions as frozen values, with Atlas' own defaults.

Source: `org.apache.atlas.model.typedef.{AtlasEntityDef,AtlasStructDef,AtlasEnumDef,AtlasRelationshipDef}`. Only what says
which entities are valid and how they are stored and found is here; ids, times and authors are the server's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Cardinality(Enum):
    """How many values there are: one, or many without (SET) or with (LIST) repetition."""

    SINGLE = "SINGLE"
    SET = "SET"
    LIST = "LIST"


class Category(Enum):
    """What the ends of a relationship are to each other.

    COMPOSITION: the child lives and dies with its owner and must name it (R6). AGGREGATION: parts that live without
    their container. ASSOCIATION: neither owns the other.
    """

    COMPOSITION = "COMPOSITION"
    AGGREGATION = "AGGREGATION"
    ASSOCIATION = "ASSOCIATION"


class Propagation(Enum):
    """The direction in which classifications follow a relationship."""

    NONE = "NONE"
    ONE_TO_TWO = "ONE_TO_TWO"
    TWO_TO_ONE = "TWO_TO_ONE"


@dataclass(frozen=True, slots=True)
class AttributeDef:
    """An attribute that holds a value.

    `type_name` is one of Atlas' (string, boolean, int, long, date, `array<…>`, `map<…,…>`, an enum or a struct).
    `is_indexed` strings must stay below 32,767 UTF-16 units (R22). `index_type` STRING: found by the exact text only.
    `search_weight`: from 0 to 10, how much a hit here counts in the quick search; None is Atlas' default.
    """

    name: str
    type_name: str = "string"
    is_mandatory: bool = field(default=False, kw_only=True)
    is_unique: bool = field(default=False, kw_only=True)
    is_indexed: bool = field(default=False, kw_only=True)
    cardinality: Cardinality = field(default=Cardinality.SINGLE, kw_only=True)
    in_notification: bool = field(default=False, kw_only=True)
    index_type: str | None = field(default=None, kw_only=True)
    search_weight: int | None = field(default=None, kw_only=True)
    options: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    constraints: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class EnumDef:
    """A type of which the values are given texts: (ordinal, text)."""

    name: str
    description: str
    elements: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class StructDef:
    """A value with named parts and without an identity."""

    name: str
    description: str
    attributes: tuple[AttributeDef, ...]


@dataclass(frozen=True, slots=True)
class EntityDef:
    """A type of entity. `options` tell the user interface what to show."""

    name: str
    super_types: tuple[str, ...]
    description: str
    attributes: tuple[AttributeDef, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, slots=True)
class End:
    """One end of a relationship: the attribute `name` of the type `type_name`, which leads to the other end.

    `is_legacy`: servers show it among the plain attributes, too.
    """

    type_name: str
    name: str
    cardinality: Cardinality
    is_container: bool = field(default=False, kw_only=True)
    is_legacy: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class RelationshipDef:
    """A relationship between two types. `is_labelled`: its edge has a `label` of its own."""

    name: str
    category: Category
    ends: tuple[End, End]
    propagation: Propagation = field(default=Propagation.NONE, kw_only=True)
    is_labelled: bool = field(default=False, kw_only=True)
    attributes: tuple[AttributeDef, ...] = field(default=(), kw_only=True)

    @property
    def label(self) -> str | None:
        """The label of the edge: the attribute of the first end. None lets the server make one."""
        first = self.ends[0]
        return f"__{first.type_name}.{first.name}" if self.is_labelled else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Types that belong together: one file of definitions.

    `order` stands in the file's name: a server loads files by name, and what is used must come first. `service_type`
    groups types in the user interface.
    """

    name: str
    order: int
    service_type: str
    enums: tuple[EnumDef, ...] = ()
    structs: tuple[StructDef, ...] = ()
    entities: tuple[EntityDef, ...] = ()
    relationships: tuple[RelationshipDef, ...] = ()


def each(
    type_name: str,
    *names: str,
    is_mandatory: bool = False,
    is_indexed: bool = False,
    cardinality: Cardinality = Cardinality.SINGLE,
    index_type: str | None = None,
    search_weight: int | None = None,
    options: Mapping[str, str] | None = None,
) -> tuple[AttributeDef, ...]:
    """Attributes that differ in their names only, in the order given: a row of a type's table."""
    return tuple(
        AttributeDef(
            name,
            type_name,
            is_mandatory=is_mandatory,
            is_indexed=is_indexed,
            cardinality=cardinality,
            index_type=index_type,
            search_weight=search_weight,
            options=options or {},
        )
        for name in names
    )


def composition(
    name: str,
    owner: str,
    part: str,
    *,
    is_legacy: bool = False,
    is_labelled: bool = False,
    propagation: Propagation = Propagation.NONE,
) -> RelationshipDef:
    """An owner, which is the first end, with a set of parts, of which each names its owner.

    Args:
        name: of the relationship.
        owner: the owner's end as `type.attribute`: the attribute that holds the parts.
        part: the part's end as `type.attribute`: the attribute that names the owner.
        is_legacy: whether servers show both ends among the plain attributes, too.
        is_labelled: see RelationshipDef.
        propagation: the direction in which classifications follow.

    Raises:
        ValueError: an end is no `type.attribute`.
    """
    ends = (
        End(*_side(name, owner), Cardinality.SET, is_container=True, is_legacy=is_legacy),
        End(*_side(name, part), Cardinality.SINGLE, is_legacy=is_legacy),
    )
    return RelationshipDef(name, Category.COMPOSITION, ends, propagation=propagation, is_labelled=is_labelled)


def _side(relationship: str, end: str) -> tuple[str, str]:
    type_name, _dot, attribute = end.partition(".")
    if not (type_name and attribute) or "." in attribute:
        raise ValueError(f"{relationship}: {end!r} is no end of a relationship; write it as type.attribute")
    return type_name, attribute
