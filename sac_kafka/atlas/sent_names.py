"""Collect the names of sent entities, to look them up on the server: bounded, without columns.

Columns arrive in the message of their table or process. Deleted or renamed entities are not looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sac_kafka.atlas.model import GUID, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityPartialUpdate, Notification
from sac_kafka.model.facts import APPLICATION_ID

MAX_NAMES = 10_000
_OF_COLUMNS = ("_column", "_column_lineage", "avro_field", "avro_schema")


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """Position of a record in the topic that the server reads."""

    partition: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """Sending state of a message; None means unknown.

    Args:
        made_ms: Creation time in epoch milliseconds; the message was not sent earlier.
        sent_ms: Time of arrival in the topic that the server reads, in epoch milliseconds.
        place: Its position in the topic, or that of a later record.
        is_spooled: The message has not been sent yet and is pending in files.
    """

    made_ms: int | None = None
    sent_ms: int | None = None
    place: TopicPlace | None = None
    is_spooled: bool = False


@dataclass(frozen=True, slots=True)
class SentEntity:
    """Last emission of an entity: its sending state and application id, "" if the entity has none.

    `is_referred_to`: The entity was only referenced by others; Atlas creates a shell entity if it is missing.
    """

    sending: Sending
    application_id: str = ""
    is_referred_to: bool = False


class SentNames:
    """Collector of names from messages in order; `omitted` counts names beyond the limit and references by guid."""

    def __init__(self, max_names: int = MAX_NAMES) -> None:
        self._sent: dict[AtlasObjectId, SentEntity] = {}
        self._max_names = max_names
        self.omitted = 0

    @property
    def sent(self) -> Mapping[AtlasObjectId, SentEntity]:
        """The entities expected on the server."""
        return MappingProxyType(dict(self._sent))

    def add(self, notification: Notification, sending: Sending) -> None:
        """Record the names in a message with its sending state."""
        if isinstance(notification, EntityCreate):
            of_columns = {entity.id for entity in notification.entities if entity.id.type_name.endswith(_OF_COLUMNS)}
            for entity in notification.entities:
                if entity.id not in of_columns:
                    run = entity.custom_attributes.get(APPLICATION_ID.name, "")
                    self._record(entity.id, SentEntity(sending, run))
                for target in entity.targets:
                    if target not in self._sent and target not in of_columns:
                        self._record(target, SentEntity(sending, is_referred_to=True))
        elif isinstance(notification, EntityPartialUpdate):
            name = notification.attributes.get("qualifiedName")
            if isinstance(name, str) and self._sent.pop(notification.id, None) is not None:
                self._record(AtlasObjectId(notification.id.type_name, name), SentEntity(sending))
        else:
            for id_ in notification.ids:
                self._sent.pop(id_, None)

    def _record(self, id_: AtlasObjectId, sent: SentEntity) -> None:
        if id_.type_name.endswith(_OF_COLUMNS):
            return
        if not id_.qualified_name.startswith(GUID) and (id_ in self._sent or len(self._sent) < self._max_names):
            self._sent[id_] = sent
        else:
            self.omitted += 1
