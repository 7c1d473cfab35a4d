"""Hold runs until they are complete, and combine those of one action: bounded, and the same for any order of events.

A run is due some time after its last event if it has ended (so that events that overtake each other, and the other runs of
its action, are included) or is a stream, else after a longer time. Events that arrive later make it due again.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sac_kafka.model import Outcome
from sac_kafka.model.bounds import Bounded
from sac_kafka.openlineage.events import NamespacedName, RunEvent, name_of
from sac_kafka.openlineage.flows import FlowOptions, Flows, is_stream
from sac_kafka.openlineage.runs import MergedRun, is_one_action, merge, merge_action, run_of

WITHOUT_END = "runs reported without an end"
EVICTED = "runs reported early: too many open runs"
MAX_REPORTED = 20_000
"""Reported runs that later events can still change; the oldest is forgotten first."""
MAX_PARENTS = 20_000

_Key = tuple[str, str]
_Action = tuple[str, frozenset[NamespacedName]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How long runs wait after their last event, in seconds, and how many runs are held."""

    settle: float = 2.0
    idle: float = 300.0
    max_runs: int = 100_000


@dataclass(slots=True)
class _Held:
    run: MergedRun
    touched: float
    place: int = 0
    reported: tuple[Outcome, ...] | None = None


@dataclass(slots=True)
class OpenRuns:
    """The runs whose lineage is still to come, and those that were reported. Not thread-safe; times are seconds."""

    options: FlowOptions = field(default_factory=FlowOptions)
    waiting: Waiting = field(default_factory=Waiting)
    counts: Counter[str] = field(default_factory=Counter)
    _open: OrderedDict[_Key, _Held] = field(default_factory=OrderedDict)
    _reported: Bounded[_Key, _Held] = field(default_factory=lambda: Bounded(MAX_REPORTED))
    _parents: Bounded[str, NamespacedName] = field(default_factory=lambda: Bounded(MAX_PARENTS))
    _actions: dict[_Action, set[_Key]] = field(default_factory=dict)
    _places: Counter[int] = field(default_factory=Counter)
    _flows: Flows = field(init=False)

    def __post_init__(self) -> None:
        self._flows = Flows(self.options, self._parents, self.counts)

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
        known = self._open.get(key) or self._reported.pop(key, None)
        if known is not None:
            self._leave(key, known.run)
            run, reported = merge(known.run, run), known.reported
        earlier = self._close(key)
        held = self._open[key] = _Held(run, now, earlier.place if earlier is not None else place, reported)
        self._places[held.place] += 1
        self._actions.setdefault(_action(held.run), set()).add(key)
        if event.of_job.get("jobType", {}).get("jobType") == "APPLICATION":
            parent = name_of(held.run.facet("parent").get("job"))
            if parent is not None:
                self._parents[event.run_id] = parent

    def due(self, now: float) -> Iterator[tuple[Outcome, ...]]:
        """Yield the outcomes of runs that are due."""
        for key, held in [*self._open.items()]:
            if now - held.touched < self.waiting.settle and len(self._open) <= self.waiting.max_runs:
                break  # the others have later events
            if key in self._open and self._is_due(held, now):
                yield from self._report(key)
        while len(self._open) > self.waiting.max_runs:
            self.counts[EVICTED] += 1
            yield from self._report(next(iter(self._open)))

    def all(self) -> Iterator[tuple[Outcome, ...]]:
        """Yield the outcomes of all runs, in the order of their ends: nothing follows."""
        for key in sorted(self._open, key=lambda each: _end(self._open[each].run)):
            if key in self._open:
                yield from self._report(key)

    def _is_due(self, held: _Held, now: float) -> bool:
        if now - held.touched >= self.waiting.idle:
            return True
        others = (each for key in self._actions[_action(held.run)] if (each := self._open.get(key)))
        return all(
            (each.run.has_ended or is_stream(each.run)) and now - each.touched >= self.waiting.settle
            for each in others
            if is_one_action(held.run, each.run)
        )

    def _report(self, key: _Key) -> Iterator[tuple[Outcome, ...]]:
        """Report a run together with the others of its action; nothing if all of it was reported."""
        held = self._open[key]
        members = {key: held}
        for other in self._actions[_action(held.run)] if held.run.outputs else ():
            of = self._open.get(other) or self._reported.get(other)
            if of is not None and is_one_action(held.run, of.run):
                members[other] = of
        whole = merge_action(each.run for each in members.values())
        if not whole.has_ended and not is_stream(whole) and whole.outputs and whole.inputs:
            self.counts[WITHOUT_END] += 1
        outcomes = tuple(self._flows.outcomes(whole))
        is_new = bool(outcomes) and all(each.reported != outcomes for each in members.values())
        for each, of in members.items():
            self._close(each)
            self._note_report(each, replace(of, reported=outcomes))
        if is_new:
            yield outcomes

    def _close(self, key: _Key) -> _Held | None:
        held = self._open.pop(key, None)
        if held is not None:
            self._places[held.place] -= 1
            if not self._places[held.place]:
                del self._places[held.place]
        return held

    def _note_report(self, key: _Key, held: _Held) -> None:
        if key not in self._reported and len(self._reported) >= MAX_REPORTED:
            oldest, of = self._reported.popitem(last=False)
            self._leave(oldest, of.run)
        self._reported[key] = held

    def _leave(self, key: _Key, run: MergedRun) -> None:
        action = _action(run)
        members = self._actions.get(action)
        if members is not None:
            members.discard(key)
            if not members:
                del self._actions[action]


def _action(run: MergedRun) -> _Action:
    """Return what the runs of one action share: their parent, and what they write."""
    return run.parent_run_id or run.run_id, frozenset(run.outputs)


def _end(run: MergedRun) -> tuple[int, str]:
    return run.ended_ns or run.begin_ns, run.run_id
