"""The entities that messages told a server of, by name, to look them up there: bounded, without columns.

A column goes with its table's or process' message. What was deleted, or renamed, is not looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sac_kafka.atlas.model import GUID, AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityPartialUpdate, Notification

MAX_NAMES = 10_000
_OF_COLUMNS = ("_column", "_column_lineage", "avro_field", "avro_schema")


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """Where a record is in the topic that a server reads."""

    partition: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """What is known of how a message was sent; None is not known.

    Args:
        made_ms: When it was made, epoch milliseconds: it was not sent before.
        sent_ms: When it was put into the topic that the server reads, epoch milliseconds.
        place: Where it is there, or where something is that was put there after it.
        is_kept: It was not sent yet, but waits in files.
    """

    made_ms: int | None = None
    sent_ms: int | None = None
    place: TopicPlace | None = None
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class SentEntity:
    """An entity as it was told last: how, and by which run; "" where the entity says none.

    `is_referred_to`: it was only named by others, which makes a shell of what a server does not have.
    """

    sending: Sending
    application_id: str = ""
    is_referred_to: bool = False


class SentNames:
    """Takes messages in order; `left_out` is how many there was no room for, or that have a guid in place of a name."""

    def __init__(self, most: int = MAX_NAMES) -> None:
        self._sent: dict[AtlasObjectId, SentEntity] = {}
        self._most = most
        self.left_out = 0

    @property
    def sent(self) -> Mapping[AtlasObjectId, SentEntity]:
        """What is to be there."""
        return MappingProxyType(dict(self._sent))

    def take(self, notification: Notification, sending: Sending) -> None:
        """Keep the names of a message that was sent like this."""
        if isinstance(notification, EntityCreate):
            for entity in notification.entities:
                run = str(entity.custom_attributes.get("application_id", ""))
                self._keep(entity.id, SentEntity(sending, run))
                for each in _named(entity):
                    if each not in self._sent:
                        self._keep(each, SentEntity(sending, is_referred_to=True))
        elif isinstance(notification, EntityPartialUpdate):
            name = notification.attributes.get("qualifiedName")
            if isinstance(name, str) and self._sent.pop(notification.id, None) is not None:
                self._keep(AtlasObjectId(notification.id.type_name, name), SentEntity(sending))
        else:
            for each in notification.ids:
                self._sent.pop(each, None)

    def _keep(self, id_: AtlasObjectId, sent: SentEntity) -> None:
        if id_.type_name.endswith(_OF_COLUMNS):
            return
        if not id_.qualified_name.startswith(GUID) and (id_ in self._sent or len(self._sent) < self._most):
            self._sent[id_] = sent
        else:
            self.left_out += 1


def _named(entity: AtlasEntity) -> Iterator[AtlasObjectId]:
    for ends in (*entity.references.values(), *entity.sides.values()):
        yield from (ends,) if isinstance(ends, AtlasObjectId) else ends
