"""Track where rows come from if a plan does not show it: checkpoints, RDDs, batches, the driver's values, variables, models.

It is learned from earlier executions and the driver's notes, and used to extract the lineage of later executions.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from sac_kafka.lineage.columns.checkpoints import ACTIONS as CHECKPOINTING
from sac_kafka.lineage.columns.checkpoints import Checkpoints
from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin, Origins
from sac_kafka.lineage.columns.variables import ITERATION
from sac_kafka.lineage.driver_values import DriverValues
from sac_kafka.lineage.executions import Executions, UnreportedWriteHandler
from sac_kafka.lineage.flow import TraversalOptions
from sac_kafka.lineage.ml import Models
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.rdds import RddOrigins
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.plan.driver_notes import CHECKPOINT_MADE, RDD_CHECKPOINTED, RDD_OF_QUERY, RDD_READ, DriverNote
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset
from sac_kafka.stages.model_directories import ModelDirectories

MAX_NOTES = 200
"""Notes kept until a batch ends; the oldest is dropped first."""


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


MAKING_ROWS = frozenset({*CHECKPOINTING, ITERATION})
"""Names of the actions whose rows later plans, or variables, use."""


class RowOrigins:
    """Origins of an application's rows, and the extractor of its executions that uses them."""

    def __init__(
        self,
        attribution: Attribution,
        options: LineageOptions,
        models: ModelDirectories,
        counts: Counter[str],
        unreported: UnreportedWriteHandler,
    ) -> None:
        self._counts = counts
        self.checkpoints = Checkpoints()
        self.driver_values = DriverValues(counts, statement_inputs=options.statement_inputs)
        self.models = Models(attribution, options.patterns, models, counts)
        self.rdds = RddOrigins(options.patterns, counts, follows=options.follows_rdds)
        self.executions = Executions(
            attribution,
            TraversalOptions(
                patterns=options.patterns,
                budget=options.budget,
                origins=(self.checkpoints, self.driver_values, self.rdds),  # RddOrigins goes last: it matches any RDD
                column_origins=(self.models,),
                stops_at_views=options.stops_at_views,
            ),
            unreported,
            has_plan_text=options.plan_text,
        )
        self._batch_notes: deque[DriverNote] = deque(maxlen=MAX_NOTES)

    def of_plan(self, plan: LogicalPlan, *more: Origins) -> Origin:
        """Return the origin of the rows of a plan; `more` are queried before the application's own."""
        return self.executions.origin(plan, self._counts, *more)

    def add_note(self, note: DriverNote, *, is_in_batch: bool) -> None:
        """Apply a note of the driver; one that comes while a batch runs is applied again when the batch's rows are known."""
        if is_in_batch:
            self._batch_notes.append(note)
        self._apply(note)

    def rows_of_batch(self, origin: Origin, plans: Sequence[LogicalPlan]) -> BatchRows:
        """Return the rows of a batch, in whose function plans ran, and apply the notes of plans that read them again."""
        notes = tuple(self._batch_notes)
        noted = [note.plan for note in notes if note.plan is not None]
        rows = BatchRows(origin, plans, noted)
        if any(map(rows.are_in, noted)):
            for note in notes:
                self._apply(note, rows)
        return rows

    def forget_notes(self) -> None:
        """Drop the notes of batches, as none is running."""
        self._batch_notes.clear()

    def _apply(self, note: DriverNote, *more: Origins) -> None:
        if note.kind == RDD_OF_QUERY and note.plan is not None:
            self.rdds.add_query(int(note.text), self.of_plan(note.plan, *more))
        elif note.kind == CHECKPOINT_MADE and note.plan is not None:
            self.checkpoints.add_lazy(int(note.text), self.of_plan(note.plan, *more))
        elif note.kind == RDD_CHECKPOINTED and note.rows is not None:
            self.rdds.add_checkpoint(note.rows)
        elif note.kind == RDD_READ and note.rows is not None:
            self.driver_values.add_rdd_read(note.text, self.rdds.origin_of_rdd(note.rows))
        elif not self.driver_values.add_note(note, lambda plan: self.of_plan(plan, *more), at_once=bool(more)):
            self._counts[f"note of the driver not understood: {note.kind}"] += 1

    def remember(self, event: SparkListenerSQLExecutionEnd, *more: Origins) -> None:
        """Remember the origin of checkpoints, variables and RDDs: plans that use them later no longer show their inputs."""
        query = event.query_execution
        if event.failure is not None or query is None or query.analyzed is None:
            return
        executions = self.executions
        executions.variables.add(
            event, lambda plan: executions.origin(plan, self._counts, *more, session=query.session)
        )
        if event.name not in CHECKPOINTING and event.rdd_id is None:
            return
        origin = self.executions.origin(query.analyzed, self._counts, *more, session=query.session)
        if event.name in CHECKPOINTING:
            if origin.skip_reason and event.checkpoint_rdd is None:  # without an RDD id only its columns identify it
                self._counts["checkpoint not remembered: its columns are over a budget"] += 1
            self.checkpoints.add(origin, event.checkpoint_rdd)
        elif event.rdd_id is not None:
            self.rdds.add_query(event.rdd_id, origin)
