"""Keep the driver's notes of a batch until the origin of its rows is known; recognise these rows in `foreachBatch` functions."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.plan.driver_notes import DriverNote
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset


class BatchRows:
    """Origin of the leaves that read the rows of one batch.

    The function gets one RDD, whose columns have the ids of the batch or new ones: it is the first RDD with the batch's ids,
    else the first with its column names. Later RDDs with the same ids (a checkpoint) or names (derived rows) are different.

    Args:
        origin: The origin of the rows of the batch.
        plans: Plans that ran within the batch, in order.
        noted: Plans in notes of the driver's Python during the batch.
    """

    def __init__(self, origin: Origin, plans: Sequence[LogicalPlan], noted: Sequence[LogicalPlan] = ()) -> None:
        self._origin = origin
        ids = tuple(c.expr_id for c in origin.columns.outputs)
        names = tuple(c.name for c in origin.columns.outputs)
        by_id = (leaf for leaf in _leaves((*plans, *noted)) if tuple(a.expr_id for a in leaf.output) == ids)
        by_name = (leaf for leaf in _leaves((*noted, *plans)) if tuple(a.name for a in leaf.output) == names)
        first = next(chain(by_id, by_name), None)
        self._rdd_id = first.rdd_id if first is not None else None

    def are_in(self, plan: LogicalPlan) -> bool:
        """Return whether a plan reads the rows of the batch."""
        return self._rdd_id is not None and any(leaf.rdd_id == self._rdd_id for leaf in _leaves((plan,)))

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return the origin of the batch with the column ids of the leaf; None for any other leaf."""
        if not isinstance(leaf, LogicalRDD) or self._rdd_id is None or leaf.rdd_id != self._rdd_id:
            return None
        return dataclasses.replace(self._origin, columns=by_position(leaf.output, self._origin.columns))


def _leaves(plans: Iterable[LogicalPlan]) -> Iterator[LogicalRDD]:
    for plan in plans:
        for node in walk(plan):
            if isinstance(node, LogicalRDD) and node.rdd_id is not None:
                yield node


MAX_NOTES = 200
"""Notes kept until a batch ends; the oldest is dropped first."""


class BatchNotes:
    """The notes that arrived while a batch ran."""

    def __init__(self) -> None:
        self._notes: deque[DriverNote] = deque(maxlen=MAX_NOTES)

    def __iter__(self) -> Iterator[DriverNote]:
        """Return the notes in order."""
        return iter(tuple(self._notes))

    def add(self, note: DriverNote) -> None:
        """Add a note."""
        self._notes.append(note)

    @property
    def plans(self) -> tuple[LogicalPlan, ...]:
        """The plans of all notes."""
        return tuple(note.plan for note in self._notes if note.plan is not None)

    def clear(self) -> None:
        """Drop all notes, as no batch is running."""
        self._notes.clear()
