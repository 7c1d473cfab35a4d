"""Merge the events of runs. The order of events, repetitions, and the way they are divided do not change the result.

Sets of datasets are united. Of a facet the latest value is kept, whole; its absence deletes nothing. FAIL takes precedence over
ABORT, and that over COMPLETE, because Spark reports the end of a failed statement as well.
"""

from __future__ import annotations

import json
import marshal
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from sac_kafka.openlineage.events import (
    ABORT,
    COMPLETE,
    FAIL,
    RUNNING,
    START,
    TERMINAL,
    Facets,
    NamespacedName,
    RunEvent,
)

_PRECEDENCE = (FAIL, ABORT, COMPLETE, RUNNING, START)
K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Stamped:
    """A value and the time of its event, in epoch nanoseconds."""

    time_ns: int
    value: object


StampedFacets = Mapping[str, Stamped]
Datasets = Mapping[NamespacedName, StampedFacets]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRun:
    """What is known of a run: `job` has its `NamespacedName`, `producer` a text. Times are epoch nanoseconds.

    `started_ns` is the earliest START, `first_ns` the earliest event, `ended_ns` the latest end.
    """

    run_id: str
    job: Stamped
    producer: Stamped
    states: frozenset[str]
    first_ns: int
    started_ns: int | None
    ended_ns: int | None
    run: StampedFacets
    of_job: StampedFacets
    inputs: Datasets
    outputs: Datasets

    @property
    def state(self) -> str:
        """The state that takes precedence; OTHER if it does not exist."""
        return next((each for each in _PRECEDENCE if each in self.states), "OTHER")

    @property
    def has_ended(self) -> bool:
        """Whether an end was reported."""
        return self.ended_ns is not None

    @property
    def begin_ns(self) -> int:
        """The earliest known time."""
        return self.first_ns if self.started_ns is None else min(self.first_ns, self.started_ns)

    def facet(self, name: str) -> Mapping[str, object]:
        """Return a facet of the run or of the job; empty if it does not exist."""
        return facet(self.run, name) or facet(self.of_job, name)

    @property
    def parent_run_id(self) -> str:
        """The run that this one is a part of; "" if it does not exist."""
        run = self.facet("parent").get("run")
        return str(run.get("runId") or "") if isinstance(run, dict) else ""


def facet(facets: StampedFacets, name: str) -> Mapping[str, object]:
    """Return a facet; empty if it does not exist, or if it was deleted."""
    stamped = facets.get(name)
    value = stamped.value if stamped is not None else None
    return value if isinstance(value, dict) and not value.get("_deleted") else {}


def run_of(event: RunEvent) -> MergedRun:
    """Return what one event states about its run."""
    time = event.time_ns
    return MergedRun(
        run_id=event.run_id,
        job=Stamped(time, event.job),
        producer=Stamped(time, event.producer),
        states=frozenset({event.state}),
        first_ns=time,
        started_ns=time if event.state == START else None,
        ended_ns=time if event.state in TERMINAL else None,
        run=_stamp(event.run, time),
        of_job=_stamp(event.of_job, time),
        inputs={name: _stamp(facets, time) for name, facets in event.inputs.items()},
        outputs={name: _stamp(facets, time) for name, facets in event.outputs.items()},
    )


def merge(one: MergedRun, other: MergedRun) -> MergedRun:
    """Return what two parts state about a run: commutative, associative and idempotent."""
    return MergedRun(
        run_id=min(one.run_id, other.run_id),
        job=_newer(one.job, other.job),
        producer=_newer(one.producer, other.producer),
        states=one.states | other.states,
        first_ns=min(one.first_ns, other.first_ns),
        started_ns=min(_known(one.started_ns, other.started_ns), default=None),
        ended_ns=max(_known(one.ended_ns, other.ended_ns), default=None),
        run=_merge_facets(one.run, other.run),
        of_job=_merge_facets(one.of_job, other.of_job),
        inputs=_merge_datasets(one.inputs, other.inputs),
        outputs=_merge_datasets(one.outputs, other.outputs),
    )


def merge_action(runs: Iterable[MergedRun]) -> MergedRun:
    """Return the runs of one action as one: its identity and job are those of the run that began first."""
    first, *others = sorted(runs, key=lambda run: (run.begin_ns, run.run_id))
    whole = first
    for other in others:
        whole = merge(whole, other)
    return replace(whole, run_id=first.run_id, job=first.job)


