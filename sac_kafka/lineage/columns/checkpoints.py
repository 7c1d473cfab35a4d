"""Checkpoints: what was read again from one is what the execution read that made it.

`checkpoint()` and `localCheckpoint()` cut the plan: later plans begin with an RDD, whose columns have the exprIds of the
plan that was cut off. Where such a DataFrame is joined with itself one side has new ids; both have the same RDD.
"""

from __future__ import annotations

import dataclasses

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset

MOST_CHECKPOINTS = 100
"""Checkpoints that are remembered; the oldest is forgotten first."""

ACTIONS = frozenset({"checkpoint", "localCheckpoint"})
"""The names of executions that make one."""


class Checkpoints:
    """The last checkpoints of an application."""

    def __init__(self) -> None:
        self._by_columns: Bounded[tuple[int, ...], Origin] = Bounded(MOST_CHECKPOINTS)
        self._by_rdd: Bounded[int, Origin] = Bounded(MOST_CHECKPOINTS)

    def add(self, made: Origin) -> None:
        """Remember a checkpoint by its columns."""
        if made.columns.outputs:
            self._by_columns[tuple(c.expr_id for c in made.columns.outputs)] = made.settled()

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """What a leaf reads again, under its ids; None where it is no checkpoint that is known."""
        if not isinstance(leaf, LogicalRDD):
            return None
        known = self._by_columns.get(tuple(a.expr_id for a in leaf.output))
        if known is not None and leaf.rdd_id is not None:
            self._by_rdd[leaf.rdd_id] = known
        elif leaf.rdd_id is not None:
            known = self._by_rdd.get(leaf.rdd_id)
        if known is None:
            return None
        return dataclasses.replace(known, columns=by_position(leaf.output, known.columns))
