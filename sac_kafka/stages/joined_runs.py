"""Add up runs of one flow that write parts of one dataset, or that run at the same time.

Threads that write `out/shard=0` to `out/shard=12` are one flow to one dataset, and a server keeps only the last state. A run
that writes a location again starts a new total.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from sac_kafka.model import Dataset, DatasetRead, PathDataset, Process, Run
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.processes import WriteMetrics, metrics_of_run, sum_reads

MAX_FLOWS = 1_000
"""Flows that are remembered; the oldest is evicted first."""
MAX_LOCATIONS = 1_000
"""Locations of one flow that are remembered."""

WrittenPlaces = frozenset[str]


@dataclasses.dataclass(frozen=True, slots=True)
class _Joined:
    """Runs of a flow that count as one: their times, metrics, and the locations that they wrote and read."""

    started_ms: int | None
    ended_ms: int | None
    metrics: WriteMetrics
    read: tuple[DatasetRead, ...]
    executions: int
    written: WrittenPlaces
    locations: tuple[tuple[str, tuple[str, ...]], ...]  # by key of the dataset

    def includes(self, run: Run, written: WrittenPlaces) -> bool:
        if run.started_ms is not None and self.ended_ms is not None and run.started_ms < self.ended_ms:
            return True
        return bool(written) and not written & self.written and len(self.written) < MAX_LOCATIONS

    def with_run(self, other: _Joined) -> _Joined:
        known, more = dict(self.locations), dict(other.locations)
        united = {key: _unite(known.get(key, ()), more.get(key, ())) for key in {**known, **more}}
        starts, ends = (self.started_ms, other.started_ms), (self.ended_ms, other.ended_ms)
        return _Joined(
            min((start for start in starts if start is not None), default=None),
            max((end for end in ends if end is not None), default=None),
            self.metrics + other.metrics,
            sum_reads(self.read, other.read),
            self.executions + 1,
            self.written | other.written,
            tuple(united.items()),
        )


class JoinedRuns:
    """The last runs of each flow of an application."""

    def __init__(self) -> None:
        self._by_flow: Bounded[tuple[str, tuple[str, ...], tuple[str, ...]], _Joined] = Bounded(MAX_FLOWS)

    def join(self, process: Process, written: WrittenPlaces) -> Process:
        """Return a process with the totals of all runs that count as one with its own; `written` are the locations it wrote."""
        run = process.run
        if run.failure is not None or process.defines_view:
            return process
        inputs, outputs = (tuple(d.key for d in side) for side in (process.inputs, process.outputs))
        flow = (process.application.job, inputs, outputs)
        locations = {d.key: d.locations for d in (*process.inputs, *process.outputs) if isinstance(d, PathDataset)}
        now = _Joined(run.started_ms, run.ended_ms, metrics_of_run(run), run.read, 1, written, tuple(locations.items()))
        known = self._by_flow.get(flow)
        if known is not None and known.includes(run, written):
            now = known.with_run(now)
        self._by_flow[flow] = now
        return process if now.executions == 1 else _with_totals(process, now)


def places(datasets: Iterable[Dataset]) -> WrittenPlaces:
    """Return the locations of datasets that were written in part; none for datasets written as a whole."""
    return frozenset(
        location
        for dataset in datasets
        if isinstance(dataset, PathDataset)
        for location in dataset.locations
        if location.rstrip("/") != dataset.path
    )


def _with_totals(process: Process, joined: _Joined) -> Process:
    run = dataclasses.replace(
        joined.metrics.apply_to(process.run),
        started_ms=joined.started_ms,
        ended_ms=joined.ended_ms,
        read=joined.read,
        executions=joined.executions,
    )
    locations = dict(joined.locations)

    def with_all(datasets: tuple[Dataset, ...]) -> tuple[Dataset, ...]:
        return tuple(
            dataclasses.replace(d, locations=locations[d.key]) if isinstance(d, PathDataset) else d for d in datasets
        )

    return dataclasses.replace(process, run=run, inputs=with_all(process.inputs), outputs=with_all(process.outputs))


def _unite(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))[:MAX_LOCATIONS]
