"""Remember the flows of this and earlier runs, and find those of whose rows none is left (docs/lineage.md: What replaces).

A statement that removes or replaces the rows of a dataset makes the job's other flows into it obsolete. An obsolete flow is
deleted later, because the next statements may write it again: deleted and created again under one name, an entity stays in
lineage twice (R17). It is kept while rows that came by it are in another dataset: it is the origin of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.model import Extent, Process
from sac_kafka.model.gaps import gaps_beyond_columns

MAX_FLOWS = 5_000
"""Flows that are remembered; the one written longest ago is evicted first."""
MAX_PARTS = 1_000
"""Parts of a dataset that are remembered per flow; beyond it the flow may have rows anywhere."""
MAX_DELETIONS = 3
"""Deletions of a flow after which it is no longer deleted: two statements alternate (R17)."""
HOLD_MS = 86_400_000
"""Time in milliseconds after which an obsolete flow of a driver that goes on is deleted."""
_ANYWHERE = "?"  # the part of rows of which only the dataset is known

FlowRow = tuple[str, str, str, bool, tuple[AtlasObjectId, ...], tuple[AtlasObjectId, ...], int]
"""A stored flow: type and name of its process, job, whether it defines a view, inputs, outputs, number of its deletions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowEnds:
    """What a flow connects, and the job that it belongs to; "" for a flow that no statement makes obsolete.

    Those are streaming queries, which go on, and definitions of views (`is_view`), which hold no rows.
    """

    job: str
    inputs: frozenset[AtlasObjectId]
    outputs: frozenset[AtlasObjectId]
    is_view: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """The column lineage of a flow that its own next write proves to be gone: all that is not written again, or `columns`."""

    is_whole: bool = False
    columns: frozenset[AtlasObjectId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObsoleteFlow:
    """A flow to be deleted, or only some column lineage of it."""

    process: AtlasObjectId
    columns: frozenset[AtlasObjectId] = frozenset()
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class _Flow:
    """A flow; times are numbers of writes.

    Attributes:
        ends: What it connects.
        since: The first write whose rows may still be there; 0 for one of an earlier run.
        parts: The column lineage that it wrote, by the part of its output that has these rows.
        gone_at: The statement that removed its last rows; None if it has rows.
        gone_ms: The time of that, in epoch milliseconds.
        gone_columns: Column lineage whose rows are gone.
        deletions: How often it was deleted.
    """

    ends: FlowEnds
    since: int = 0
    parts: Mapping[str, frozenset[AtlasObjectId]] = field(default_factory=lambda: {_ANYWHERE: frozenset()})
    gone_at: int | None = None
    gone_ms: int = 0
    gone_columns: frozenset[AtlasObjectId] = frozenset()
    deletions: int = 0


class StandingFlows:
    """The flows that the server may have. Not thread-safe."""

    def __init__(self, earlier: Iterable[FlowRow] = ()) -> None:
        self._flows: dict[AtlasObjectId, _Flow] = {}
        self._into: dict[AtlasObjectId, dict[AtlasObjectId, None]] = {}  # flows by output
        self._from: dict[AtlasObjectId, dict[AtlasObjectId, None]] = {}  # flows by input
        self._deletions: dict[AtlasObjectId, int] = {}
        self._obsolete: dict[AtlasObjectId, None] = {}
        self._jobs: set[str] = set()  # those of this run
        self._now = 0
        for type_name, name, job, is_view, inputs, outputs, deletions in earlier:
            process = AtlasObjectId(type_name, name)
            if outputs:
                ends = FlowEnds(job=job, inputs=frozenset(inputs), outputs=frozenset(outputs), is_view=is_view)
                self._put(process, _Flow(ends, deletions=deletions))
            else:
                self._deletions[process] = deletions

    def rows(self) -> Iterator[FlowRow]:
        """Yield what is stored for the next run, the flows written last at the end."""
        for process, count in self._deletions.items():
            yield (*process, "", False, (), (), count)
        for process, flow in self._flows.items():
            inputs, outputs = (tuple(sorted(side)) for side in (flow.ends.inputs, flow.ends.outputs))
            yield (*process, flow.ends.job, flow.ends.is_view, inputs, outputs, flow.deletions)

    # ---- what statements do

    def record(
        self,
        process: AtlasObjectId,
        described: Process,
        sides: tuple[Iterable[AtlasObjectId], Iterable[AtlasObjectId]],
        columns: frozenset[AtlasObjectId],
        now_ms: int,
    ) -> Rewritten:
        """Record the successful write of a process with these inputs and outputs, as `write` does."""
        inputs, outputs = map(frozenset, sides)
        if not outputs:
            return Rewritten()
        goes_on = described.defines_view or described.stream is not None
        job = "" if goes_on else described.application.job
        ends = FlowEnds(job=job, inputs=inputs, outputs=outputs, is_view=described.defines_view)
        is_traced = not described.inputs_excluded and not (described.gaps and gaps_beyond_columns(described.gaps))
        return self.write(process, ends, described.extent, columns, is_traced=is_traced, now_ms=now_ms)

    def write(
        self,
        process: AtlasObjectId,
        ends: FlowEnds,
        extent: Extent,
        columns: frozenset[AtlasObjectId],
        *,
        is_traced: bool,
        now_ms: int,
    ) -> Rewritten:
        """Record a successful write of a flow, and mark the flows that it makes obsolete.

        Args:
            process: The process of the flow.
            ends: What it connects.
            extent: Where it put its rows.
            columns: The column lineage that it has sent.
            is_traced: All its inputs are known.
            now_ms: Epoch milliseconds.
        """
        self._now += 1
        self._jobs.add(ends.job)
        known = self._flows.get(process)
        rewritten = Rewritten()
        if ends.job and (extent.is_replaced or (self._obsolete and self._has_obsolete(ends.outputs))):
            if not is_traced or self._derives_from(ends.inputs, ends.outputs):
                # The new rows may be made of the old ones, so the old flows remain their origin.
                self._revive(self._over(ends.outputs, self._into))
            else:
                rewritten = self._rewritten(known, extent, columns)
                if extent.is_replaced:
                    self._remove(ends.outputs, extent.part, {ends.job}, now_ms, but=process)
        if known is None:
            self._put(process, _Flow(ends, self._now, {extent.part: columns}))
        else:
            self._put(process, self._written(known, ends, extent, columns, rewritten))
        return rewritten

    def remove(self, datasets: Iterable[AtlasObjectId], part: str, job: str, now_ms: int) -> None:
        """Mark the job's flows that put all their rows into datasets, or a part of these, which has lost them."""
        self._now += 1
        self._remove(frozenset(datasets), part, {job}, now_ms)

    def rename(self, old: AtlasObjectId, new: AtlasObjectId, now_ms: int) -> None:
        """Follow the renaming of a dataset; what had the new name before is gone."""
        self._now += 1
        self._remove(frozenset((new,)), "", self._jobs, now_ms)
        for process in dict.fromkeys((*self._into.get(old, ()), *self._from.get(old, ()))):
            flow = self._take(process)
            inputs, outputs = (
                frozenset(new if end == old else end for end in side) for side in (flow.ends.inputs, flow.ends.outputs)
            )
            self._put(process, replace(flow, ends=replace(flow.ends, inputs=inputs, outputs=outputs)))

    def forget(self, processes: Iterable[AtlasObjectId]) -> None:
        """Forget flows that were deleted otherwise."""
        for process in processes:
            if process in self._flows:
                self._take(process)

    def into(self, dataset: AtlasObjectId) -> tuple[AtlasObjectId, ...]:
        """Return the processes of the flows into a dataset alone."""
        found = self._into.get(dataset, ())
        return tuple(each for each in found if self._flows[each].ends.outputs == {dataset})

    def due(self, now_ms: int, *, everything: bool) -> Iterator[ObsoleteFlow]:
        """Yield what is to be deleted now, and forget it; `everything`: also what has just become obsolete."""
        for process in tuple(self._obsolete):
            flow = self._flows[process]
            if not everything and now_ms - flow.gone_ms < HOLD_MS:
                continue
            if flow.gone_columns:
                yield ObsoleteFlow(process=process, columns=flow.gone_columns, is_whole=False)
                self._put(process, replace(flow, gone_columns=frozenset()))
            elif flow.deletions >= MAX_DELETIONS:
                self._put(process, replace(flow, gone_at=None))
            elif flow.gone_at is not None and not self._holds(flow.ends.outputs, flow.gone_at, set()):
                self._take(process)
                self._deletions[process] = flow.deletions + 1
                yield ObsoleteFlow(process=process)

    # ---- how

    def _rewritten(self, known: _Flow | None, extent: Extent, columns: frozenset[AtlasObjectId]) -> Rewritten:
        if known is None:
            return Rewritten()
        if known.gone_at is not None:
            return Rewritten(is_whole=True)
        gone, left = _divide(known.parts, extent.part) if extent.is_replaced else ({}, known.parts)
        if not left:
            return Rewritten(is_whole=True)
        if _ANYWHERE in left:
            return Rewritten()
        return Rewritten(columns=_all(gone) - _all(left) - columns)

    def _written(
        self,
        known: _Flow,
        ends: FlowEnds,
        extent: Extent,
        columns: frozenset[AtlasObjectId],
        rewritten: Rewritten,
    ) -> _Flow:
        """Return a flow after a further write."""
        fresh = replace(known, ends=ends, gone_at=None, gone_columns=known.gone_columns - columns)
        if rewritten.is_whole:
            is_origin = self._holds(ends.outputs, known.gone_at or self._now, set())
            since = known.since if is_origin else self._now
            return replace(fresh, since=since, parts={extent.part: columns}, gone_columns=frozenset())
        parts = dict(_divide(known.parts, extent.part)[1] if extent.is_replaced else known.parts)
        parts[extent.part] = parts.get(extent.part, frozenset()) | columns
        return replace(fresh, parts=parts if len(parts) <= MAX_PARTS else {_ANYWHERE: frozenset()})

    def _remove(
        self,
        outputs: frozenset[AtlasObjectId],
        part: str,
        jobs: Collection[str],
        now_ms: int,
        but: AtlasObjectId | None = None,
    ) -> None:
        for process in self._over(outputs, self._into):
            flow = self._flows[process]
            is_other = not flow.ends.job or flow.ends.job not in jobs or not flow.ends.outputs <= outputs
            if is_other or process == but or flow.gone_at is not None:
                continue
            gone, left = _divide(flow.parts, part)
            if not left:
                self._put(process, replace(flow, gone_at=self._now, gone_ms=now_ms, gone_columns=frozenset()))
            elif gone:
                columns = frozenset() if _ANYWHERE in left else _all(gone) - _all(left)
                more = flow.gone_columns | columns
                self._put(process, replace(flow, parts=left, gone_columns=more, gone_ms=now_ms))

    def _revive(self, processes: Iterable[AtlasObjectId]) -> None:
        for process in processes:
            self._put(process, replace(self._flows[process], gone_at=None, gone_columns=frozenset()))

    def _has_obsolete(self, outputs: Iterable[AtlasObjectId]) -> bool:
        return any(each in self._obsolete for each in self._over(outputs, self._into))

    def _derives_from(self, inputs: Collection[AtlasObjectId], outputs: Collection[AtlasObjectId]) -> bool:
        """Return whether outputs are among the inputs, or what these were made of."""
        seen, left = set(inputs), list(inputs)
        while left:
            for process in self._into.get(left.pop(), ()):
                above = self._flows[process].ends.inputs - seen
                seen |= above
                left += above
        return not seen.isdisjoint(outputs)

    def _holds(self, datasets: Collection[AtlasObjectId], before: int, seen: set[AtlasObjectId]) -> bool:
        """Return whether rows that were in datasets before a statement are in another dataset, through any number of flows."""
        for process in self._over(datasets, self._from):
            flow = self._flows[process]
            if process in seen or flow.since >= before:
                continue
            seen.add(process)
            if flow.gone_at is None and not flow.ends.is_view:
                return True
            if self._holds(flow.ends.outputs, before if flow.gone_at is None else flow.gone_at, seen):
                return True
        return False

    def _over(
        self, datasets: Iterable[AtlasObjectId], index: Mapping[AtlasObjectId, Mapping[AtlasObjectId, None]]
    ) -> tuple[AtlasObjectId, ...]:
        return tuple(dict.fromkeys(process for dataset in datasets for process in index.get(dataset, ())))

    def _put(self, process: AtlasObjectId, flow: _Flow) -> None:
        """Store a flow as the one written last."""
        known = self._take(process) if process in self._flows else None
        if known is None and process in self._deletions:
            flow = replace(flow, deletions=self._deletions.pop(process))
        self._flows[process] = flow
        for index, side in ((self._into, flow.ends.outputs), (self._from, flow.ends.inputs)):
            for end in side:
                index.setdefault(end, {})[process] = None
        if flow.gone_at is not None or flow.gone_columns:
            self._obsolete[process] = None
        while len(self._flows) > MAX_FLOWS:
            self._take(next(iter(self._flows)))
        while len(self._deletions) > MAX_FLOWS:
            del self._deletions[next(iter(self._deletions))]

    def _take(self, process: AtlasObjectId) -> _Flow:
        """Remove a flow, and return it."""
        flow = self._flows.pop(process)
        self._obsolete.pop(process, None)
        for index, side in ((self._into, flow.ends.outputs), (self._from, flow.ends.inputs)):
            for end in side:
                index[end].pop(process)
                if not index[end]:
                    del index[end]
        return flow


def _divide(
    parts: Mapping[str, frozenset[AtlasObjectId]], part: str
) -> tuple[dict[str, frozenset[AtlasObjectId]], dict[str, frozenset[AtlasObjectId]]]:
    """Divide parts into those within another one, and the rest. A directory is within those above it."""
    inside = {each for each in parts if not part or each == part or each.startswith(f"{part}/")}
    return (
        {each: columns for each, columns in parts.items() if each in inside},
        {each: columns for each, columns in parts.items() if each not in inside},
    )


def _all(parts: Mapping[str, frozenset[AtlasObjectId]]) -> frozenset[AtlasObjectId]:
    return frozenset().union(*parts.values())