_FASTEST = 1


def pack(run: MergedRun) -> bytes:
    """Return a run in compact form, for `unpack` in the same process.

    Raises:
        ValueError: A facet is nested too deeply.
    """
    return zlib.compress(_serialize(run), _FASTEST)


def weigh(run: MergedRun) -> int:
    """Return the size of a run in bytes, before it is compressed; in memory it has about ten times as many."""
    try:
        return len(_serialize(run))
    except ValueError:  # nested too deeply: `pack` cannot make it small
        return 0


def _serialize(run: MergedRun) -> bytes:
    job = run.job.value
    assert isinstance(job, NamespacedName)
    facets = (
        {name: (stamped.time_ns, stamped.value) for name, stamped in part.items()} for part in (run.run, run.of_job)
    )
    sides = (
        {
            (n.namespace, n.name): {k: (stamped.time_ns, stamped.value) for k, stamped in part.items()}
            for n, part in side
        }
        for side in (run.inputs.items(), run.outputs.items())
    )
    known: Any = (
        *(run.run_id, run.job.time_ns, job.namespace, job.name, run.producer.time_ns, run.producer.value),
        *(run.states, run.first_ns, run.started_ns, run.ended_ns, *facets, *sides),
    )
    return marshal.dumps(known)


def unpack(data: bytes) -> MergedRun:
    """Return the run that `pack` made small."""
    run_id, job_ns, namespace, name, producer_ns, producer, states, first, started, ended, *parts = marshal.loads(  # noqa: S302 our own, never left this process
        zlib.decompress(data)
    )
    run, of_job, inputs, outputs = parts
    return MergedRun(
        run_id=run_id,
        job=Stamped(job_ns, NamespacedName(namespace, name)),
        producer=Stamped(producer_ns, producer),
        states=states,
        first_ns=first,
        started_ns=started,
        ended_ns=ended,
        run=_restamp(run),
        of_job=_restamp(of_job),
        inputs={NamespacedName(*key): _restamp(facets) for key, facets in inputs.items()},
        outputs={NamespacedName(*key): _restamp(facets) for key, facets in outputs.items()},
    )


def _restamp(facets: Mapping[str, tuple[int, object]]) -> StampedFacets:
    return {name: Stamped(*stamped) for name, stamped in facets.items()}


class RunTimes(Protocol):
    """The time of a run; `ended_ns` is None as long as it goes on."""

    @property
    def begin_ns(self) -> int:
        """The earliest known time."""

    @property
    def ended_ns(self) -> int | None:
        """The latest end."""


def is_one_action(one: RunTimes, other: RunTimes) -> bool:
    """Return whether two runs of one parent with the same outputs overlap in time; one without an end goes on."""
    ends = tuple(float("inf") if run.ended_ns is None else run.ended_ns for run in (one, other))
    return one.begin_ns <= ends[1] and other.begin_ns <= ends[0]


def _known(*times: int | None) -> list[int]:
    return [time for time in times if time is not None]


def _stamp(facets: Facets, time: int) -> StampedFacets:
    return {name: Stamped(time, value) for name, value in facets.items()}


def _newer(one: Stamped, other: Stamped) -> Stamped:
    """Return the newer value; at the same time the greater one as text, whichever came first."""
    if one.time_ns != other.time_ns:
        return one if one.time_ns > other.time_ns else other
    return one if one.value == other.value else max(one, other, key=lambda stamped: _as_text(stamped.value))


def _as_text(value: object) -> str:
    return repr(value) if isinstance(value, NamespacedName) else json.dumps(value, sort_keys=True)


def _unite(one: Mapping[K, V], other: Mapping[K, V], combine: Callable[[V, V], V]) -> Mapping[K, V]:
    if not other:
        return one
    return {**one, **{key: combine(one[key], value) if key in one else value for key, value in other.items()}}


def _merge_facets(one: StampedFacets, other: StampedFacets) -> StampedFacets:
    return _unite(one, other, _newer)


def _merge_datasets(one: Datasets, other: Datasets) -> Datasets:
    return _unite(one, other, _merge_facets)
