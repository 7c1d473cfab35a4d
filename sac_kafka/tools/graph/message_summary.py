"""Summarize one message of any hook (sender, time, job, entity types and lineage), and render it as a block of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from itertools import chain

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.types.sent import SPARK_TYPES
from sac_kafka.atlas.wire.reader import ParsedMessage
from sac_kafka.stats import with_noun
from sac_kafka.tools.graph.drawing import lines, shorten
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
_MAX_TYPES = 4
_LATEST_MS = 253_402_300_799_000  # the end of the year 9999, the last that datetime supports


@dataclass(frozen=True, slots=True)
class MessageSummary:
    """Summary of one whole message.

    `type` is the notification's (ENTITY_CREATE_V2 …), `created_ms` the sender's time in epoch milliseconds, None if missing.
    `job` has its namespace and is "" if unknown. `hook` is the sender by its types, "" for sac_kafka and if unknown.
    `types` counts the entities, or deleted entities, by type.
    """

    type: str
    user: str
    created_ms: int | None
    job: str
    hook: str
    types: Mapping[str, int]
    lineage: tuple[LineageProcess | CatalogChange, ...]


def summarize(found: ParsedMessage) -> MessageSummary:
    """Summarize a parsed message.

    Raises:
        MessageError: A column lineage lacks its process or its output.
    """
    lineage = parse_notification(found.notification)
    ids = tuple(identities(found.notification))
    types = Counter(id_.type_name for id_ in ids)
    processes = (each.job for each in lineage if isinstance(each, LineageProcess) and each.job)
    applications = (id_.qualified_name for id_ in ids if id_.type_name == SPARK_TYPES.application)
    created = found.created_ms if isinstance(found.created_ms, int) else None
    job = next(chain(processes, applications), "")
    return MessageSummary(found.type, found.user, created, job, _hook(types), types, lineage)


def summary_object(message: MessageSummary) -> dict[str, object]:
    """Return a summary as a JSON object, the same for both message forms, with display names."""
    labelled = [with_labels(each) for each in message.lineage]
    return {
        "type": message.type,
        "user": message.user,
        "created_ms": message.created_ms,
        "job": strip_namespace(message.job),
        "hook": message.hook,
        "types": dict(message.types),
        "processes": [process_object(each) for each in labelled if isinstance(each, LineageProcess)],
        "changes": [change_object(each) for each in labelled if isinstance(each, CatalogChange)],
    }


def identities(notification: Notification) -> Iterator[AtlasObjectId]:
    """Yield the ids of the entities that a notification creates, updates or deletes."""
    match notification:
        case EntityCreate(entities=entities):
            yield from (entity.id for entity in entities)
        case EntityPartialUpdate(id=id_):
            yield id_
        case EntityDelete(ids=ids):
            yield from ids


def _hook(types: Mapping[str, int]) -> str:
    if any(type_.startswith(_OWN_PREFIXES) for type_ in types):
        return ""
    return next((hook for prefix, hook in _HOOKS.items() if any(type_.startswith(prefix) for type_ in types)), "")


def block(message: MessageSummary, place: str, time_ms: int | None, size: int, *, columns: bool) -> Iterator[str]:
    """Yield the lines of a message.

    `place` is where it was read, `size` its length on the wire. With `columns` column flows are listed, else counted.
    """
    whose = f"{shorten(strip_namespace(message.job) or message.hook or '-')} ({shorten(message.user)})"
    yield f"{moment(time_ms)}  {whose}  {message.type}  {with_noun(size, 'byte')}, {place}"
    if not message.lineage:
        yield f"    {_entities(message)}"
    for each in message.lineage:
        yield from (f"    {line}".rstrip() for line in _lines(each, columns=columns) if line)
    yield ""


def moment(time_ms: int | None) -> str:
    """Return a time (epoch milliseconds) as text, in UTC.

    >>> moment(1795165902386)
    '2026-11-20T09:11:42Z'
    """
    if time_ms is None or not 0 <= time_ms <= _LATEST_MS:
        return "unknown time"
    return f"{datetime.fromtimestamp(time_ms // 1000, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _lines(each: LineageProcess | CatalogChange, *, columns: bool) -> Iterator[str]:
    if isinstance(each, CatalogChange):
        yield from lines(each)
        return
    if each.inputs or each.outputs:
        yield shorten(each.name)
    if columns:
        yield from lines(each)
        return
    yield from lines(replace(each, columns=(), constants="", rows=""))
    if each.columns:
        yield f"    {with_noun(len(each.columns), 'column flow')}"


def _entities(message: MessageSummary) -> str:
    shown = [f"{number} {shorten(name)}" for name, number in list(message.types.items())[:_MAX_TYPES]]
    more = len(message.types) - len(shown)
    shown += [f"{more} more types"] if more > 0 else []
    number = sum(message.types.values())
    return f"{with_noun(number, 'entity', 'entities')}: {', '.join(shown)}" if number else "no entities"
