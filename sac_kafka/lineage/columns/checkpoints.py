"""Remember the origins of checkpoints, so that a later read of one has the inputs of the execution that created it.

`checkpoint()` and `localCheckpoint()` cut the plan: later plans begin with an RDD. The id of this RDD identifies the
checkpoint: a job of the execution that made it has computed the RDD, or a note of the driver's Python names it. The ids of the
columns do not identify it: a filter, a sort and a semi join keep them, two reads of one table share them, and a join of a
checkpoint with its own source replaces them.

The RDD is unknown if the checkpoint has no partitions, or if a Scala job makes it with `eager = false`. Then it is identified by
the ids of its columns. If several checkpoints have these ids, all of them are inputs, and the process has a gap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin, merge_origins
from sac_kafka.lineage.columns.output_columns import Columns, OutputColumn
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.columns import NO_SOURCES
from sac_kafka.model.gaps import CHECKPOINT_AMBIGUOUS, worst_first
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset

MAX_CHECKPOINTS = 1_000
"""Maximum number of remembered checkpoints; the oldest is evicted first."""

ACTIONS = frozenset({"checkpoint", "localCheckpoint"})
"""Names of the executions that create a checkpoint."""


@dataclasses.dataclass(slots=True, eq=False)
class _Checkpoint:
    """A checkpoint. `rdd_id` is None if its RDD is unknown, `is_read` is True once a plan has read it."""

    origin: Origin
    rdd_id: int | None
    is_read: bool = False


class Checkpoints:
    """The most recent checkpoints of an application."""

    def __init__(self) -> None:
        self._recent: Bounded[int, _Checkpoint] = Bounded(MAX_CHECKPOINTS, lambda _, oldest: self._forget(oldest))
        self._by_columns: dict[tuple[int, ...], list[_Checkpoint]] = {}
        self._by_rdd: Bounded[int, Origin] = Bounded(MAX_CHECKPOINTS)
        self._count = 0

    def add(self, origin: Origin, rdd_id: int | None = None) -> None:
        """Remember the checkpoint created by an execution, by the RDD that the execution computed, None if it computed none."""
        rendered = origin.with_texts()
        if rdd_id is not None:
            self._by_rdd[rdd_id] = rendered
        if origin.columns.outputs:
            self._count += 1
            checkpoint = self._recent[self._count] = _Checkpoint(rendered, rdd_id)
            self._by_columns.setdefault(_ids(origin), []).append(checkpoint)

    def add_lazy(self, rdd_id: int, origin: Origin) -> None:
        """Remember a checkpoint that is not computed yet, by the RDD named in a note of the driver."""
        self._by_rdd[rdd_id] = origin.with_texts()
        unknown = [checkpoint for checkpoint in self._by_columns.get(_ids(origin), ()) if checkpoint.rdd_id is None]
        if unknown:
            unknown[-1].rdd_id = rdd_id

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return the origin of the checkpoint that a leaf reads, under the leaf's ids; None if it is not a known one."""
        if not isinstance(leaf, LogicalRDD):
            return None
        ids = tuple(a.expr_id for a in leaf.output)
        known = self._by_rdd.get(leaf.rdd_id) if leaf.rdd_id is not None else None
        if known is None:
            known = self._with_columns(ids)
            if known is not None and leaf.rdd_id is not None:
                self._by_rdd[leaf.rdd_id] = known
        for checkpoint in self._by_columns.get(ids, ()):
            checkpoint.is_read |= checkpoint.rdd_id is not None and checkpoint.rdd_id == leaf.rdd_id
        return None if known is None else dataclasses.replace(known, columns=by_position(leaf.output, known.columns))

    def _with_columns(self, ids: tuple[int, ...]) -> Origin | None:
        """Return the checkpoint that has these columns, or all candidates merged if there are several."""
        candidates = [checkpoint for checkpoint in self._by_columns.get(ids, ()) if not checkpoint.is_read]
        if not candidates:
            return None
        if len(candidates) == 1 and candidates[0].rdd_id is None:
            candidates[0].is_read = True
            return candidates[0].origin
        return _any_of([checkpoint.origin for checkpoint in candidates])

    def _forget(self, checkpoint: _Checkpoint) -> None:
        alike = self._by_columns[_ids(checkpoint.origin)]
        alike.remove(checkpoint)
        if not alike:
            del self._by_columns[_ids(checkpoint.origin)]


def _ids(origin: Origin) -> tuple[int, ...]:
    return tuple(c.expr_id for c in origin.columns.outputs)


def _any_of(origins: Sequence[Origin]) -> Origin:
    """Merge the origins of several candidates, and add the gap that only one of them was read."""
    merged = merge_origins(origins)
    return dataclasses.replace(
        merged,
        columns=Columns(_unite([origin.columns.outputs for origin in origins])),
        gaps=worst_first((CHECKPOINT_AMBIGUOUS, *merged.gaps)),
    )


def _unite(checkpoints: Sequence[Sequence[OutputColumn]]) -> Iterator[OutputColumn]:
    """Yield each column with its sources in all checkpoints, and with the definition of the last one."""
    for alike in zip(*checkpoints, strict=True):
        sources = NO_SOURCES.union(*(c.sources for c in alike))
        yield dataclasses.replace(alike[-1], sources=sources, kind=None, parts=())
