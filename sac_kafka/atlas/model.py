"""Define Atlas entities and the references to them.

`datasets`, `processes` and `column_lineage` build entities, `v2` and `v1` serialize them. An entity has no guid: guids are
valid within one message only, so they are assigned when the message is serialized.

Source: `org.apache.atlas.model.instance.{AtlasEntity,AtlasObjectId}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.wire.message import encode
from sac_kafka.model import SPARK, Engine
from sac_kafka.settings.classifications import Classification
from sac_kafka.settings.declarations.choices import EngineProcesses

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


class FlowTypes(NamedTuple):
    """The types of flows that Atlas ships."""

    application: str
    process: str
    column_lineage: str


SPARK_TYPES = FlowTypes("spark_application", "spark_process", "spark_column_lineage")
OWN_PROCESS = "sac_kafka_engine_process"
"""Our type of flows of other engines: a subtype of spark_process, so that they have column lineage and an application."""


def process_type(engine: Engine, chosen: EngineProcesses) -> str:
    """Return the type of an engine's flows; an engine without a name is not Spark."""
    return OWN_PROCESS if chosen is EngineProcesses.OWN and engine.name != SPARK else SPARK_TYPES.process


# ---- groups: entities that are sent once; tokens identify the messages that carry their members

_DIGITS = 32


@dataclass(frozen=True, slots=True)
class GroupToken:
    """The range of a group's members that a message carries: `start` to `stop` (exclusive) of `size`."""

    group: AtlasObjectId
    digest: str
    start: int
    stop: int
    size: int
    members: tuple[AtlasObjectId, ...] = ()
    about: frozenset[AtlasObjectId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityGroup:
    """Entities that are sent once, together with their owners.

    Attributes:
        owner: The entity that the group belongs to.
        owners: Entities that every message with a member contains.
        members: The entities of the group, which may be divided among messages.
        digest: The digest of the members' content.
        about: The other datasets whose columns the members reference.
    """

    owner: AtlasObjectId
    owners: tuple[AtlasEntity, ...]
    members: tuple[AtlasEntity, ...]
    digest: str
    about: frozenset[AtlasObjectId] = frozenset()

    def token(self, start: int, stop: int) -> GroupToken:
        """Return the token of a message that carries the members `start` to `stop` (exclusive)."""
        names = tuple(member.id for member in self.members[start:stop])
        return GroupToken(self.owner, self.digest, start, stop, len(self.members), names, self.about)


def make_group(
    owner: AtlasObjectId,
    *,
    owners: tuple[AtlasEntity, ...],
    members: tuple[AtlasEntity, ...],
    about: Iterable[AtlasObjectId] = (),
) -> EntityGroup:
    """Return a group with the digest of its members' content; attributes without a value do not count.

    Owners are excluded from the digest, as every message contains them. Without members, `about` is empty.
    """
    content = encode(
        [
            (
                member.id,
                {name: value for name, value in member.attributes.items() if value is not None},
                member.references,
                member.relationships,
                *([member.sides] if member.sides else []),
            )
            for member in members
        ]
    )
    names = frozenset(about) if members else frozenset[AtlasObjectId]()
    return EntityGroup(owner=owner, owners=owners, members=members, digest=digest(content, _DIGITS), about=names)
