"""What has been sent: columns and column lineage travel once, not with every run.

Groups of entities are remembered by a digest of what was said of them, and by the names of their members, so that what
has vanished can be deleted by name. The caller tells how a message fared: delivered is `confirm`, everything else
(spooled, dropped, sent again) is `forget`, because servers forget too. But a message that nobody has confirmed may arrive
after all, as one from the spool does: by name, what it says can be deleted from the moment on at which it is `handed` over.

What an earlier run of this or another application has sent counts too (`earlier`), but only once `trust_earlier` says
that messages still go to the same place: a server that is new must be told everything.

A server deletes the columns of a dropped table, and makes new ones when the table comes back. So `drop` also forgets the
groups that are `about` the table: column lineage into its columns and out of them belongs to a process, and would
otherwise count as sent.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.groups import EntityGroup, GroupToken
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.wire.message import encode

MAX_GROUPS = 10_000
MAX_MEMBERS = 10_000
"""Names that are kept of one group; of a wider one the rest cannot be deleted by name."""
MAX_RETURNS = 3
"""How often a superseded member may come back until the members of what it describes are kept."""
SLACK_MS = 600_000
"""So far ahead may the clock of an earlier run have been; what was sent later than that is of unknown age."""


class EntityNames:
    """Names of entities: a set, or the JSON that an earlier run has written of one, read when somebody asks.

    Nearly all that is remembered are names, and nearly none of them are asked for.
    """

    __slots__ = ("_found", "_text")

    def __init__(self, found: frozenset[AtlasObjectId] | None = None, text: str = "[]") -> None:
        self._found = found
        self._text = text

    @property
    def found(self) -> frozenset[AtlasObjectId]:
        """The names; none of a text that is none of ours."""
        if self._found is None:
            try:
                self._found = frozenset(AtlasObjectId(*each) for each in json.loads(self._text))
            except (ValueError, TypeError, RecursionError):
                self._found = frozenset()
        return self._found

    @property
    def text(self) -> str:
        """The names as JSON."""
        return self._text if self._found is None else encode(sorted(self._found))


@dataclass(frozen=True, slots=True, kw_only=True)
class SentGroup:
    """What is known of a group: the `spans` of its members that were confirmed, all in the form of one digest.

    `since_ms` is when the first of them was, in epoch milliseconds. `members` are all that were ever sent and not
    deleted since.
    """

    digest: str
    since_ms: int
    spans: frozenset[tuple[int, int]]
    size: int
    about: frozenset[AtlasObjectId] = frozenset()
    members: EntityNames = field(default_factory=EntityNames)

    def is_complete(self) -> bool:
        """True where every member was confirmed."""
        reached = 0
        for start, stop in sorted(self.spans):
            if start > reached:
                return False
            reached = max(reached, stop)
        return reached >= self.size

    def is_old(self, now_ms: int, max_age_ms: int) -> bool:
        """True where it counts as forgotten by the server, or comes from a clock that was ahead."""
        return not -SLACK_MS <= now_ms - self.since_ms < max_age_ms

    def forgotten(self) -> SentGroup:
        """The same, to be sent again whole; the names stay, because what vanishes is deleted by name."""
        return replace(self, spans=frozenset())


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
        earlier: Mapping[AtlasObjectId, SentGroup] | None = None,
    ) -> None:
        self._max_age_ms = max_age_ms
        self._max_groups = max_groups
        self._sent: dict[AtlasObjectId, SentGroup] = {}
        self._earlier = dict(earlier or {})
        self._handed: dict[AtlasObjectId, frozenset[AtlasObjectId]] = {}  # groups, and their members, not confirmed
        self._changed: dict[AtlasObjectId, None] = {}  # by this run
        self._superseded: dict[AtlasObjectId, None] = {}
        self._returns: Counter[str] = Counter()  # by what is described, how often a superseded member came back
        self._dropped: dict[AtlasObjectId, tuple[int, int]] = {}  # to the epoch and the time
        self.epoch = 0
        """How often something was dropped: `confirm` is told the epoch in which a message was made."""

    def __len__(self) -> int:
        return sum(bool(sent.spans) for sent in self._sent.values())

    # ---- what is to be said

    def unsent(self, groups: Iterable[EntityGroup], now_ms: int) -> tuple[EntityGroup, ...]:
        """Those that the server does not have in this form, or has not been told of for too long."""
        return tuple(each for each in groups if not self._has(each, now_ms))

    def has(self, owner: AtlasObjectId, now_ms: int) -> bool:
        """True where the server surely has the entity that a group belongs to, in whatever form (R19)."""
        sent = self._sent.get(owner)
        return sent is not None and sent.is_complete() and not sent.is_old(now_ms, self._max_age_ms)

    def is_forgotten(self, owner: AtlasObjectId) -> bool:
        """True where a group was sent, and does not count any more: something it refers to was dropped, or it was lost."""
        sent = self._sent.get(owner)
        return sent is not None and not sent.spans

    def sent_members(self, owner: AtlasObjectId) -> frozenset[AtlasObjectId]:
        """The members that were ever sent of a group and not deleted since; also by an earlier run, trusted or not."""
        return frozenset().union(*(store[owner].members.found for store in self._stores if owner in store))

    def members(self, owner: AtlasObjectId) -> frozenset[AtlasObjectId]:
        """Those, and the members that are on their way: all that a server may have."""
        return self.sent_members(owner) | self._handed.get(owner, frozenset())

    def owners(self, type_name: str) -> Iterator[AtlasObjectId]:
        """The entities of a type that groups belong to, or are about; also those that are on their way."""
        found = {name: None for store in self._stores for owner, sent in store.items() for name in (owner, *sent.about)}
        return (each for each in {**found, **dict.fromkeys(self._handed)} if each.type_name == type_name)

    def supersede(self, what: str, old: Iterable[AtlasObjectId], now: Iterable[AtlasObjectId]) -> list[AtlasObjectId]:
        """Return which of the `old` members the members `now` replace for good: those are to be deleted.

        A name that is sent again after it was superseded has come back. Who tries an expression and takes it back does
        that once or twice; after more than MAX_RETURNS two statements alternate. Then members of `what` are no longer
        deleted, because deleted entities stay visible in lineage (R17).

        Args:
            what: The unique name of what the members describe: a column of a process, a view.
            old: The members that were sent before.
            now: Those that are sent now; empty where there are none any more.
        """
        back = [each for each in now if each in self._superseded]
        for each in back:
            del self._superseded[each]
        if back:
            self._returns[what] += 1
        if self._returns[what] > MAX_RETURNS:
            return []
        gone = sorted(old)
        self._superseded.update(dict.fromkeys(gone))
        return gone

    # ---- what became of it

    def handed(self, tokens: Iterable[GroupToken]) -> None:
        """A message with these tokens is on its way."""
        for token in tokens:
            known = self._handed.pop(token.group, frozenset())
            self._handed[token.group] = known if len(known) >= MAX_MEMBERS else known | set(token.members)
            if len(self._handed) > self._max_groups:
                del self._handed[next(iter(self._handed))]

    def confirm(self, tokens: Iterable[GroupToken], now_ms: int, epoch: int | None = None) -> None:
        """A message with these tokens, made in `epoch`, was delivered; what was dropped since stays dropped."""
        made = self.epoch if epoch is None else epoch
        for token in tokens:
            if any(self._dropped.get(each, (0, 0))[0] > made for each in (token.group, *token.about)):
                continue
            sent = self._sent.pop(token.group, None)
            if sent is None or not sent.spans or sent.digest != token.digest or sent.is_old(now_ms, self._max_age_ms):
                known = sent.members if sent is not None else EntityNames()
                sent = SentGroup(
                    digest=token.digest, since_ms=now_ms, spans=frozenset(), size=token.size, members=known
                )
            members = sent.members
            if len(members.found) < MAX_MEMBERS:
                members = EntityNames(members.found | set(token.members))
            self._sent[token.group] = replace(
                sent, spans=sent.spans | {(token.start, token.stop)}, members=members, about=token.about
            )
            self._changed[token.group] = None
            self._arrived(token)
            if len(self._sent) > self._max_groups:
                del self._sent[next(iter(self._sent))]

    def forget(self, tokens: Iterable[GroupToken]) -> None:
        """A message with these tokens may not have reached the server: each group is sent again, whole."""
        for token in tokens:
            self._forget(token.group)

    def drop(self, owners: Iterable[AtlasObjectId], now_ms: int) -> None:
        """These entities were deleted or renamed: nothing is known of them, nor sent that refers to them, any more."""
        gone = frozenset(owners)
        self.drop_columns(gone, now_ms)
        for store in self._stores:  # already forgotten; what is not there any more need not be deleted again
            store.update(
                {each: replace(sent, about=sent.about - gone) for each, sent in store.items() if sent.about & gone}
            )
        for owner in gone:
            self._handed.pop(owner, None)
            for store in self._stores:
                store.pop(owner, None)

    def drop_columns(self, datasets: Iterable[AtlasObjectId], now_ms: int) -> None:
        """Columns of these datasets were deleted or renamed: what was sent that refers to them does not count any more."""
        self.epoch += 1
        gone = frozenset(datasets)
        self._dropped.update(dict.fromkeys(gone, (self.epoch, now_ms)))
        for owner in [each for store in self._stores for each, sent in store.items() if sent.about & gone]:
            self._forget(owner)
        while len(self._dropped) > self._max_groups:
            del self._dropped[next(iter(self._dropped))]

    def drop_members(self, owner: AtlasObjectId, members: Iterable[AtlasObjectId]) -> None:
        """These members were deleted by name."""
        gone = frozenset(members)
        if owner in self._handed:
            self._handed[owner] -= gone
        for store in self._stores:
            if owner in store:
                store[owner] = replace(store[owner], members=EntityNames(store[owner].members.found - gone))
                self._changed[owner] = None

    # ---- from run to run

    def trust_earlier(self) -> None:
        """Messages go where those of the earlier run went: what it has sent need not be sent again."""
        self._sent = {**self._earlier, **self._sent}
        self._earlier = {}

    @property
    def dropped(self) -> Mapping[AtlasObjectId, int]:
        """What was deleted or renamed in this run, or had columns that were, and when, in epoch milliseconds."""
        return {name: at_ms for name, (_, at_ms) in self._dropped.items()}

    @property
    def changed(self) -> Mapping[AtlasObjectId, SentGroup]:
        """The groups that something became of in this run."""
        known = {**self._earlier, **self._sent}
        return {owner: known[owner] for owner in self._changed if owner in known}

    @property
    def _stores(self) -> tuple[dict[AtlasObjectId, SentGroup], dict[AtlasObjectId, SentGroup]]:
        return self._sent, self._earlier

    def _arrived(self, token: GroupToken) -> None:
        left = self._handed.pop(token.group, frozenset()) - set(token.members)
        if left:
            self._handed[token.group] = left

    def _forget(self, owner: AtlasObjectId) -> None:
        for store in self._stores:
            if owner in store:
                store[owner] = store[owner].forgotten()
                self._changed[owner] = None

    def _has(self, each: EntityGroup, now_ms: int) -> bool:
        sent = self._sent.get(each.owner)
        return (
            sent is not None
            and sent.digest == each.digest
            and sent.is_complete()
            and not sent.is_old(now_ms, self._max_age_ms)
        )
