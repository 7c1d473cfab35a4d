"""Hold runs until they are complete, and combine those of one action: bounded, and the same for any order of events.

A run is due some time after its last event if it has ended (so that events that overtake each other, and the other runs of
its action, are included), else after a longer time; a stream some time after its first event that was not reported. Events
that arrive later make it due again. Of runs that no event has touched for a while only an index is in memory; a store has the
rest.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappop, heappush
from itertools import islice
from typing import Protocol

from sac_kafka.model import Outcome
from sac_kafka.model.bounds import Bounded
from sac_kafka.openlineage.applications import Starter
from sac_kafka.openlineage.events import EventError, Facets, NamespacedName, RunEvent, name_of
from sac_kafka.openlineage.flows import FlowOptions, Flows, is_stream
from sac_kafka.openlineage.runs import (
    MergedRun,
    Stamped,
    is_one_action,
    merge,
    merge_action,
    pack,
    run_of,
    unpack,
    weigh,
)

WITHOUT_END = "runs reported without an end"
NOT_READABLE = "rejected: a run: "
"""Prefix of the reasons for runs that are not reported because a facet is unusable."""
TAGS_OF_DATASET = "DatasetEvent: tags, which are reported with flows only"
EVICTED = "runs reported early: too many open runs"
FILLING = "runs reported early: the journal is filling"
MAX_REPORTED = 20_000
"""Reported runs that later events can still change; the oldest is forgotten first."""
MAX_STARTERS = 20_000
MAX_MEMBERS = 100
"""Runs of one action that are considered: those with the latest events."""
MAX_UNPACKED = 1_000
MAX_UNPACKED_BYTES = 8 * 1024 * 1024
"""Limit of the sum of `weigh` of the runs that are not packed: about 80 MB of memory."""

RunKey = tuple[str, str]
"""The namespace of the job, and the run."""
_Action = bytes
"""The digest of the parent and the outputs of the runs of an action."""


class Store(Protocol):
    """A place outside of the memory for what is needed rarely (`bridge.spill`)."""

    def put(self, data: bytes) -> int:
        """Keep bytes; return their number.

        Raises:
            OSError: They cannot be kept.
        """

    def get(self, number: int) -> bytes:
        """Return the bytes of a number.

        Raises:
            OSError: They cannot be read.
        """

    def free(self, number: int) -> None:
        """Forget the bytes of a number."""

    def close(self) -> None:
        """Forget all bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How long runs wait after their last event, in seconds, and how many runs are held."""

    settle: float = 2.0
    idle: float = 300.0
    max_runs: int = 100_000


@dataclass(slots=True)
class _Held:
    """A run, as `MergedRun`, packed, or as the number in the store, and what is needed more often.

    `place` is that of its first event that was not reported, which came at `opened`. `reported` is the hash of its outcomes.
    """

    stored: MergedRun | bytes | int
    touched: float
    place: int
    reported: int | None
    action: _Action | None
    begin_ns: int
    ended_ns: int | None
    need_not_end: bool
    opened: float
    weight: int
    checked: float
    """When it is looked at next, if it is open."""

    @property
    def since(self) -> float:
        """When its wait has begun: streams do not become silent."""
        return self.opened if self.need_not_end else self.touched


@dataclass(slots=True)
class OpenRuns:
    """The runs whose lineage is still to come, and those that were reported. Not thread-safe; times are seconds."""

    options: FlowOptions = field(default_factory=FlowOptions)
    waiting: Waiting = field(default_factory=Waiting)
    store: Store | None = None
    _open: OrderedDict[RunKey, _Held] = field(default_factory=OrderedDict)
    _reported: Bounded[RunKey, _Held] = field(init=False)
    _unpacked: OrderedDict[RunKey, _Held] = field(default_factory=OrderedDict)
    _unpacked_bytes: int = 0
    _unstored: deque[_Held] = field(default_factory=deque)
    _starters: Bounded[str, Starter] = field(default_factory=lambda: Bounded(MAX_STARTERS))
    _actions: dict[_Action, RunKey | dict[RunKey, None]] = field(default_factory=dict)
    _checks: list[tuple[float, RunKey]] = field(default_factory=list)
    _new: list[RunKey] = field(default_factory=list)
    _places: Counter[int] = field(default_factory=Counter)
    _flows: Flows = field(init=False)

    def __post_init__(self) -> None:
        self._flows = Flows(self.options, self._starters)
        self._reported = Bounded(MAX_REPORTED, self._leave)

    def __len__(self) -> int:
        """Return the number of runs that are still to be reported."""
        return len(self._open)

    @property
    def counts(self) -> Counter[str]:
        """What was read and omitted, by reason."""
        return self._flows.counts

    @property
    def places(self) -> frozenset[int]:
        """The places of the earliest events of the open runs."""
        return frozenset(self._places)

    def add(self, event: RunEvent, now: float, place: int = 0) -> None:
        """Add an event; `place` identifies where it is kept until its run is reported, 0 if nowhere.

        Raises:
            EventError: It cannot be united with its run, which stays as it was.
        """
        self.counts["events"] += 1
        key = event.key
        run, reported = run_of(event), None
        earlier = self._open.get(key)
        known = earlier or self._reported.get(key)
        if known is not None:
            try:
                run, reported = merge(self._load(known), run), known.reported
            except RecursionError:
                raise EventError("nested too deeply") from None
            except OSError as error:
                raise EventError(f"its run cannot be read: {error.strerror or error}") from error
            self._close(key)
            self._reported.pop(key, None)
            self._leave(key, known)
        held = _Held(
            run,
            now,
            min(filter(None, (place, earlier.place if earlier is not None else 0)), default=0),
            reported,
            action=_action(run),
            begin_ns=run.begin_ns,
            ended_ns=run.ended_ns,
            need_not_end=is_stream(run) or not run.run_id,
            opened=earlier.opened if earlier is not None else now,
            checked=earlier.checked if earlier is not None else float("inf"),
            weight=weigh(run),
        )
        self._open[key] = held
        self._hold_unpacked(key, held)
        self._places[held.place] += 1
        if held.action is not None:
            self._join(key, held.action)
        for other, run_ in (*self._others(key, held), (key, held)):
            self._check(other, run_, run_.since + self._wait(run_))
        if event.of_job.get("jobType", {}).get("jobType") == "APPLICATION":
            parent = run.facet("parent")
            if (job := name_of(parent.get("job"))) is not None:
                self._starters[event.run_id] = Starter(job, run.parent_run_id)

    def take_reported(self) -> list[RunKey]:
        """Return the runs that were reported since the last call, also without an end; not those that had nothing new."""
        reported, self._new = self._new, []
        return reported

    def define(self, name: NamespacedName, facets: Facets) -> tuple[Outcome, ...]:
        """Return what an event of a dataset means."""
        self.counts["events"] += 1
        if "tags" in facets:
            self.counts[TAGS_OF_DATASET] += 1
        return tuple(self._flows.define(name, {key: Stamped(0, value) for key, value in facets.items()}))

    def due(self, now: float) -> Iterator[tuple[Outcome, ...]]:
        """Yield the outcomes of runs that are due."""
        while self._checks and self._checks[0][0] <= now:
            at, key = heappop(self._checks)
            held = self._open.get(key)
            if held is None or held.checked != at:
                continue
            held.checked = float("inf")
            if (later := held.since + self._wait(held)) > now:
                self._check(key, held, later)
            elif self._is_due(key, held, now):
                yield from self._report(key)
            else:
                self._check(key, held, held.since + self.waiting.idle)
        while len(self._open) > self.waiting.max_runs:
            self.counts[EVICTED] += 1
            yield from self._report(next(iter(self._open)))

    def report_at(self, place: int) -> Iterator[tuple[Outcome, ...]]:
        """Yield the outcomes of the runs whose first event is at a place, so that it is needed no longer."""
        for key in [key for key, held in self._open.items() if held.place == place]:
            if key in self._open:
                self.counts[FILLING] += 1
                yield from self._report(key)

    def all(self) -> Iterator[tuple[Outcome, ...]]:
        """Yield the outcomes of all runs, in the order of their ends: nothing follows."""
        for key in sorted(
            self._open, key=lambda run_: (self._open[run_].ended_ns or self._open[run_].begin_ns, run_[1])
        ):
            if key in self._open:
                yield from self._report(key)

    def _wait(self, held: _Held) -> float:
        return self.waiting.settle if held.ended_ns is not None or held.need_not_end else self.waiting.idle

    def _check(self, key: RunKey, held: _Held, at: float) -> None:
        """Look at a run at a time, if not before."""
        if at < held.checked:
            held.checked = at
            heappush(self._checks, (at, key))

    def _others(self, key: RunKey, held: _Held) -> list[tuple[RunKey, _Held]]:
        """Return the other open runs of the action of a run."""
        members = ((member, self._open.get(member)) for member in self._members(held) if member != key)
        return [(member, other) for member, other in members if other is not None and is_one_action(held, other)]

    def _is_due(self, key: RunKey, held: _Held, now: float) -> bool:
        if held.since + self.waiting.idle <= now:
            return True
        return all(
            (member.ended_ns is not None or member.need_not_end) and member.since + self.waiting.settle <= now
            for _, member in self._others(key, held)
        )

    def _report(self, key: RunKey) -> Iterator[tuple[Outcome, ...]]:
        """Report a run together with the others of its action; nothing if all of it was reported."""
        held = self._open[key]
        members = {key: held}
        for other in self._members(held):
            run = self._open.get(other) or self._reported.get(other)
            if run is not None and is_one_action(held, run):
                members[other] = run
        outcomes: tuple[Outcome, ...] = ()
        try:
            whole = merge_action(map(self._load, members.values()))
            if not (whole.has_ended or held.need_not_end) and whole.outputs and whole.inputs:
                self.counts[WITHOUT_END] += 1
            outcomes = tuple(self._flows.outcomes(whole))
        except RecursionError:  # in a facet, which is read only now
            self.counts[f"{NOT_READABLE}nested too deeply"] += 1
        except (EventError, OSError) as error:
            self.counts[f"{NOT_READABLE}{error}"] += 1
        stated = hash(outcomes)
        is_new = bool(outcomes) and all(member.reported != stated for member in members.values())
        for member in members:
            self._close(member)
            self._reported.pop(member, None)  # so that one of them does not evict another
        for member, run in members.items():
            if (outcomes or run.ended_ns is not None) and run.reported != stated:
                self._new.append(member)
            run.reported = stated
            self._reported[member] = run
        if is_new:
            yield outcomes

    def _close(self, key: RunKey) -> _Held | None:
        held = self._open.pop(key, None)
        if held is not None:
            self._places[held.place] -= 1
            if not self._places[held.place]:
                del self._places[held.place]
        return held

    def _join(self, key: RunKey, action: _Action) -> None:
        """Add a run to its action; most have one run only."""
        known = self._actions.setdefault(action, key)
        if isinstance(known, dict):
            known[key] = None
        elif known != key:
            self._actions[action] = {known: None, key: None}

    def _members(self, held: _Held) -> tuple[RunKey, ...]:
        """Return the runs of the action of a run that came last."""
        members = self._actions.get(held.action) if held.action is not None else None
        if isinstance(members, dict):
            return tuple(islice(reversed(members), MAX_MEMBERS))
        return () if members is None else (members,)

    def _leave(self, key: RunKey, held: _Held) -> None:
        """Forget a run, and that it is one of its action."""
        if isinstance(held.stored, int) and self.store is not None:
            self.store.free(held.stored)
        held.stored = b""
        members = self._actions.get(held.action) if held.action is not None else None
        if held.action is None or members is None:
            return
        if isinstance(members, dict):
            members.pop(key, None)
        if members in (key, {}):
            del self._actions[held.action]

    def _load(self, held: _Held) -> MergedRun:
        if isinstance(held.stored, MergedRun):
            return held.stored
        if isinstance(held.stored, int):
            assert self.store is not None
            return unpack(self.store.get(held.stored))
        return unpack(held.stored)

    def _hold_unpacked(self, key: RunKey, held: _Held) -> None:
        """Add a run to those that are not packed, and pack those that were added first if they are too many or too large."""
        if (before := self._unpacked.pop(key, None)) is not None:
            self._unpacked_bytes -= before.weight
        self._unpacked[key] = held
        self._unpacked_bytes += held.weight
        while len(self._unpacked) > MAX_UNPACKED or self._unpacked_bytes > MAX_UNPACKED_BYTES:
            _, first = self._unpacked.popitem(last=False)
            self._unpacked_bytes -= first.weight
            self._pack(first)

    def _pack(self, held: _Held) -> None:
        """Make a run small, unless its facets are nested too deeply; while the store is full, it stays in memory."""
        if isinstance(held.stored, MergedRun):
            with suppress(ValueError):
                held.stored = pack(held.stored)
        if self.store is None or not isinstance(held.stored, bytes):
            return
        self._unstored.append(held)
        with suppress(OSError):
            while self._unstored:
                first = self._unstored[0]
                if isinstance(first.stored, bytes) and first.stored:  # otherwise it was forgotten
                    first.stored = self.store.put(first.stored)
                self._unstored.popleft()


def _action(run: MergedRun) -> _Action | None:
    """Return the action of a run; None without outputs, or without a run."""
    if not run.outputs or not run.run_id:
        return None
    parts = (run.parent_run_id or run.run_id, *sorted(f"{name.namespace}\0{name.name}" for name in run.outputs))
    return blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).digest()
