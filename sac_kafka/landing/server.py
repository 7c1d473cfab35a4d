"""What a server is asked: an entity by its name, and when it last took a message."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.asking.errors import RestError
from sac_kafka.asking.server import JsonServer, server_of
from sac_kafka.asking.words import Words
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.dialects import is_purview
from sac_kafka.errors import ConfigurationError, SacKafkaError
from sac_kafka.settings import Settings

NOT_OF_PURVIEW = (
    "what is sent goes to Purview, which is not asked: what an account answers to a message is in the log; look there, or for "
    "the asset in the account"
)
_NOT_THERE = ("ATLAS-404-00-009", "ATLAS-404-00-005")
_NO_TYPE = ("ATLAS-404-00-001", "ATLAS-400-00-014")
"""Atlas' codes of an entity that is not there, and of a type that is not. Source: `org.apache.atlas.AtlasErrorCode`."""
_LAST, _NEXT = "lastMessageProcessedTime", "offsetCurrent"
"""Source: `org.apache.atlas.util.AtlasMetricsUtil`: the one is its clock, the other the offset behind the last message."""


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """What a server has under a name: whether it is a shell or deleted, and which run told of it last, "" where it says none.

    `has_type` is False where the server does not know the type; then it has nothing.
    """

    is_there: bool
    is_shell: bool = False
    is_deleted: bool = False
    application_id: str = ""
    has_type: bool = True


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a server has read a topic, as far as it says.

    Args:
        taken_ms: When it last took a message, by its own clock, epoch milliseconds; whichever message that was.
        read: The offset that it reads next, by partition.
    """

    taken_ms: int | None = None
    read: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CatalogServer:
    """Who is asked for entities."""

    server: JsonServer

    def entity(self, id_: AtlasObjectId) -> FoundEntity:
        """What it has of a type under a name.

        Raises:
            SacKafkaError: It does not answer, or refuses to.
        """
        name = urllib.parse.quote(id_.qualified_name, safe="", errors="replace")
        path = f"/api/atlas/v2/entity/uniqueAttribute/type/{urllib.parse.quote(id_.type_name, safe='')}"
        try:
            found = self.server.get(f"{path}?attr:qualifiedName={name}&minExtInfo=true&ignoreRelationships=true")
        except RestError as error:
            if error.code in _NO_TYPE:
                return FoundEntity(is_there=False, has_type=False)
            if error.code in _NOT_THERE:
                return FoundEntity(is_there=False)
            raise
        entity = found.get("entity")
        if not isinstance(entity, dict):  # of whatever answers success to everything, nothing would be missing
            raise SacKafkaError(f"{path}: the answer has no entity: is this an Atlas server? Check atlas.rest.address")
        return FoundEntity(
            is_there=True,
            is_shell=entity.get("isIncomplete") is True,
            is_deleted=entity.get("status") == "DELETED",
            application_id=_application_id(entity),
        )

    def progress(self, topic: str) -> Progress:
        """How far it has read a topic; nothing where it does not say."""
        try:
            found = self.server.get("/api/atlas/admin/metrics")
        except RestError:
            return Progress()  # who may look up entities may not see metrics
        figures = [(path[-1], _partition(path, topic), value) for path, value in _numbers(found, ())]
        times = [value for name, of, value in figures if name.endswith(_LAST) and of is not None and value > 0]
        read = {of: value for name, of, value in figures if name == _NEXT and of is not None and of >= 0}
        return Progress(max(times, default=None), read)


def catalog_of(settings: Settings, timeout_seconds: float, words: Words) -> CatalogServer:
    """Give the Atlas server of the settings.

    Args:
        settings: The hook's.
        timeout_seconds: How long a request may take.
        words: What errors call them.

    Raises:
        ConfigurationError: They name none, or not as it may be; or what is sent is for Purview.
    """
    if is_purview(settings):
        raise ConfigurationError(NOT_OF_PURVIEW)
    return CatalogServer(server_of(settings.rest, timeout_seconds, words))


def _application_id(entity: dict[str, Any]) -> str:
    """The run that told of it last: a custom attribute, else in the details, where a server drops those."""
    custom, attributes = entity.get("customAttributes"), entity.get("attributes")
    if isinstance(custom, dict) and custom.get("application_id"):
        return str(custom["application_id"])
    try:
        details = json.loads(str(attributes.get("details") or "{}")) if isinstance(attributes, dict) else {}
    except (ValueError, RecursionError):
        return ""
    return str(details.get("application_id", "")) if isinstance(details, dict) else ""


def _numbers(found: object, path: tuple[str, ...], depth: int = 8) -> Iterator[tuple[tuple[str, ...], int]]:
    if isinstance(found, dict) and depth:
        for key, value in found.items():
            yield from _numbers(value, (*path, str(key)), depth - 1)
    elif isinstance(found, int) and path:
        yield path, found


def _partition(path: tuple[str, ...], topic: str) -> int | None:
    """The partition whose figure it is; -1 where it is of all topics, None of another topic."""
    if not any("topicDetails" in key for key in path):
        return -1
    numbers = (key.removeprefix(f"{topic}-") for key in path if key.startswith(f"{topic}-"))
    return next((int(each) for each in numbers if each.isdecimal()), None)
