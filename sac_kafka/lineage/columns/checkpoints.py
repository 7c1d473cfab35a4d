"""Checkpoints: what was read again from one is what the execution read that made it.

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

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.columns.combining import NOTHING
from sac_kafka.lineage.columns.handed_up import Columns, OutputColumn
from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin, together
from sac_kafka.lineage.model.gaps import CHECKPOINT_AMBIGUOUS, worst_first
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset

MAX_CHECKPOINTS = 1_000
"""Checkpoints that are remembered; the oldest is forgotten first."""

ACTIONS = frozenset({"checkpoint", "localCheckpoint"})
"""The names of executions that make one."""


@dataclasses.dataclass(slots=True, eq=False)
class _Made:
    """One checkpoint. `rdd_id` is None if its RDD is unknown, `is_read` True once a leaf of it was seen."""

    origin: Origin
    rdd_id: int | None
    is_read: bool = False


class Checkpoints:
    """The last checkpoints of an application."""

    def __init__(self) -> None:
        self._made: Bounded[int, _Made] = Bounded(MAX_CHECKPOINTS, lambda _, made: self._forget(made))
        self._by_columns: dict[tuple[int, ...], list[_Made]] = {}
        self._by_rdd: Bounded[int, Origin] = Bounded(MAX_CHECKPOINTS)
        self._count = 0

    def add(self, made: Origin, rdd_id: int | None = None) -> None:
        """Remember what an execution has made, by the RDD that it has computed for it, None where it has computed none."""
        settled = made.settled()
        if rdd_id is not None:
            self._by_rdd[rdd_id] = settled
        if made.columns.outputs:
            self._count += 1
            one = self._made[self._count] = _Made(settled, rdd_id)
            self._by_columns.setdefault(_ids(made), []).append(one)

    def add_lazy(self, rdd_id: int, made: Origin) -> None:
        """Remember a checkpoint that is not computed yet, by the RDD that a note names."""
        self._by_rdd[rdd_id] = made.settled()
        unknown = [each for each in self._by_columns.get(_ids(made), ()) if each.rdd_id is None]
        if unknown:
            unknown[-1].rdd_id = rdd_id

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return what a leaf reads again, under its ids; None where it is no checkpoint that is known."""
        if not isinstance(leaf, LogicalRDD):
            return None
        ids = tuple(a.expr_id for a in leaf.output)
        known = self._by_rdd.get(leaf.rdd_id) if leaf.rdd_id is not None else None
        if known is None:
            known = self._alike(ids)
            if known is not None and leaf.rdd_id is not None:
                self._by_rdd[leaf.rdd_id] = known
        for each in self._by_columns.get(ids, ()):
            each.is_read |= each.rdd_id is not None and each.rdd_id == leaf.rdd_id
        return None if known is None else dataclasses.replace(known, columns=by_position(leaf.output, known.columns))

    def _alike(self, ids: tuple[int, ...]) -> Origin | None:
        """Return the checkpoint that has these columns, all of them together where there are several that it may be."""
        found = [each for each in self._by_columns.get(ids, ()) if not each.is_read]
        if not found:
            return None
        if len(found) == 1 and found[0].rdd_id is None:
            found[0].is_read = True
            return found[0].origin
        return _any_of([each.origin for each in found])

    def _forget(self, made: _Made) -> None:
        alike = self._by_columns[_ids(made.origin)]
        alike.remove(made)
        if not alike:
            del self._by_columns[_ids(made.origin)]


def _ids(made: Origin) -> tuple[int, ...]:
    return tuple(c.expr_id for c in made.columns.outputs)


def _any_of(origins: Sequence[Origin]) -> Origin:
    """Return what any of some checkpoints was made of, with the gap that it is one of them."""
    made = together(origins)
    return dataclasses.replace(
        made,
        columns=Columns(_united([each.columns.outputs for each in origins])),
        gaps=worst_first((CHECKPOINT_AMBIGUOUS, *made.gaps)),
    )


def _united(found: Sequence[Sequence[OutputColumn]]) -> Iterator[OutputColumn]:
    """Yield each column with the sources that it has in any of the checkpoints; as the last one defines it."""
    for alike in zip(*found, strict=True):
        sources = NOTHING.union(*(c.sources for c in alike))
        yield dataclasses.replace(alike[-1], sources=sources, kind=None, parts=())
