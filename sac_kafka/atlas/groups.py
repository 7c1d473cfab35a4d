"""Group entities that are sent once, and identify the messages that carry their members by tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.wire.message import encode

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
