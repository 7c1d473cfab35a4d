"""What has been sent: columns and column lineage travel once, not with every run.

Groups of entities are remembered by a digest of what was said of them, and by the names of their members, so that what
has vanished can be deleted by name. The caller tells how a message fared: delivered is `confirm`, everything else
(spooled, dropped, sent again) is `forget`, because servers forget too.

What an earlier run of this or another application has sent counts too (`earlier`), but only once `trust_earlier` says
that messages still go to the same place: a server that is new must be told everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value
from sac_kafka.atlas.wire.message import encode

MAX_GROUPS = 10_000
MAX_MEMBERS = 10_000
"""Names that are kept of one group; of a wider one the rest cannot be deleted by name."""

_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Token:
    """The members `start` to `stop` (exclusive), of `size` in all, of a group that a message carries."""

    group: AtlasObjectId
    digest: str
    start: int
    stop: int
    size: int
    members: tuple[AtlasObjectId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Entities that are sent once, together with what owns them.

    `owner` is what the group belongs to, `members` may be spread over messages, and every message with one of them
    has the `owners` too.
    """

    owner: AtlasObjectId
    owners: tuple[AtlasEntity, ...]
    members: tuple[AtlasEntity, ...]
    digest: str

    def token(self, start: int, stop: int) -> Token:
        """The token of a message that carries these members."""
        names = tuple(each.id for each in self.members[start:stop])
        return Token(self.owner, self.digest, start, stop, len(self.members), names)


def grouped(owner: AtlasObjectId, *, owners: tuple[AtlasEntity, ...], members: tuple[AtlasEntity, ...]) -> Group:
    """A group with the digest of its members: of what they have, not of what they lack.

    The owners do not count: they are in every message anyway.
    """
    said = encode([(each.id, _had(each), each.references, each.relationships) for each in members])
    return Group(owner=owner, owners=owners, members=members, digest=digest(said, _DIGITS))


