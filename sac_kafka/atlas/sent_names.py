"""The entities that messages told a server of, by name, to look them up there: bounded, without columns.

A column goes with its table's or process' message. What was deleted, or renamed, is not looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityPartialUpdate, Notification

MOST_NAMES = 10_000
_OF_COLUMNS = ("_column", "_column_lineage", "avro_field", "avro_schema")


@dataclass(frozen=True, slots=True)
class SentEntity:
    """An entity as it was told last: when (epoch milliseconds), and by which run; "" where the entity says none.

    `is_referred_to`: it was only named by others, which makes a shell of what a server does not have.
    """

    time_ms: int | None
    application_id: str = ""
    is_referred_to: bool = False


class SentNames:
    """Takes messages in order; `left_out` is how many names there was no room for."""

    def __init__(self, most: int = MOST_NAMES) -> None:
        self._sent: dict[AtlasObjectId, SentEntity] = {}
        self._most = most
        self.left_out = 0

    @property
    def sent(self) -> Mapping[AtlasObjectId, SentEntity]:
        """What is to be there."""
        return MappingProxyType(dict(self._sent))

    def take(self, notification: Notification, time_ms: int | None) -> None:
        """Keep the names of a message of that time."""
        if isinstance(notification, EntityCreate):
            for entity in notification.entities:
                run = str(entity.custom_attributes.get("application_id", ""))
                self._keep(entity.id, SentEntity(time_ms, run))
                for each in _named(entity):
                    if each not in self._sent:
                        self._keep(each, SentEntity(time_ms, is_referred_to=True))
        elif isinstance(notification, EntityPartialUpdate):
            name = notification.attributes.get("qualifiedName")
            if isinstance(name, str) and self._sent.pop(notification.id, None) is not None:
                self._keep(AtlasObjectId(notification.id.type_name, name), SentEntity(time_ms))
        else:
            for each in notification.ids:
                self._sent.pop(each, None)

    def _keep(self, id_: AtlasObjectId, sent: SentEntity) -> None:
        if id_.type_name.endswith(_OF_COLUMNS):
            return
        if id_ in self._sent or len(self._sent) < self._most:
            self._sent[id_] = sent
        else:
            self.left_out += 1


def _named(entity: AtlasEntity) -> Iterator[AtlasObjectId]:
    for ends in (*entity.references.values(), *entity.sides.values()):
        yield from (ends,) if isinstance(ends, AtlasObjectId) else ends
