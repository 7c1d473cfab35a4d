"""What has been sent: columns and column lineage travel once, not with every run.

Groups of entities are remembered by a digest of what was said of them. The caller tells how a message fared: delivered
is `confirm`, everything else (spooled, dropped, sent again) is `forget`, because servers forget too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.message import encode
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId

MAX_AGE_MS = 24 * 60 * 60 * 1000
MAX_GROUPS = 10_000
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Token:
    """The members `start` to `stop` (exclusive), of `size` in all, of a group that a message carries."""

    group: AtlasObjectId
    digest: str
    start: int
    stop: int
    size: int


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
        return Token(self.owner, self.digest, start, stop, len(self.members))


def grouped(owner: AtlasObjectId, *, owners: tuple[AtlasEntity, ...], members: tuple[AtlasEntity, ...]) -> Group:
    """A group with the digest of its members. The owners do not count: they are in every message anyway."""
    said = encode([(each.id, each.attributes, each.references, each.custom_attributes) for each in members])
    return Group(owner=owner, owners=owners, members=members, digest=digest(said, _DIGITS))


@dataclass(frozen=True, slots=True)
class _Sent:
    digest: str
    since_ms: int
    spans: frozenset[tuple[int, int]]
    size: int

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

    def __init__(self, *, max_age_ms: int = MAX_AGE_MS, max_groups: int = MAX_GROUPS) -> None:
        self._max_age_ms = max_age_ms
        self._max_groups = max_groups
        self._sent: dict[AtlasObjectId, _Sent] = {}

    def __len__(self) -> int:
        return len(self._sent)

    def unsent(self, groups: Iterable[Group], now_ms: int) -> tuple[Group, ...]:
        """Those that the server does not have in this form, or has not been told of for too long."""
        return tuple(each for each in groups if not self._has(each, now_ms))

    def confirm(self, tokens: Iterable[Token], now_ms: int) -> None:
        """A message with these tokens was delivered."""
        for token in tokens:
            sent = self._sent.pop(token.group, None)
            if sent is None or sent.digest != token.digest or self._is_old(sent, now_ms):
                sent = _Sent(token.digest, now_ms, frozenset(), token.size)
            self._sent[token.group] = replace(sent, spans=sent.spans | {(token.start, token.stop)})
            if len(self._sent) > self._max_groups:
                del self._sent[next(iter(self._sent))]

    def forget(self, tokens: Iterable[Token]) -> None:
        """A message with these tokens may not have reached the server: each group is sent again, whole."""
        for token in tokens:
            self._sent.pop(token.group, None)

    def _has(self, each: Group, now_ms: int) -> bool:
        sent = self._sent.get(each.owner)
        return sent is not None and sent.digest == each.digest and sent.is_complete() and not self._is_old(sent, now_ms)

    def _is_old(self, sent: _Sent, now_ms: int) -> bool:
        return now_ms - sent.since_ms >= self._max_age_ms
