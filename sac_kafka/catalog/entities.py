"""Look up entities and the consumption of the topic on an Atlas server; explain why an entity is missing.

An Atlas server reports the offset that it reads next of each partition, and the time of the message that it consumed last. With
the topic and offset of a record the answer is certain. With a time alone it is not: a server that was idle since has not
consumed newer messages, but the time when a message was created says nothing of when it was sent; it may have been spooled or
replayed.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.sent_names import Sending, SentEntity
from sac_kafka.atlas.types.definitions import by_name
from sac_kafka.catalog.errors import RestError
from sac_kafka.catalog.json_values import as_object, details_of
from sac_kafka.catalog.server import JsonServer, server_of
from sac_kafka.errors import ConfigurationError, SacKafkaError
from sac_kafka.model.facts import APPLICATION_ID
from sac_kafka.settings import Settings
from sac_kafka.stats import span, with_noun
from sac_kafka.transport.http.failures import OptionNames
from sac_kafka.transport.reader import is_purview

PURVIEW_NOT_VERIFIED = (
    "messages are sent to Purview, where they cannot be verified: see the hook's log for the account's answers, or look for the "
    "asset in the account"
)
_NO_ENTITY = ("ATLAS-404-00-009", "ATLAS-404-00-005")
_NO_TYPE = ("ATLAS-404-00-001", "ATLAS-400-00-014")
"""Error codes of a missing entity and of a missing type. Source: `org.apache.atlas.AtlasErrorCode`."""
_LAST_TIME, _NEXT_OFFSET = "lastMessageProcessedTime", "offsetCurrent"
"""Metrics: time of the last consumed message (server clock), next offset. Source: `org.apache.atlas.util.AtlasMetricsUtil`."""
_ALL_TOPICS = -1


class EntityState(Enum):
    """State of a sent entity in the catalog."""

    STORED = "stored"
    SHELL = "shell"
    REJECTED = "rejected"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Progress:
    """Consumption of a topic by a server.

    Args:
        last_message_ms: When it consumed its last message of any topic, by its own clock, epoch milliseconds; None if unknown.
        read: The offset that it reads next, by partition.
    """

    last_message_ms: int | None = None
    read: Mapping[int, int] = field(default_factory=dict)


def entity_state(
    server: JsonServer, id_: AtlasObjectId, sent: SentEntity, *, is_rejected: bool
) -> tuple[EntityState, str]:
    """Look up the type and qualified name of a sent entity, and return its state and the reason; "" if it is stored.

    Args:
        server: The Atlas server.
        id_: The entity.
        sent: What is known about its last message.
        is_rejected: The server has logged it as rejected.

    Raises:
        SacKafkaError: The server cannot be reached or refuses access.
    """
    name = urllib.parse.quote(id_.qualified_name, safe="", errors="replace")
    path = f"/api/atlas/v2/entity/uniqueAttribute/type/{urllib.parse.quote(id_.type_name, safe='')}"
    try:
        found = server.get(f"{path}?attr:qualifiedName={name}&minExtInfo=true&ignoreRelationships=true").get("entity")
    except RestError as error:
        if error.code in _NO_TYPE:
            is_ours = id_.type_name in by_name("entityDefs")
            remedy = "run sac-kafka types apply" if is_ours else "add it; the hook does not define it"
            return EntityState.REJECTED, f"the server has no type {id_.type_name}: {remedy}"
        if error.code not in _NO_ENTITY:
            raise
        if is_rejected:
            return EntityState.REJECTED, "listed in the server's failed.log"
        return EntityState.PENDING, "not found"
    if not isinstance(found, dict):  # a login page or a stub that answers 200 to everything
        raise SacKafkaError(f"{path}: the answer has no entity: is this an Atlas server? Check atlas.rest.address")
    if found.get("status") == "DELETED":
        return EntityState.PENDING, "deleted"
    if found.get("isIncomplete") is True:
        return EntityState.SHELL, "only a placeholder: referred to by other entities, but not yet created itself"
    application_id = _application_id(found)
    if sent.application_id and application_id not in ("", sent.application_id):
        return EntityState.PENDING, f"found from run {application_id}, not from {sent.application_id}"
    return EntityState.STORED, ""


def progress_of(server: JsonServer, topic: str) -> Progress:
    """Return how far a server has consumed a topic; empty if it does not report that."""
    try:
        found = server.get("/api/atlas/admin/metrics")
    except RestError:
        return Progress()  # the user may read entities but not metrics
    metrics = [(path[-1], _partition(path, topic), value) for path, value in _numbers(found, ())]
    times = [
        value for name, partition, value in metrics if name.endswith(_LAST_TIME) and partition is not None and value > 0
    ]
    read = {
        partition: value
        for name, partition, value in metrics
        if name == _NEXT_OFFSET and partition is not None and partition != _ALL_TOPICS
    }
    return Progress(max(times, default=None), read)


def catalog_of(settings: Settings, timeout_seconds: float, names: OptionNames) -> JsonServer:
    """Return the Atlas server of the settings.

    Args:
        settings: The hook's settings.
        timeout_seconds: Maximum duration of a request.
        names: Names of settings or options, for errors.

    Raises:
        ConfigurationError: No server is configured, its address is invalid, or messages are sent to Purview.
    """
    if is_purview(settings):
        raise ConfigurationError(PURVIEW_NOT_VERIFIED)
    return server_of(settings.rest, timeout_seconds, names)


def _application_id(entity: dict[str, Any]) -> str:
    """Return the application of a custom attribute, else of `details`, for servers that drop custom attributes."""
    custom, attributes = as_object(entity.get("customAttributes")), as_object(entity.get("attributes"))
    return str(custom.get(APPLICATION_ID.name) or details_of(attributes).get(APPLICATION_ID.name, ""))


def _numbers(found: object, path: tuple[str, ...], depth: int = 8) -> Iterator[tuple[tuple[str, ...], int]]:
    if isinstance(found, dict) and depth:
        for key, value in found.items():
            yield from _numbers(value, (*path, str(key)), depth - 1)
    elif isinstance(found, int) and path:
        yield path, found


def _partition(path: tuple[str, ...], topic: str) -> int | None:
    """Return the partition of a metric; `_ALL_TOPICS` if it is of all topics, None if it is of another topic."""
    if not any("topicDetails" in key for key in path):
        return _ALL_TOPICS
    numbers = (key.removeprefix(f"{topic}-") for key in path if key.startswith(f"{topic}-"))
    return next((int(number) for number in numbers if number.isdecimal()), None)


_UNKNOWN = "the server is behind, or has rejected it (see its failed.log)"


def explain_missing(what: str, sending: Sending, progress: Progress) -> tuple[EntityState, str]:
    """Return the state of a missing entity and the reason in words.

    Args:
        what: What is missing, for the text, such as `not found`.
        sending: What is known about when and where its message was sent.
        progress: How far the server has consumed the topic.
    """
    if sending.is_spooled:
        return EntityState.PENDING, f"{what}: not all messages are sent yet; see sac-kafka spool list"
    if sending.place is None or sending.place.partition not in progress.read:
        return EntityState.PENDING, f"{what}: {_reason_by_time(sending, progress.last_message_ms)}"
    partition, offset = sending.place.partition, sending.place.offset
    next_offset = progress.read[partition]
    if next_offset > offset:
        reason = (
            f"{what}, although the server has consumed it (partition {partition}, offset {offset}): see its failed.log"
        )
        return EntityState.REJECTED, reason
    behind = with_noun(offset + 1 - next_offset, "message")
    return EntityState.PENDING, f"{what}: the server is {behind} behind in partition {partition}"


def _reason_by_time(sending: Sending, last_message_ms: int | None) -> str:
    since_ms = sending.made_ms if sending.sent_ms is None else sending.sent_ms
    if last_message_ms is None or since_ms is None:
        return _UNKNOWN
    verb = "created" if sending.sent_ms is None else "sent"
    last = f"its last message was at {_time(last_message_ms)}"
    if last_message_ms < since_ms:
        return f"the server is behind: {last}, {span((since_ms - last_message_ms) / 1000)} before this one was {verb}"
    unknown = ", sent at an unknown time" if sending.sent_ms is None else ""
    return f"{_UNKNOWN}; {last}, and this one was {verb} at {_time(since_ms)}{unknown}"


def _time(epoch_ms: int) -> str:
    try:
        time = datetime.fromtimestamp(epoch_ms / 1000, timezone.utc)
    except (ValueError, OverflowError, OSError):  # a message may contain any number
        return f"{epoch_ms} ms since 1970"
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