def _had(entity: AtlasEntity) -> dict[str, Value]:
    return {name: value for name, value in entity.attributes.items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Sent:
    digest: str
    since_ms: int
    spans: frozenset[tuple[int, int]]
    size: int
    members: frozenset[AtlasObjectId] = frozenset()

    def is_complete(self) -> bool:
        reached = 0
        for start, stop in sorted(self.spans):
            if start > reached:
                return False
            reached = max(reached, stop)
        return reached >= self.size


class Remembered:
    """The groups that the server has, as far as this run knows; used by one thread.

    A group is as old as its first confirmed part, and is sent again after `max_age_ms`. Of more than `max_groups` the
    one confirmed longest ago is forgotten: a driver that lives for months must not grow.
    """

    def __init__(
        self,
        *,
        max_age_ms: int,
        max_groups: int = MAX_GROUPS,
        earlier: Mapping[AtlasObjectId, _Sent] | None = None,
    ) -> None:
        self._max_age_ms = max_age_ms
        self._max_groups = max_groups
        self._sent: dict[AtlasObjectId, _Sent] = {}
        self._earlier = dict(earlier or {})
        self._superseded: dict[AtlasObjectId, None] = {}
        self._revived: set[AtlasObjectId] = set()
        self._dropped: dict[AtlasObjectId, int] = {}
        self.epoch = 0
        """How often something was dropped: `confirm` is told the epoch in which a message was made."""

    def __len__(self) -> int:
        return sum(bool(sent.spans) for sent in self._sent.values())

    # ---- what is to be said

    def unsent(self, groups: Iterable[Group], now_ms: int) -> tuple[Group, ...]:
        """Those that the server does not have in this form, or has not been told of for too long."""
        return tuple(each for each in groups if not self._has(each, now_ms))

    def has(self, owner: AtlasObjectId, now_ms: int) -> bool:
        """True where the server surely has the entity that a group belongs to, in whatever form (R19)."""
        sent = self._sent.get(owner)
        return sent is not None and sent.is_complete() and not self._is_old(sent, now_ms)

    def members(self, owner: AtlasObjectId) -> frozenset[AtlasObjectId]:
        """The members that were ever sent of a group and not deleted since; also by an earlier run, trusted or not."""
        return frozenset().union(*(store[owner].members for store in (self._sent, self._earlier) if owner in store))

    def owners(self, type_name: str) -> Iterator[AtlasObjectId]:
        """The entities of a type that groups belong to."""
        return (each for each in {**self._earlier, **self._sent} if each.type_name == type_name)

    def supersede(
        self, owner: AtlasObjectId, old: Iterable[AtlasObjectId], now: Iterable[AtlasObjectId]
    ) -> list[AtlasObjectId]:
        """Which of the `old` members the members `now` replace for good: those are to be deleted.

        A name that comes back after it was superseded shows that two statements take turns; then nothing of their
        group is deleted any more, because deleted entities stay visible in lineage (R17).
        """
        if any(each in self._superseded for each in now):
            self._revived.add(owner)
        if owner in self._revived:
            return []
        gone = sorted(old)
        self._superseded.update(dict.fromkeys(gone))
        self.drop_members(owner, gone)
        return gone

    # ---- what became of it

    def confirm(self, tokens: Iterable[Token], now_ms: int, epoch: int | None = None) -> None:
        """A message with these tokens, made in `epoch`, was delivered; what was dropped since stays dropped."""
        made = self.epoch if epoch is None else epoch
        for token in (each for each in tokens if self._dropped.get(each.group, 0) <= made):
            sent = self._sent.pop(token.group, None)
            if sent is None or sent.digest != token.digest or self._is_old(sent, now_ms):
                known = sent.members if sent is not None else frozenset[AtlasObjectId]()
                sent = _Sent(token.digest, now_ms, frozenset(), token.size, known)
            members = sent.members | set(token.members) if len(sent.members) < MAX_MEMBERS else sent.members
            self._sent[token.group] = replace(sent, spans=sent.spans | {(token.start, token.stop)}, members=members)
            if len(self._sent) > self._max_groups:
                del self._sent[next(iter(self._sent))]

    def forget(self, tokens: Iterable[Token]) -> None:
        """A message with these tokens may not have reached the server: each group is sent again, whole."""
        for token in tokens:
            if token.group in self._sent:
                self._sent[token.group] = replace(self._sent[token.group], spans=frozenset())

    def drop(self, owners: Iterable[AtlasObjectId]) -> None:
        """These entities were deleted or renamed: nothing is known of them any more."""
        self.epoch += 1
        for owner in owners:
            self._sent.pop(owner, None)
            self._earlier.pop(owner, None)
            self._dropped[owner] = self.epoch
        while len(self._dropped) > self._max_groups:
            del self._dropped[next(iter(self._dropped))]

    def drop_members(self, owner: AtlasObjectId, members: Iterable[AtlasObjectId]) -> None:
        """These members were deleted by name."""
        gone = frozenset(members)
        for store in (self._sent, self._earlier):
            if owner in store:
                store[owner] = replace(store[owner], members=store[owner].members - gone)

    # ---- from run to run

    def trust_earlier(self) -> None:
        """Messages go where those of the earlier run went: what it has sent need not be sent again."""
        self._sent = {**self._earlier, **self._sent}
        self._earlier = {}

    @property
    def dropped(self) -> tuple[AtlasObjectId, ...]:
        """What was deleted or renamed in this run."""
        return tuple(self._dropped)

    def to_json(self) -> list[Any]:
        """What a later run can start with."""
        known = {**self._earlier, **self._sent}
        return [
            [*owner, sent.digest, sent.since_ms, sorted(sent.spans), sent.size, sorted(sent.members)]
            for owner, sent in known.items()
        ]

    def _has(self, each: Group, now_ms: int) -> bool:
        sent = self._sent.get(each.owner)
        return sent is not None and sent.digest == each.digest and sent.is_complete() and not self._is_old(sent, now_ms)

    def _is_old(self, sent: _Sent, now_ms: int) -> bool:
        return now_ms - sent.since_ms >= self._max_age_ms


def earlier_of(saved: Iterable[Any]) -> dict[AtlasObjectId, _Sent]:
    """What `Remembered.to_json` gave.

    Raises:
        ValueError, TypeError: It is something else.
    """
    result: dict[AtlasObjectId, _Sent] = {}
    for type_name, qualified_name, said, since_ms, spans, size, members in saved:
        result[AtlasObjectId(type_name, qualified_name)] = _Sent(
            str(said),
            int(since_ms),
            frozenset((int(start), int(stop)) for start, stop in spans),
            int(size),
            frozenset(AtlasObjectId(*each) for each in members),
        )
    return result
