"""The rows of a micro-batch that `foreachBatch` hands to a function: what is written there begins with an RDD."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset


class BatchRows:
    """Knows the leaves that read the rows of one batch; `made` is what these were made of.

    `plans` are those that ran within the batch, in order, `noted` those that the driver's Python has told of meanwhile. The
    function gets one RDD, under the ids that the batch's columns have or under new ones: it is the first with the batch's ids,
    else the first with its names. What is checkpointed later may have the same ids, and what the function makes of the rows the
    same names, and is another RDD.
    """

    def __init__(self, made: Origin, plans: Sequence[LogicalPlan], noted: Sequence[LogicalPlan] = ()) -> None:
        self._made = made
        ids = tuple(c.expr_id for c in made.columns.outputs)
        names = tuple(c.name for c in made.columns.outputs)
        by_id = (leaf for leaf in _leaves((*plans, *noted)) if tuple(a.expr_id for a in leaf.output) == ids)
        by_name = (leaf for leaf in _leaves((*noted, *plans)) if tuple(a.name for a in leaf.output) == names)
        first = next(chain(by_id, by_name), None)
        self._rdd_id = first.rdd_id if first is not None else None

    def are_in(self, plan: LogicalPlan) -> bool:
        """Whether a plan reads the rows of the batch."""
        return self._rdd_id is not None and any(leaf.rdd_id == self._rdd_id for leaf in _leaves((plan,)))

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """What the batch read, its columns under the leaf's ids; None for any other leaf."""
        if not isinstance(leaf, LogicalRDD) or self._rdd_id is None or leaf.rdd_id != self._rdd_id:
            return None
        return dataclasses.replace(self._made, columns=by_position(leaf.output, self._made.columns))


def _leaves(plans: Iterable[LogicalPlan]) -> Iterator[LogicalRDD]:
    for plan in plans:
        for node in walk(plan):
            if isinstance(node, LogicalRDD) and node.rdd_id is not None:
                yield node
