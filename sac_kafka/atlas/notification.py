"""HookNotifications: what a server is asked to do with entities.

Source: `org.apache.atlas.model.notification.HookNotification`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, to_json

ENTITY_CREATE_V2 = "ENTITY_CREATE_V2"


def entity_create_v2(entities: Sequence[AtlasEntity], *, user: str) -> dict[str, Any]:
    """EntityCreateRequestV2: create the entities, or update what the server has under their names.

    The order is kept: a server commits 50 entities at a time, so definitions stand before what refers to them. `user`
    becomes the entities' createdBy and updatedBy.
    """
    numbers = guids(entity.id for entity in entities)
    return {
        "type": ENTITY_CREATE_V2,
        "user": user,
        "entities": {
            # Only entities that are listed are sure to be created, so nothing is put here.
            "referredEntities": {},
            "entities": [to_json(entity, numbers) for entity in entities],
        },
    }


def guids(ids: Iterable[AtlasObjectId]) -> dict[AtlasObjectId, str]:
    """Negative guids: "not stored yet", valid within one message (R11)."""
    return {each: f"-{number}" for number, each in enumerate(ids, start=1)}
