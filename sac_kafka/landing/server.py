"""What a server is asked: an entity by its name, and when it last took a message."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.errors import ConfigurationError, SacKafkaError
from sac_kafka.settings.rest import Rest
from sac_kafka.transport.http import HttpServer, UnansweredError, address_problem, shown_address, trusting

NO_ADDRESS = (
    "atlas.rest.address is not set: it is where to look up what was sent, such as https://atlas.example.org:21443"
)
_NOT_THERE = ("ATLAS-404-00-009", "ATLAS-404-00-005")
_NO_TYPE = ("ATLAS-404-00-001", "ATLAS-400-00-014")
"""Atlas' codes of an entity that is not there, and of a type that is not. Source: `org.apache.atlas.AtlasErrorCode`."""
_LAST = "lastMessageProcessedTime"


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
class CatalogServer:
    """The REST interface of an Atlas server."""

    http: HttpServer
    timeout_seconds: float

    @classmethod
    def of(cls, settings: Rest, timeout_seconds: float) -> CatalogServer:
        """The server of the settings.

        Raises:
            ConfigurationError: None is named, or not as it may be.
        """
        address = (settings.address or "").partition(",")[0].strip()
        if not address:
            raise ConfigurationError(NO_ADDRESS)
        address = address if "://" in address else f"http://{address}"
        problem = address_problem(address)
        if problem is not None:
            raise ConfigurationError(f"{settings.address_key} {shown_address(address)}: {problem}")
        try:
            tls = trusting(Path(settings.ca_file) if settings.ca_file else None)
        except OSError as error:
            raise ConfigurationError(
                f"atlas.hook.spark.rest.ca.file {settings.ca_file}: {error.strerror or error}; name a PEM file of certificates"
            ) from None
        user = settings.user if settings.password else None
        http = HttpServer(address=address, user=user, password=settings.password, token=settings.token, tls=tls)
        return cls(http, timeout_seconds)

    def entity(self, id_: AtlasObjectId) -> FoundEntity:
        """What it has of a type under a name.

        Raises:
            SacKafkaError: It does not answer, or refuses to.
        """
        name = urllib.parse.quote(id_.qualified_name, safe="", errors="replace")
        path = f"/api/atlas/v2/entity/uniqueAttribute/type/{urllib.parse.quote(id_.type_name, safe='')}"
        found = self._get(f"{path}?attr:qualifiedName={name}&minExtInfo=true&ignoreRelationships=true")
        if isinstance(found, FoundEntity):
            return found
        entity = found.get("entity")
        entity = entity if isinstance(entity, dict) else {}
        return FoundEntity(
            is_there=True,
            is_shell=entity.get("isIncomplete") is True,
            is_deleted=entity.get("status") == "DELETED",
            application_id=_application_id(entity),
        )

    def last_taken_ms(self, topic: str) -> int | None:
        """When it last took a message from a topic, epoch milliseconds; None where it does not say."""
        try:
            found = self._get("/api/atlas/admin/metrics")
        except SacKafkaError:
            return None  # who may look up entities may not see metrics
        times = [value for path, value in _numbers(found, ()) if path[-1].endswith(_LAST) and _is_of(path, topic)]
        return max((time for time in times if time > 0), default=None)

    def _get(self, path: str) -> dict[str, Any] | FoundEntity:
        address = shown_address(self.http.address)
        try:
            answer = self.http.ask("GET", path, None, self.timeout_seconds)
        except UnansweredError as error:
            raise SacKafkaError(
                f"atlas.rest.address {address}: {error}; check the address and that the server runs"
            ) from None
        if answer.said.startswith(_NO_TYPE):
            return FoundEntity(is_there=False, has_type=False)
        if answer.said.startswith(_NOT_THERE):
            return FoundEntity(is_there=False)
        if answer.status in (401, 403):
            raise SacKafkaError(
                f"atlas.rest.address {address}: HTTP {answer.status}: the log-in is missing or refused: set "
                "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password, or atlas.hook.spark.rest.token"
            )
        try:
            found = json.loads(answer.body) if 200 <= answer.status < 300 else None
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise SacKafkaError(
                f"atlas.rest.address {address}: HTTP {answer.status}: {answer.said or 'no answer of an Atlas server'}; "
                "give what comes before /api/atlas"
            )
        return found


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


def _is_of(path: tuple[str, ...], topic: str) -> bool:
    """A figure of the topic's, or of all topics."""
    topics = [key for key in path if key.startswith(topic)]
    return bool(topics) or not any("topicDetails" in key for key in path)
