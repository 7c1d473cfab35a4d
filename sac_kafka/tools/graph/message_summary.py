"""Summarize one message of any hook: sender, time, job, entity types and the lineage that it contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.reader import ParsedMessage
from sac_kafka.tools.graph.objects import change_object, process_object
from sac_kafka.tools.messages.lineage import parse_notification
from sac_kafka.tools.messages.model import CatalogChange, LineageProcess
from sac_kafka.tools.messages.names import strip_namespace, with_labels

_HOOKS = {
    "impala_": "Impala",
    "sqoop_": "Sqoop",
    "storm_": "Storm",
    "falcon_": "Falcon",
    "hive_": "Hive",
    "hbase_": "HBase",
    "kafka_": "Kafka",
}
"""Atlas' own hooks by type prefix. Order matters: the first ones also send tables and topics of the last ones."""
_OWN_PREFIXES = ("spark_",)


@dataclass(frozen=True, slots=True)
class MessageSummary:
    """Summary of one whole message.

    `type` is the notification's (ENTITY_CREATE_V2 …), `created_ms` the sender's time in epoch milliseconds, None if missing.
    `job` is "" if unknown, `full_job` has its namespace. `hook` is the sender by its types, "" for sac_kafka and if unknown.
    `types` counts the entities, or deleted entities, by type.
    """

    type: str
    user: str
    created_ms: int | None
    job: str
    hook: str
    types: Mapping[str, int]
    lineage: tuple[LineageProcess | CatalogChange, ...]
    full_job: str = ""

    @property
    def entities(self) -> int:
        """Number of entities."""
        return sum(self.types.values())


def summarize(found: ParsedMessage) -> MessageSummary:
    """Summarize a parsed message.

    Raises:
        MessageError: A column lineage lacks its process or its output.
    """
    lineage = parse_notification(found.notification)
    ids = tuple(identities(found.notification))
    types = Counter(each.type_name for each in ids)
    processes = (each.job for each in lineage if isinstance(each, LineageProcess) and each.job)
    applications = (each.qualified_name for each in ids if each.type_name == "spark_application")
    created = found.created_ms if isinstance(found.created_ms, int) else None
    job = next(chain(processes, applications), "")
    return MessageSummary(
        found.type, found.user, created, strip_namespace(job), _hook(types), dict(types), lineage, job
    )


def summary_object(message: MessageSummary) -> dict[str, object]:
    """Return a summary as a JSON object, the same for both message forms, with display names."""
    labelled = [with_labels(each) for each in message.lineage]
    return {
        "type": message.type,
        "user": message.user,
        "created_ms": message.created_ms,
        "job": message.job,
        "hook": message.hook,
        "types": dict(message.types),
        "processes": [process_object(each) for each in labelled if isinstance(each, LineageProcess)],
        "changes": [change_object(each) for each in labelled if isinstance(each, CatalogChange)],
    }


def identities(notification: Notification) -> Iterator[AtlasObjectId]:
    """Yield the ids of the entities that a notification creates, updates or deletes."""
    match notification:
        case EntityCreate(entities=entities):
            yield from (each.id for each in entities)
        case EntityPartialUpdate(id=id_):
            yield id_
        case EntityDelete(ids=ids):
            yield from ids


def _hook(types: Mapping[str, int]) -> str:
    if any(each.startswith(_OWN_PREFIXES) for each in types):
        return ""
    return next((hook for prefix, hook in _HOOKS.items() if any(each.startswith(prefix) for each in types)), "")
