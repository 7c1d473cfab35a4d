"""Rows of the driver that came from a query: what the query read is what they are made of.

Which columns became which nobody sees, unless a frame came back as it was: then its unchanged columns are the query's.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.columns.handed_up import Columns, OutputColumn
from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin, together
from sac_kafka.lineage.columns.stand_ins import unknown
from sac_kafka.lineage.model import Process, may_hold_literals
from sac_kafka.lineage.model.gaps import INPUTS_MAY_MISS, OF_DRIVER, READ_FORGOTTEN, of_tables, worst_first
from sac_kafka.plan.driver_notes import ROWS_MADE, ROWS_READ, DriverNote
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset

MAX_READS = 200
"""Reads that are remembered; the oldest is forgotten first."""
MAX_MADE = 1_000
"""DataFrames made of rows of the driver that are remembered; the oldest is forgotten first."""
IN_STATEMENT = "values of it in the statement"
"""How it shows that a statement was made of what the driver had read."""

TRANSPOSED = "transposed"
"""How it shows that rows are those of a read, turned by Spark itself: they are of it, and of nothing else."""

Followed = Callable[[LogicalPlan], Origin]
"""What a query reads."""


class DriverRows:
    """The last rows of an application that went through the driver.

    With `statement_inputs`, what values of a statement were read from is an input; else it has decided what was written.
    """

    def __init__(self, counts: Counter[str], *, statement_inputs: bool = False) -> None:
        self._counts = counts
        self._statement_inputs = statement_inputs
        self._reads: Bounded[int, LogicalPlan | Origin] = Bounded(MAX_READS)
        self._by_columns: Bounded[tuple[int, ...], Origin] = Bounded(MAX_MADE)
        self._by_rdd: Bounded[int, Origin] = Bounded(MAX_MADE)

    def take(self, note: DriverNote, followed: Followed, *, follows_now: bool = False) -> bool:
        """Take a note of what came to the driver, or came back; False where it is none of these.

        What was read is followed once somebody asks; with `follows_now` at once: who knows its rows may be gone by then.
        """
        if note.kind == ROWS_READ:
            self._read(note)
            if follows_now:
                tuple(self._known((json.loads(note.text),), followed))
        elif note.kind == ROWS_MADE:
            self._made(note, followed)
        else:
            return False
        return True

    def read_of_rdd(self, text: str, rows: Origin) -> None:
        """Remember what an RDD gave to the driver, by the text of the note of it."""
        self._reads[json.loads(text)["read"]] = rows

    def _read(self, note: DriverNote) -> None:
        """Remember what gave rows to the driver; what a command returns is none of a dataset's."""
        if note.plan is not None and not note.plan.is_command:
            self._reads[json.loads(note.text)["read"]] = note.plan

    def _made(self, note: DriverNote, followed: Followed) -> None:
        """Remember what the rows of a DataFrame were made of."""
        leaves = [leaf for leaf in walk(note.plan) if isinstance(leaf, RowsWithoutDataset)] if note.plan else []
        said = json.loads(note.text)
        if len(leaves) != 1 or (said.get("is_rdd") and not _is_of_driver(leaves[0])):
            return
        (leaf,), uses = leaves, said["uses"]
        known = tuple(self._known(uses, followed))
        if not known:
            return
        made = _origin(leaf.output, known)
        if any(use["read"] not in self._reads for use in uses):
            made = dataclasses.replace(made, gaps=worst_first((*made.gaps, READ_FORGOTTEN)))
        if any(use.get("may_miss") for use in uses):
            made = dataclasses.replace(made, gaps=worst_first((*made.gaps, INPUTS_MAY_MISS)))
        self._by_columns[tuple(a.expr_id for a in leaf.output)] = made
        if isinstance(leaf, LogicalRDD) and leaf.rdd_id is not None:
            self._by_rdd[leaf.rdd_id] = made

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """What the rows of a leaf were made of, under its ids; None where that is not known."""
        known = self._by_columns.get(tuple(a.expr_id for a in leaf.output)) if leaf.output else None
        if known is None and isinstance(leaf, LogicalRDD) and leaf.rdd_id is not None:
            known = self._by_rdd.get(leaf.rdd_id)
        return None if known is None else dataclasses.replace(known, columns=by_position(leaf.output, known.columns))

    def put_on(self, process: Process, reads: Sequence[int], followed: Followed) -> Process:
        """Return a process whose statement holds values of some reads with what these have read."""
        known = tuple(read for read, _ in self._known([{"read": number} for number in reads], followed))
        if not known or not process.outputs or process.defines_view:
            return process
        more = {d.key: d for read in known for d in read.inputs}
        gaps = (OF_DRIVER,) if may_hold_literals(process.columns) else ()
        if not self._statement_inputs:
            decided_by = {**more, **{d.key: d for d in process.decided_by}}
            return dataclasses.replace(
                process,
                decided_by=tuple(decided_by[key] for key in sorted(decided_by)),
                gaps=worst_first((*gaps, *process.gaps)),
            )
        through = {(key, IN_STATEMENT) for key in more}.union(*(read.through_driver for read in known))
        inputs = {**more, **{d.key: d for d in process.inputs}}
        return dataclasses.replace(
            process,
            inputs=tuple(inputs[key] for key in sorted(inputs)),
            through_driver=tuple(sorted({*process.through_driver, *through})),
            gaps=worst_first((*gaps, *process.gaps, *(gap for read in known for gap in of_tables(read.gaps)))),
        )

    def _known(
        self, uses: Sequence[Mapping[str, Any]], followed: Followed
    ) -> Iterator[tuple[Origin, Mapping[str, Any]]]:
        for use in uses:
            read = self._reads.get(use["read"])
            if isinstance(read, LogicalPlan):
                read = self._reads[use["read"]] = followed(read).settled()
            if read is not None and (read.inputs or of_tables(read.gaps) or use.get("how") == TRANSPOSED):
                yield read, use
            elif read is None:
                self._counts[READ_FORGOTTEN] += 1


def _is_of_driver(leaf: RowsWithoutDataset) -> bool:
    """True where all that an RDD is made of were rows of the driver: any other knows its own sources."""
    return isinstance(leaf, LogicalRDD) and leaf.rows is not None and leaf.rows.is_of_driver


def _origin(output: Sequence[Attribute], known: Sequence[tuple[Origin, Mapping[str, Any]]]) -> Origin:
    carried = [(read, use["columns"]) for read, use in known if any(at is not None for at in use["columns"])]
    read = together(read for read, _ in known)
    through = {(d.key, use["how"]) for of, use in known for d in of.inputs}
    return dataclasses.replace(
        read,
        columns=Columns(_columns(output, *carried[0]) if len(known) == 1 and carried else _columns(output, None, ())),
        clauses=tuple(clause for of, _ in carried for clause in of.clauses),
        left_out=next((of.left_out for of, _ in carried if of.left_out), None),
        through_driver=tuple(sorted(through.union(read.through_driver))),
    )


def _columns(
    output: Sequence[Attribute], read: Origin | None, positions: Sequence[int | None]
) -> Iterator[OutputColumn]:
    """The columns of a leaf: those that were carried unchanged, and the others, of which nothing is known."""
    is_whole = read is not None and len(positions) == len(output)
    for i, attribute in enumerate(output):
        at = positions[i] if is_whole else None
        if read is None or at is None or at >= len(read.columns.outputs):
            yield OutputColumn(attribute.expr_id, attribute.name, unknown(OF_DRIVER), type=attribute.type)
        else:
            yield read.columns.outputs[at]
