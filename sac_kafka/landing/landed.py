"""What became of what was sent: stored, a shell, refused, or not there yet; looked up until all is there or the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.sent_names import Sending, SentEntity
from sac_kafka.atlas.types.definitions import by_name
from sac_kafka.landing.judging import Landing, missing
from sac_kafka.landing.server import FoundEntity, Progress

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 2.0


class AskedServer(Protocol):
    """Who is asked."""

    def entity(self, id_: AtlasObjectId) -> FoundEntity:
        """What it has under a name."""

    def progress(self, topic: str) -> Progress:
        """How far it has read a topic."""


@dataclass(frozen=True, slots=True)
class LandedEntity:
    """An entity and what became of it; `why` is in words, "" where it is stored."""

    type_name: str
    name: str
    landing: Landing
    why: str = ""


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of what was sent; true only if all of it is stored.

    Args:
        entities: Each that was sent, or named by what was sent, without columns.
        left_out: Names for which the hook had no room; they were not looked up.
        problem: Why not everything is stored, in one line; None if it is.
    """

    entities: tuple[LandedEntity, ...] = field(default=(), repr=False)
    left_out: int = 0
    problem: str | None = None

    def __bool__(self) -> bool:
        """Whether everything is stored."""
        return self.problem is None

    def names(self, landing: Landing) -> tuple[str, ...]:
        """The names of what became this."""
        return tuple(each.name for each in self.entities if each.landing is landing)


def look_up(
    catalog: AskedServer,
    sent: Mapping[AtlasObjectId, SentEntity],
    timeout_seconds: float,
    *,
    topic: str = "ATLAS_HOOK",
    left_out: int = 0,
    refused: Iterable[str] = (),
    sending: Callable[[Sending], Sending] = lambda known: known,
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Landed:
    """Look up what was sent, again and again until all is stored or the time is up.

    Args:
        catalog: Who is asked.
        sent: What was sent.
        timeout_seconds: How long what is not there may come.
        topic: Which the server reads.
        left_out: As of `Landed`.
        refused: Names that the server says it has refused.
        sending: What is known of how a message was sent by the time that all was looked up, of what was known before.
        pause: Waits.
        clock: Seconds.

    Raises:
        SacKafkaError: The server cannot be asked.
    """
    deadline, seconds = clock() + timeout_seconds, _FIRST_PAUSE
    gone = frozenset(refused)
    found: dict[AtlasObjectId, LandedEntity] = {}
    while True:
        waiting = [each for each in sent if each not in found or found[each].landing is not Landing.STORED]
        for each in waiting:
            found[each] = _landed(each, sent[each], catalog.entity(each), is_refused=each.qualified_name in gone)
        is_open = any(each.landing in (Landing.WAITING, Landing.SHELL) for each in found.values())
        left = deadline - clock()
        if not is_open or left <= 0:
            break
        pause(min(seconds, left))
        seconds = min(seconds * 2, _LONGEST_PAUSE)
    is_missing = any(each.landing is Landing.WAITING for each in found.values())
    progress = catalog.progress(topic) if is_missing else Progress()
    entities = tuple(_judged(each, sending(sent[id_].sending), progress) for id_, each in found.items())
    return Landed(entities, left_out, _problem(entities, left_out))


def _landed(id_: AtlasObjectId, sent: SentEntity, found: FoundEntity, *, is_refused: bool) -> LandedEntity:
    landing, why = Landing.STORED, ""
    if not found.has_type:
        cure = "sac-kafka types apply" if id_.type_name in by_name("entityDefs") else "add it; it is none of the hook's"
        landing, why = Landing.REFUSED, f"the server has no type {id_.type_name}: {cure}"
    elif not found.is_there and is_refused:
        landing, why = Landing.REFUSED, "it stands in the server's log of failed messages"
    elif not found.is_there:
        landing, why = Landing.WAITING, "not there"
    elif found.is_deleted:
        landing, why = Landing.WAITING, "deleted there"
    elif found.is_shell:
        landing, why = Landing.SHELL, "only referred to: nobody has told the server of it"
    elif sent.application_id and found.application_id not in ("", sent.application_id):
        landing, why = Landing.WAITING, f"as of run {found.application_id}, not of {sent.application_id}"
    return LandedEntity(id_.type_name, id_.qualified_name, landing, why)


def _judged(each: LandedEntity, sending: Sending, progress: Progress) -> LandedEntity:
    if each.landing is not Landing.WAITING:
        return each
    landing, why = missing(each.why, sending, progress)
    return replace(each, landing=landing, why=why)


def _problem(entities: tuple[LandedEntity, ...], left_out: int) -> str | None:
    words = {Landing.REFUSED: "refused", Landing.SHELL: "still a shell", Landing.WAITING: "not there yet"}
    told = []
    for landing, word in words.items():
        found = [each for each in entities if each.landing is landing]
        if found:
            told.append(f"{len(found)} {word} ({found[0].name}{', …' if len(found) > 1 else ''}: {found[0].why})")
    if left_out:
        told.append(f"{left_out} more were not looked up")
    return "; ".join(told) or None
