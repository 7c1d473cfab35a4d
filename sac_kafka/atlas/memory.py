"""Remember what was sent, so that columns and column lineage are sent once and not with every run.

A group of entities is remembered by a digest of its content and by the names of its members, so that members that
disappear can be deleted by name. The caller reports the delivery of each message: `confirm` if it was delivered, `forget`
otherwise (spooled, dropped, sent again). An unconfirmed message may still arrive, for example from the spool; so its
members can be deleted by name from the time it is in flight (`mark_in_flight`).

The memory of earlier runs (`earlier`) is used only after `trust_earlier`, which states that messages go to the same
server: a new server needs everything.

Atlas deletes the columns of a dropped table and creates new ones when the table is re-created. So `drop` also forgets the
groups that are `about` the table: column lineage belongs to a process and would otherwise still count as sent.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.flows.standing import FlowRow, StandingFlows
from sac_kafka.atlas.model import AtlasObjectId, EntityGroup, GroupToken
from sac_kafka.atlas.wire.message import encode

MAX_GROUPS = 10_000
MAX_MEMBERS = 10_000
"""Approximate maximum of names remembered per group; members beyond it cannot be deleted by name."""
MAX_RETURNS = 3
"""Returns of superseded members after which the members of the same subject are no longer deleted."""
SLACK_MS = 600_000
"""Tolerated clock skew of an earlier run in milliseconds; entries further in the future have an unknown age."""


class EntityNames:
    """Names of entities: a set, or the JSON written by an earlier run, parsed on first use.

    Names make up most of the memory, and few of them are ever needed.
    """

    __slots__ = ("_found", "_text")

    def __init__(self, found: frozenset[AtlasObjectId] | None = None, text: str = "[]") -> None:
        self._found = found
        self._text = text

    @property
    def found(self) -> frozenset[AtlasObjectId]:
        """The names; empty if the text is not valid."""
        if self._found is None:
            try:
                self._found = frozenset(AtlasObjectId(*name) for name in json.loads(self._text))
            except (ValueError, TypeError, RecursionError):
                self._found = frozenset()
        return self._found

    @property
    def text(self) -> str:
        """The names as JSON."""
        return self._text if self._found is None else encode(sorted(self._found))


@dataclass(frozen=True, slots=True, kw_only=True)
class SentGroup:
    """State of a sent group: the `spans` of its confirmed members, all with the same digest.

    `since_ms` is the time of the first confirmation in epoch milliseconds. `members` are all members ever sent and not
    deleted since.
    """

    digest: str
    since_ms: int
    spans: frozenset[tuple[int, int]]
    size: int
    about: frozenset[AtlasObjectId] = frozenset()
    members: EntityNames = field(default_factory=EntityNames)

    def is_complete(self) -> bool:
        """Return True if every member was confirmed."""
        reached = 0
        for start, stop in sorted(self.spans):
            if start > reached:
                return False
            reached = max(reached, stop)
        return reached >= self.size

    def is_old(self, now_ms: int, max_age_ms: int) -> bool:
        """Return True if the group has expired, or was confirmed by a clock that was too far ahead."""
        return not -SLACK_MS <= now_ms - self.since_ms < max_age_ms

    def forgotten(self) -> SentGroup:
        """Return the group as unconfirmed; its names are kept, because vanished members are deleted by name."""
        return replace(self, spans=frozenset())


class Remembered:
    """Memory of the groups that the server has. Not thread-safe.

    The age of a group is that of its first confirmed part; after `max_age_ms` the group is sent again. Beyond `max_groups`
    the group confirmed longest ago is forgotten, which bounds the memory of a long-running driver.
    """

    def __init__(
        self,
        *,
        max_age_ms: int,
        max_groups: int = MAX_GROUPS,
        earlier: Mapping[AtlasObjectId, SentGroup] | None = None,
        flows: Iterable[FlowRow] = (),
    ) -> None:
        self.flows = StandingFlows(flows)
        self._max_age_ms = max_age_ms
        self._max_groups = max_groups
        self._sent: dict[AtlasObjectId, SentGroup] = {}
        self._earlier = dict(earlier or {})
        self._in_flight: dict[AtlasObjectId, frozenset[AtlasObjectId]] = {}  # unconfirmed members by group
        self._changed: dict[AtlasObjectId, None] = {}  # by this run
        self._superseded: dict[AtlasObjectId, None] = {}
        self._returns: Counter[str] = Counter()  # number of returns by subject
        self._dropped: dict[AtlasObjectId, tuple[int, int]] = {}  # epoch and time in milliseconds
        self.epoch = 0
        """Number of drops so far; `confirm` takes the epoch in which a message was created."""

    def __len__(self) -> int:
        return sum(bool(sent.spans) for sent in self._sent.values())

    # ---- queries

    def unsent(self, groups: Iterable[EntityGroup], now_ms: int) -> tuple[EntityGroup, ...]:
        """Return the groups that the server does not have in this form, or that have expired."""
        return tuple(
            group
            for group in groups
            if not self.has(group.owner, now_ms) or self._sent[group.owner].digest != group.digest
        )

    def has(self, owner: AtlasObjectId, now_ms: int) -> bool:
        """Return True if the server certainly has the owner of a group, in any form (R19)."""
        sent = self._sent.get(owner)
        return sent is not None and sent.is_complete() and not sent.is_old(now_ms, self._max_age_ms)

    def is_forgotten(self, owner: AtlasObjectId) -> bool:
        """Return True if a group was sent but no longer counts, because it was lost or a referenced entity was dropped."""
        sent = self._sent.get(owner)
        return sent is not None and not sent.spans

    def sent_members(self, owner: AtlasObjectId) -> frozenset[AtlasObjectId]:
        """Return the members of a group ever sent and not deleted since, including by untrusted earlier runs."""
        return frozenset().union(*(store[owner].members.found for store in self._stores if owner in store))

    def members(self, owner: AtlasObjectId) -> frozenset[AtlasObjectId]:
        """Return the sent members and those in flight: all that the server may have."""
        return self.sent_members(owner) | self._in_flight.get(owner, frozenset())

    def owners(self, type_name: str) -> Iterator[AtlasObjectId]:
        """Yield the entities of a type that own a group or are its subject, including those in flight."""
        found = {name: None for store in self._stores for owner, sent in store.items() for name in (owner, *sent.about)}
        return (each for each in {**found, **dict.fromkeys(self._in_flight)} if each.type_name == type_name)

    def supersede(
        self, subject: str, old: Iterable[AtlasObjectId], now: Iterable[AtlasObjectId]
    ) -> list[AtlasObjectId]:
        """Return the `old` members to delete because the members `now` replace them for good.

        A superseded name that is sent again has returned. Trying an expression and reverting it causes one or two returns;
        more than MAX_RETURNS mean that two statements alternate. Then members of the subject are no longer
        deleted, because deleted entities stay visible in lineage (R17).

        Args:
            subject: The unique name of the column of a process, or of the view, that the members describe.
            old: The members that were sent before.
            now: The members sent now; empty if there are none left.
        """
        back = [id_ for id_ in now if id_ in self._superseded]
        for each in back:
            del self._superseded[each]
        if back:
            self._returns[subject] += 1
        if self._returns[subject] > MAX_RETURNS:
            return []
        gone = sorted(old)
        self._superseded.update(dict.fromkeys(gone))
        return gone

    # ---- delivery

    def mark_in_flight(self, tokens: Iterable[GroupToken]) -> None:
        """Record that a message with these tokens is in flight."""
        for token in tokens:
            known = self._in_flight.pop(token.group, frozenset())
            self._in_flight[token.group] = known if len(known) >= MAX_MEMBERS else known | set(token.members)
            if len(self._in_flight) > self._max_groups:
                del self._in_flight[next(iter(self._in_flight))]

    def confirm(self, tokens: Iterable[GroupToken], now_ms: int, epoch: int | None = None) -> None:
        """Record the delivery of a message created in `epoch`; what was dropped since then stays dropped."""
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
            self._remove_in_flight(token)
            if len(self._sent) > self._max_groups:
                del self._sent[next(iter(self._sent))]

    def forget(self, tokens: Iterable[GroupToken]) -> None:
        """Record that a message may be lost: its groups will be sent again as a whole."""
        for token in tokens:
            self._forget(token.group)

    def drop(self, owners: Iterable[AtlasObjectId], now_ms: int) -> None:
        """Forget entities that were deleted or renamed, and everything sent that refers to them."""
        gone = frozenset(owners)
        self.flows.forget(gone)
        self.drop_columns(gone, now_ms)
        for store in self._stores:  # These groups are forgotten already; a deleted subject need not be deleted again.
            store.update(
                {each: replace(sent, about=sent.about - gone) for each, sent in store.items() if sent.about & gone}
            )
        for owner in gone:
            self._in_flight.pop(owner, None)
            for store in self._stores:
                store.pop(owner, None)

    def drop_columns(self, datasets: Iterable[AtlasObjectId], now_ms: int) -> None:
        """Forget everything sent that refers to columns of datasets whose columns were deleted or renamed."""
        self.epoch += 1
        gone = frozenset(datasets)
        self._dropped.update(dict.fromkeys(gone, (self.epoch, now_ms)))
        for owner in [each for store in self._stores for each, sent in store.items() if sent.about & gone]:
            self._forget(owner)
        while len(self._dropped) > self._max_groups:
            del self._dropped[next(iter(self._dropped))]

    def drop_members(self, owner: AtlasObjectId, members: Iterable[AtlasObjectId]) -> None:
        """Remove members that were deleted by name."""
        gone = frozenset(members)
        if owner in self._in_flight:
            self._in_flight[owner] -= gone
        for store in self._stores:
            if owner in store:
                store[owner] = replace(store[owner], members=EntityNames(store[owner].members.found - gone))
                self._changed[owner] = None

    # ---- persistence between runs

    def trust_earlier(self) -> None:
        """Use the memory of earlier runs, because messages go to the same server as theirs."""
        self._sent = {**self._earlier, **self._sent}
        self._earlier = {}

    @property
    def drop_times(self) -> Mapping[AtlasObjectId, int]:
        """Time, in epoch milliseconds, at which entities or their columns were deleted or renamed in this run."""
        return {name: at_ms for name, (_, at_ms) in self._dropped.items()}

    @property
    def changed_groups(self) -> Mapping[AtlasObjectId, SentGroup]:
        """The groups changed in this run."""
        known = {**self._earlier, **self._sent}
        return {owner: known[owner] for owner in self._changed if owner in known}

    @property
    def _stores(self) -> tuple[dict[AtlasObjectId, SentGroup], dict[AtlasObjectId, SentGroup]]:
        return self._sent, self._earlier

    def _remove_in_flight(self, token: GroupToken) -> None:
        left = self._in_flight.pop(token.group, frozenset()) - set(token.members)
        if left:
            self._in_flight[token.group] = left

    def _forget(self, owner: AtlasObjectId) -> None:
        for store in self._stores:
            if owner in store:
                store[owner] = store[owner].forgotten()
                self._changed[owner] = None
