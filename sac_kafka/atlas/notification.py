"""Define hook notifications, the operations on entities, independent of their encoding.

`v2` and `v1` serialize them as JSON, `reader` parses both forms.

Source: `org.apache.atlas.model.notification.HookNotification`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCreate:
    """Create the entities, or update those that the server already has.

    The order matters: Atlas commits 50 entities at a time, so entities precede those that reference them. `is_update` only
    changes the type of the notification (ENTITY_FULL_UPDATE); Atlas processes both alike.
    """

    entities: tuple[AtlasEntity, ...]
    is_update: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPartialUpdate:
    """Change only these attributes of an entity that certainly exists (R19); None resets an attribute.

    A `qualifiedName` among the attributes renames the entity.
    """

    id: AtlasObjectId
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDelete:
    """Delete the entities; Atlas ignores unknown ones."""

    ids: tuple[AtlasObjectId, ...]


Notification = EntityCreate | EntityPartialUpdate | EntityDelete
