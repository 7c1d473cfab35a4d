"""Hold runs until they are complete, and combine those of one action: bounded, and the same for any order of events.

A run is due some time after its last event if it has ended (so that events that overtake each other, and the other runs of
its action, are included) or is a stream, else after a longer time. Events that arrive later make it due again. Runs that no
event has touched for a while are kept in a compact form.
"""

from __future__ import annotations

import pickle
import zlib
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice

from sac_kafka.model import Outcome
from sac_kafka.model.bounds import Bounded
from sac_kafka.openlineage.applications import Starter
from sac_kafka.openlineage.events import EventError, Facets, NamespacedName, RunEvent, name_of
from sac_kafka.openlineage.flows import FlowOptions, Flows, is_stream
from sac_kafka.openlineage.runs import MergedRun, Stamped, is_one_action, merge, merge_action, run_of

WITHOUT_END = "runs reported without an end"
NOT_READABLE = "rejected: a run: "
"""Prefix of the reasons for runs that are not reported because a facet is unusable."""
EVICTED = "runs reported early: too many open runs"
MAX_REPORTED = 20_000
"""Reported runs that later events can still change; the oldest is forgotten first."""
MAX_STARTERS = 20_000
MAX_MEMBERS = 100
"""Runs of one action that are considered: those with the latest events."""
MAX_UNPACKED = 1_000
_FASTEST = 1

