"""Verify that sent entities are stored in the catalog, polling the server until they are or a timeout expires."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.sent_names import Sending, SentNames, TopicPlace
from sac_kafka.catalog.entities import (
    EntityState,
    Progress,
    catalog_of,
    entity_state,
    explain_missing,
    progress_of,
)
from sac_kafka.catalog.server import JsonServer
from sac_kafka.errors import SacKafkaError
from sac_kafka.settings import Settings
from sac_kafka.transport.http.failures import DRIVER_SETTINGS
from sac_kafka.transport.spool.spool import Spool

_FIRST_PAUSE, _MAX_PAUSE = 0.2, 2.0
_OPEN = (EntityState.PENDING, EntityState.SHELL)
_STATES_IN_WORDS = {
    EntityState.REJECTED: "rejected",
    EntityState.SHELL: "only a shell",
    EntityState.PENDING: "not stored yet",
}


@dataclass(frozen=True, slots=True)
class VerifiedEntity:
    """Sent entity with its state in the catalog; `reason` is a sentence, "" if it is stored."""

    type_name: str
    name: str
    state: EntityState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of a verification; true only if everything is stored.

    Args:
        entities: All entities that were sent or referred to, without columns.
        unchecked: Number of entities above the limit, which were not looked up.
        problem: Why not everything is stored, in one line; None if everything is.
    """

    entities: tuple[VerifiedEntity, ...] = field(default=(), repr=False)
    unchecked: int = 0
    problem: str | None = None

    def __bool__(self) -> bool:
        """Return whether everything is stored."""
        return self.problem is None

    def names(self, state: EntityState) -> tuple[str, ...]:
        """Return the qualified names of the entities in a state."""
        return tuple(entity.name for entity in self.entities if entity.state is state)


def verify(
    server: JsonServer,
    names: SentNames,
    timeout_seconds: float,
    *,
    topic: str = "ATLAS_HOOK",
    rejected: Iterable[str] = (),
    sending: Callable[[Sending], Sending] = lambda known: known,
) -> Verification:
    """Look up sent entities, repeatedly until all are stored or the timeout expires.

    Args:
        server: The Atlas server.
        names: The sent entities, with what is known about the sending of their messages.
        timeout_seconds: How long to wait for missing entities.
        topic: The topic that the server consumes.
        rejected: Qualified names that the server has logged as rejected.
        sending: Updates what is known about the sending of a message, after the last look-up.

    Raises:
        SacKafkaError: The server cannot be reached or refuses access.
    """
    sent = names.sent
    deadline, seconds = time.monotonic() + timeout_seconds, _FIRST_PAUSE
    rejected_names = frozenset(rejected)
    found: dict[AtlasObjectId, VerifiedEntity] = {}
    while True:
        missing = [each for each in sent if each not in found or found[each].state is not EntityState.STORED]
        for each in missing:
            is_rejected = each.qualified_name in rejected_names
            state, reason = entity_state(server, each, sent[each], is_rejected=is_rejected)
            found[each] = VerifiedEntity(each.type_name, each.qualified_name, state, reason)
        is_open = any(each.state in _OPEN for each in found.values())
        left = deadline - time.monotonic()
        if not is_open or left <= 0:
            break
        time.sleep(min(seconds, left))
        seconds = min(seconds * 2, _MAX_PAUSE)
    is_pending = any(each.state is EntityState.PENDING for each in found.values())
    progress = progress_of(server, topic) if is_pending else Progress()
    entities = tuple(_diagnose(each, sending(sent[id_].sending), progress) for id_, each in found.items())
    return Verification(entities, names.omitted, _problem(entities, names.omitted))


def verify_sent(settings: Settings, names: SentNames, spool: Spool, timeout_seconds: float) -> Verification:
    """Verify the entities that a hook has sent; an unreachable server is reported as `problem`, not raised."""
    try:
        return verify(
            catalog_of(settings, settings.rest.timeout_seconds, DRIVER_SETTINGS),
            names,
            timeout_seconds,
            topic=settings.sink.topic,
            sending=lambda known: _sending(known, spool),
        )
    except SacKafkaError as e:
        return Verification(unchecked=names.omitted, problem=str(e))


def _sending(known: Sending, spool: Spool) -> Sending:
    """Add the position of the last delivered record: messages are sent in order, so all earlier ones are before it."""
    position = spool.position()
    partition = position.log.rpartition("/")[2] if position is not None else ""
    place = TopicPlace(int(partition), position.end - 1) if position is not None and partition.isdecimal() else None
    return replace(known, place=place, is_spooled=bool(spool.figures["records"] or spool.in_flight))


def _diagnose(entity: VerifiedEntity, sending: Sending, progress: Progress) -> VerifiedEntity:
    if entity.state is not EntityState.PENDING:
        return entity
    state, reason = explain_missing(entity.reason, sending, progress)
    return replace(entity, state=state, reason=reason)


def _problem(entities: tuple[VerifiedEntity, ...], unchecked: int) -> str | None:
    problems = []
    for state, words in _STATES_IN_WORDS.items():
        found = [entity for entity in entities if entity.state is state]
        if found:
            more = ", …" if len(found) > 1 else ""
            problems.append(f"{len(found)} {words} ({found[0].name}{more}: {found[0].reason})")
    if unchecked:
        problems.append(f"{unchecked} more were not looked up")
    return "; ".join(problems) or None
