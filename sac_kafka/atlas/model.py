"""Define Atlas entities and the references to them.

`datasets`, `processes` and `column_lineage` build entities, `v2` and `v1` serialize them. An entity has no guid: guids are
valid within one message only, so they are assigned when the message is serialized.

Source: `org.apache.atlas.model.instance.{AtlasEntity,AtlasObjectId}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sac_kafka.settings.classifications import Classification

Value = str | int | bool | Sequence[str] | Mapping[str, str] | None
"""Value of an attribute: a date is in epoch milliseconds (R7), None resets the attribute on the server (R28)."""


class AtlasObjectId(NamedTuple):
    """Identity of an entity: its concrete type, never a supertype (R12), and its unique attribute.

    A tuple for performance: there are several per column, and tuples are hashed, sorted and encoded as JSON in C.
    """

    type_name: str
    qualified_name: str


GUID = "guid:"
"""Prefix of the name of an entity that a foreign message references only by its guid on the server."""
UNKNOWN_TYPE = "unknown type"
"""Type of such an entity if the message does not state it."""


def is_assigned(guid: object) -> bool:
    """Return True for a guid assigned by a server; guids that begin with `-` are local to a message (R10).

    Source: `AtlasTypeUtil.isUnAssignedGuid`.
    """
    return isinstance(guid, str) and bool(guid) and not guid.startswith("-")


Ends = AtlasObjectId | tuple[AtlasObjectId, ...]
"""Target of a relationship; a tuple if the cardinality is SET (R8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasEntity:
    """An entity as sent: unknown attributes are absent, because null resets an attribute on the server (R28).

    Attributes:
        id: Its identity.
        attributes: Its attributes without the qualifiedName.
        references: Its relationships, by attribute.
        relationships: The relationshipDef of a reference, by attribute, if several share the attribute (hive_column.table);
            "" leaves the choice to Atlas.
        sides: References sent among the attributes, as older hooks send inputs and outputs.
        custom_attributes: Custom attributes; if there are any, they replace all of the entity's on the server.
        labels: Labels; Atlas applies them only when it creates the entity.
        classifications: Classifications whose types the server must have (R20); applied only on creation, too.
        can_propagate: Whether the server has propagation, and so takes whether a classification propagates.
    """

    id: AtlasObjectId
    attributes: Mapping[str, Value]
    references: Mapping[str, Ends] = field(default_factory=dict)
    relationships: Mapping[str, str] = field(default_factory=dict)
    sides: Mapping[str, tuple[AtlasObjectId, ...]] = field(default_factory=dict)
    custom_attributes: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    classifications: tuple[Classification, ...] = ()
    can_propagate: bool = True

    @property
    def targets(self) -> Iterator[AtlasObjectId]:
        """The entities that it references."""
        for ends in (*self.references.values(), *self.sides.values()):
            yield from (ends,) if isinstance(ends, AtlasObjectId) else ends


def known(**attributes: Value) -> dict[str, Value]:
    """Return the attributes that have a value; None and empty texts, lists and maps are unknown, `False` and 0 are not."""
    return {name: value for name, value in attributes.items() if value not in (None, "", (), [], {})}


def each_once(entities: Iterable[AtlasEntity]) -> tuple[AtlasEntity, ...]:
    """Return the entities without duplicates, which would have two guids in one message (R27)."""
    result: dict[AtlasObjectId, AtlasEntity] = {}
    for entity in entities:
        result.setdefault(entity.id, entity)
    return tuple(result.values())