RunKey = tuple[str, str]
"""The namespace of the job, and the run."""
_Action = tuple[str, frozenset[NamespacedName]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How long runs wait after their last event, in seconds, and how many runs are held."""

    settle: float = 2.0
    idle: float = 300.0
    max_runs: int = 100_000


@dataclass(slots=True)
class _Held:
    """A run, as `MergedRun` or packed, and what is needed more often.

    `place` is that of its first event. `reported` is the hash of its outcomes.
    """

    stored: MergedRun | bytes
    touched: float
    place: int
    reported: int | None
    action: _Action | None
    begin_ns: int
    ended_ns: int | None
    need_not_end: bool
    checked: float = float("inf")

    @property
    def run(self) -> MergedRun:
        """The run."""
        if isinstance(self.stored, bytes):
            run: MergedRun = pickle.loads(zlib.decompress(self.stored))  # noqa: S301 our own, never left this process
            return run
        return self.stored

    def pack(self) -> None:
        """Make the run small."""
        if not isinstance(self.stored, bytes):
            with suppress(RecursionError):  # nested too deeply: it stays unpacked
                self.stored = zlib.compress(pickle.dumps(self.stored), _FASTEST)


@dataclass(slots=True)
class OpenRuns:
    """The runs whose lineage is still to come, and those that were reported. Not thread-safe; times are seconds."""

    options: FlowOptions = field(default_factory=FlowOptions)
    waiting: Waiting = field(default_factory=Waiting)
    counts: Counter[str] = field(default_factory=Counter)
    _open: OrderedDict[RunKey, _Held] = field(default_factory=OrderedDict)
    _reported: Bounded[RunKey, _Held] = field(init=False)
    _unpacked: Bounded[RunKey, _Held] = field(init=False)
    _starters: Bounded[str, Starter] = field(default_factory=lambda: Bounded(MAX_STARTERS))
    _actions: dict[_Action, dict[RunKey, None]] = field(default_factory=dict)
    _checks: list[tuple[float, RunKey]] = field(default_factory=list)
    _ended: list[RunKey] = field(default_factory=list)
    _places: Counter[int] = field(default_factory=Counter)
    _flows: Flows = field(init=False)

    def __post_init__(self) -> None:
        self._flows = Flows(self.options, self._starters, self.counts)
        self._reported = Bounded(MAX_REPORTED, lambda key, held: self._leave(key, held.action))
        self._unpacked = Bounded(MAX_UNPACKED, lambda _, held: held.pack())

    def __len__(self) -> int:
        """Return the number of runs that are still to be reported."""
        return len(self._open)

    @property
    def places(self) -> frozenset[int]:
        """The places of the earliest events of the open runs."""
        return frozenset(self._places)

    def add(self, event: RunEvent, now: float, place: int = 0) -> None:
        """Add an event; `place` identifies where it is kept until its run is reported, 0 if nowhere."""
        self.counts["events"] += 1
        key = (event.job.namespace, event.run_id)
        run, reported = run_of(event), None
        earlier = self._close(key)
        known = earlier or self._reported.pop(key, None)
        if known is not None:
            self._leave(key, known.action)
            run, reported = merge(known.run, run), known.reported
        held = _Held(
            run,
            now,
            min(filter(None, (place, known.place if known is not None else 0)), default=0),
            reported,
            action=(run.parent_run_id or run.run_id, frozenset(run.outputs)) if run.outputs else None,
            begin_ns=run.begin_ns,
            ended_ns=run.ended_ns,
            need_not_end=is_stream(run),
        )
        self._open[key] = self._unpacked[key] = held
        self._places[held.place] += 1
        if held.action is not None:
            self._actions.setdefault(held.action, {})[key] = None
        for other, of in (*self._others(key, held), (key, held)):
            self._check(other, of, of.touched + self._wait(of))
        if event.of_job.get("jobType", {}).get("jobType") == "APPLICATION":
            parent = run.facet("parent")
            if (job := name_of(parent.get("job"))) is not None:
                self._starters[event.run_id] = Starter(job, run.parent_run_id)

    def take_ended(self) -> list[RunKey]:
        """Return the runs that have ended and were reported since the last call."""
        found, self._ended = self._ended, []
        return found

    def define(self, name: NamespacedName, facets: Facets) -> tuple[Outcome, ...]:
        """Return what an event of a dataset means."""
        self.counts["events"] += 1
        return tuple(self._flows.define(name, {key: Stamped(0, value) for key, value in facets.items()}))

    def due(self, now: float) -> Iterator[tuple[Outcome, ...]]:
        """Yield the outcomes of runs that are due."""
        while self._checks and self._checks[0][0] <= now:
            at, key = heappop(self._checks)
            held = self._open.get(key)
            if held is None or held.checked != at:
                continue
            held.checked = float("inf")
            if (later := held.touched + self._wait(held)) > now:
                self._check(key, held, later)
            elif self._is_due(key, held, now):
                yield from self._report(key)
            else:
                self._check(key, held, held.touched + self.waiting.idle)
        while len(self._open) > self.waiting.max_runs:
            self.counts[EVICTED] += 1
            yield from self._report(next(iter(self._open)))

    def all(self) -> Iterator[tuple[Outcome, ...]]:
        """Yield the outcomes of all runs, in the order of their ends: nothing follows."""
        for key in sorted(
            self._open, key=lambda each: (self._open[each].ended_ns or self._open[each].begin_ns, each[1])
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
        keys = islice(reversed(self._actions.get(held.action, {})), MAX_MEMBERS) if held.action else ()
        return [(each, of) for each in keys if each != key and (of := self._open.get(each)) and is_one_action(held, of)]

    def _is_due(self, key: RunKey, held: _Held, now: float) -> bool:
        if held.touched + self.waiting.idle <= now:
            return True
        return all(
            (of.ended_ns is not None or of.need_not_end) and of.touched + self.waiting.settle <= now
            for _, of in self._others(key, held)
        )

    def _report(self, key: RunKey) -> Iterator[tuple[Outcome, ...]]:
        """Report a run together with the others of its action; nothing if all of it was reported."""
        held = self._open[key]
        members = {key: held}
        for other in islice(reversed(self._actions[held.action]), MAX_MEMBERS) if held.action else ():
            run = self._open.get(other) or self._reported.get(other)
            if run is not None and is_one_action(held, run):
                members[other] = run
        outcomes: tuple[Outcome, ...] = ()
        try:
            whole = merge_action(each.run for each in members.values())
            if not whole.has_ended and not is_stream(whole) and whole.outputs and whole.inputs:
                self.counts[WITHOUT_END] += 1
            outcomes = tuple(self._flows.outcomes(whole))
        except (EventError, RecursionError) as error:  # in a facet, which is read only now
            self.counts[f"{NOT_READABLE}{error if isinstance(error, EventError) else 'nested too deeply'}"] += 1
        stated = hash(outcomes)
        is_new = bool(outcomes) and all(each.reported != stated for each in members.values())
        for each, run in members.items():
            self._close(each)
            run.reported = stated
            self._reported[each] = run
            if run.ended_ns is not None:
                self._ended.append(each)
        if is_new:
            yield outcomes

    def _close(self, key: RunKey) -> _Held | None:
        held = self._open.pop(key, None)
        if held is not None:
            self._places[held.place] -= 1
            if not self._places[held.place]:
                del self._places[held.place]
        return held

    def _leave(self, key: RunKey, action: _Action | None) -> None:
        members = self._actions.get(action) if action is not None else None
        if members is not None and action is not None:
            members.pop(key, None)
            if not members:
                del self._actions[action]
