"""Define hook notifications, the operations on entities, independent of their encoding.

`v2` and `v1` write them as JSON, `reader` reads both.

Source: `org.apache.atlas.model.notification.HookNotification`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCreate:
    """Create the entities, or update what the server has under their names.

    The order is kept: a server commits 50 entities at a time, so definitions stand before what refers to them.
    `is_update` only chooses the name of the notification (ENTITY_FULL_UPDATE); servers do the same for both.
    """

    entities: tuple[AtlasEntity, ...]
    is_update: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPartialUpdate:
    """Change only these attributes of an entity that surely exists (R19); None resets one.

    `attributes` may have a `qualifiedName`: that renames the entity.
    """

    id: AtlasObjectId
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDelete:
    """Delete the entities; a server ignores those that it does not have."""

    ids: tuple[AtlasObjectId, ...]


Notification = EntityCreate | EntityPartialUpdate | EntityDelete


def guids(ids: Iterable[AtlasObjectId]) -> dict[AtlasObjectId, str]:
    """Negative guids: "not stored yet", valid within one message (R11)."""
    return {each: f"-{number}" for number, each in enumerate(ids, start=1)}
