"""Trace values that a query returned to the driver and that became a DataFrame or part of a statement again.

The datasets of the query are the inputs. Its columns are known only for columns of a frame that were passed on unchanged.

A statement over a temporary view whose definition contains such values contains none itself. Its plan has the view's name and
creation time: a DataFrame keeps the definition from which it was created, even if the name has been redefined since. Views belong
to sessions.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin, OriginOf, merge_origins
from sac_kafka.lineage.columns.output_columns import Columns, OutputColumn
from sac_kafka.lineage.columns.placeholders import unknown
from sac_kafka.model import READ_BEFORE, DriverRead, Process, distinct_reads, may_hold_literals
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.gaps import (
    COLUMNS_OF_DRIVER,
    CONDITIONS_OF_DRIVER,
    DRIVER_READ_FORGOTTEN,
    INPUTS_MAY_BE_MISSING,
    gaps_beyond_columns,
    worst_first,
)
from sac_kafka.plan.catalog import TableIdentifier
from sac_kafka.plan.commands import CreateViewCommand
from sac_kafka.plan.commands_without_write import CreateTempViewUsing
from sac_kafka.plan.driver_notes import ROWS_MADE, ROWS_READ, DriverNote
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import Union, View
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset

MAX_READS = 200
"""Reads that are remembered; the oldest is evicted first."""
MAX_MADE = 1_000
"""DataFrames created from values of the driver that are remembered; the oldest is evicted first."""
IN_STATEMENT = "values of it in the statement"
"""Evidence that a statement uses a read: it contains values of it."""

TRANSPOSED = "transposed"
"""Evidence that rows are those of a read, transposed by Spark itself: they have no other source."""

_NO_DATASET = Origin(inputs=(), columns=Columns(()))


class DriverValues:
    """The recent reads of an application by its driver, and the DataFrames created from them.

    With `statement_inputs`, a dataset whose values are in a statement is an input of it; else it is one that decided what was
    written (`Process.decided_by`).
    """

    def __init__(self, counts: Counter[str], *, statement_inputs: bool = False) -> None:
        self._counts = counts
        self._statement_inputs = statement_inputs
        self._reads: Bounded[int, LogicalPlan | Origin] = Bounded(MAX_READS)
        self._by_columns: Bounded[tuple[int, ...], Origin] = Bounded(MAX_MADE)
        self._by_rdd: Bounded[int, Origin] = Bounded(MAX_MADE)

    def add_note(self, note: DriverNote, origin_of: OriginOf, *, at_once: bool = False) -> bool:
        """Add a note about rows that were read to the driver or became a DataFrame.

        The origin of a read is determined when it is first used; with `at_once` immediately, as it may be unknown later.

        Returns:
            False if the note is of another kind.
        """
        if note.kind == ROWS_MADE:
            self._add_frame(note, origin_of)
        elif note.kind == ROWS_READ:
            number = json.loads(note.text)["read"]
            if note.plan is not None:  # the result of a command comes from no dataset
                self._reads[number] = _NO_DATASET if note.plan.is_command else note.plan
            if at_once:
                self._read(number, origin_of)
        return note.kind in (ROWS_MADE, ROWS_READ)

    def add_rdd_read(self, text: str, rows: Origin) -> None:
        """Remember an RDD whose rows were read to the driver, by the text of its note."""
        self._reads[json.loads(text)["read"]] = rows

    def _add_frame(self, note: DriverNote, origin_of: OriginOf) -> None:
        """Remember the origin of a DataFrame created from values of the driver."""
        leaves = [leaf for leaf in walk(note.plan) if isinstance(leaf, RowsWithoutDataset)] if note.plan else []
        details = json.loads(note.text)
        if len(leaves) != 1:
            return
        leaf, uses = leaves[0], details["uses"]
        is_of_driver = isinstance(leaf, LogicalRDD) and leaf.rows is not None and leaf.rows.is_of_driver
        if details.get("is_rdd") and not is_of_driver:  # any other RDD has its own origin
            return
        ambiguous = [use for use in uses if not self._are_of_the_same(use, origin_of)]
        sure = [use for use in uses if use not in ambiguous]
        known = [
            (read, use) for use in sure if (read := self._read(use["read"], origin_of, use.get("how"))) is not None
        ]
        maybe = {*details.get("in_question", ()), *(n for use in ambiguous for n in (use["read"], *use["alike"]))}
        in_question = self._find(sorted(maybe), origin_of)
        gaps = [DRIVER_READ_FORGOTTEN] if any(use["read"] not in self._reads for use in uses) and known else []
        if any(n not in self._reads for n in maybe) or any(gaps_beyond_columns(r.gaps) for r in in_question):
            gaps.append(INPUTS_MAY_BE_MISSING)
        inputs = {d.key for read, _ in known for d in read.inputs}
        more = {d.key: d for read in in_question for d in read.inputs if d.key not in inputs}
        if not known and not more and not gaps:
            return
        rows = _origin(leaf.output, known)
        in_doubt = (DriverRead(dataset, READ_BEFORE) for dataset in more.values())
        rows = dataclasses.replace(
            rows,
            gaps=worst_first((*rows.gaps, *gaps)),
            other_sources=rows.other_sources if known else (leaf.source_text,),
            through_driver=distinct_reads((*rows.through_driver, *in_doubt)),
        )
        self._by_columns[tuple(a.expr_id for a in leaf.output)] = rows
        if isinstance(leaf, LogicalRDD) and leaf.rdd_id is not None:
            self._by_rdd[leaf.rdd_id] = rows

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return the origin of the rows of a leaf, with its column ids; None if unknown."""
        known = self._by_columns.get(tuple(a.expr_id for a in leaf.output)) if leaf.output else None
        if known is None and isinstance(leaf, LogicalRDD) and leaf.rdd_id is not None:
            known = self._by_rdd.get(leaf.rdd_id)
        return None if known is None else dataclasses.replace(known, columns=by_position(leaf.output, known.columns))

    def with_statement_values(self, process: Process, reads: Sequence[int], origin_of: OriginOf) -> Process:
        """Return a process with the datasets whose values its statement contains, given the numbers of these reads."""
        known = self._find(reads, origin_of)
        is_forgotten = any(number not in self._reads for number in reads)
        if not (known or is_forgotten) or not process.outputs or process.defines_view:
            return process
        more = {d.key: d for read in known for d in read.inputs}
        beyond = [gap for read in known for gap in gaps_beyond_columns(read.gaps)]
        beyond += [DRIVER_READ_FORGOTTEN] if is_forgotten else []
        gaps = (COLUMNS_OF_DRIVER,) if may_hold_literals(process.columns) else ()
        if not self._statement_inputs:
            decided_by = {**more, **{d.key: d for d in process.decided_by}}
            in_doubt = any(earlier.how == READ_BEFORE for read in known for earlier in read.through_driver)
            conditions = (CONDITIONS_OF_DRIVER,) if beyond or in_doubt else ()  # what is missing is no input
            return dataclasses.replace(
                process,
                decided_by=tuple(decided_by[key] for key in sorted(decided_by)),
                gaps=worst_first((*gaps, *process.gaps, *conditions)),
            )
        through = [DriverRead(dataset, IN_STATEMENT) for dataset in more.values()]
        through += (earlier for read in known for earlier in read.through_driver)
        inputs = {**more, **{d.key: d for d in process.inputs}}
        return dataclasses.replace(
            process,
            inputs=tuple(inputs[key] for key in sorted(inputs)),
            through_driver=distinct_reads((*process.through_driver, *through)),
            gaps=worst_first((*gaps, *process.gaps, *beyond)),
        )

    def _are_of_the_same(self, use: Mapping[str, Any], origin_of: OriginOf) -> bool:
        """Return whether reads with the same evidence have the same datasets: a query that was repeated."""
        alike = self._find(use.get("alike", ()), origin_of)
        own = self._read(use["read"], origin_of, use.get("how")) if alike else None
        reads = alike if own is None else [own, *alike]
        return len({frozenset(d.key for d in read.inputs) for read in reads}) <= 1

    def _find(self, numbers: Iterable[int], origin_of: OriginOf) -> list[Origin]:
        return [read for number in numbers if (read := self._read(number, origin_of)) is not None]

    def _read(self, number: int, origin_of: OriginOf, how: str | None = None) -> Origin | None:
        """Return the origin of a read, for some evidence of its use; None if it is forgotten, or comes from no dataset."""
        read = self._reads.get(number)
        if isinstance(read, LogicalPlan):
            read = self._reads[number] = origin_of(read).with_texts()
        if read is None:
            self._counts[DRIVER_READ_FORGOTTEN] += 1
            return None
        is_of_data = read.inputs or read.through_driver or gaps_beyond_columns(read.gaps)
        return read if is_of_data or how == TRANSPOSED else None


def _origin(output: Sequence[Attribute], known: Sequence[tuple[Origin, Mapping[str, Any]]]) -> Origin:
    carried = [(read, use["columns"]) for read, use in known if any(at is not None for at in use["columns"])]
    read = merge_origins(read for read, _ in known)
    through = [DriverRead(d, use["how"]) for origin, use in known for d in origin.inputs]
    return dataclasses.replace(
        read,
        columns=Columns(_columns(output, *carried[0]) if len(known) == 1 and carried else _columns(output, None, ())),
        clauses=tuple(clause for origin, _ in carried for clause in origin.clauses),
        skip_reason=next((origin.skip_reason for origin, _ in carried if origin.skip_reason), None),
        through_driver=distinct_reads((*through, *read.through_driver)),
    )


def _columns(
    output: Sequence[Attribute], read: Origin | None, positions: Sequence[int | None]
) -> Iterator[OutputColumn]:
    """Yield the columns of a leaf: those passed on unchanged with their sources, the others with unknown sources."""
    is_whole = read is not None and len(positions) == len(output)
    for i, attribute in enumerate(output):
        at = positions[i] if is_whole else None
        if read is None or at is None or at >= len(read.columns.outputs):
            yield OutputColumn(attribute.expr_id, attribute.name, unknown(COLUMNS_OF_DRIVER), type=attribute.type)
        else:
            yield read.columns.outputs[at]


_ACTIONS = frozenset(
    {
        None,  # toLocalIterator, and executions of servers for their clients
        "collect",
        "collectAsArrowToPython",
        "collectAsList",
        "collectToPython",
        "count",
        "first",
        "foreach",
        "foreachPartition",
        "getRowsToPython",
        "head",
        "isEmpty",
        "reduce",
        "tail",
        "tailToPython",
        "take",
        "takeAsList",
        "toLocalIterator",
    }
)
"""Spark's names for executions of actions that return rows or counts; writes are commands."""

_LOGS = ("/_delta_log", "/.hoodie")
"""Metadata directories of tables, which only their connectors read."""


def ends_in_driver(event: SparkListenerSQLExecutionEnd) -> bool:
    """Return whether an execution returns rows to the driver: it is no command, command result, RDD or checkpoint."""
    query = event.query_execution
    if event.failure is not None or event.rdd_id is not None or query is None or query.analyzed is None:
        return False
    plan = query.analyzed
    is_command = plan.is_command or (isinstance(plan, Union) and any(c.is_command for c in plan.children))
    return event.name in _ACTIONS and not is_command


def is_of_connector(processes: Iterable[Process]) -> bool:
    """Return whether processes read nothing but a table format's own log."""
    inputs = [input_.key for process in processes for input_ in process.inputs]
    return bool(inputs) and all(any(log in key for log in _LOGS) for key in inputs)


MAX_VIEWS = 1_000
"""Views that are remembered, over all sessions; the oldest is evicted first."""


class TemporaryViews:
    """The temporary views of an application that were `defined` with values of reads."""

    def __init__(self) -> None:
        # By session and name, "" for global views: numbers of the reads, start and end of the definition in epoch milliseconds.
        self.defined: Bounded[tuple[str, str], tuple[tuple[int, ...], int, int]] = Bounded(MAX_VIEWS)

    def add(
        self,
        command: CreateViewCommand | CreateTempViewUsing,
        event: SparkListenerSQLExecutionEnd,
        started_ms: int,
        reads: tuple[int, ...],
    ) -> None:
        """Record a successful command that defines a view; `reads` are the numbers of the reads whose values it contains."""
        match command:
            case CreateTempViewUsing(name=TableIdentifier(table=name)):
                is_global = command.is_global
            case CreateViewCommand(name=TableIdentifier(table=name)) if command.view_type != "PersistedView":
                is_global = command.view_type == "GlobalTempView"
            case _:
                return
        key = _place(event.query_execution, is_global=is_global), name.lower()
        if reads:
            self.defined[key] = reads, started_ms, event.time
        else:
            self.defined.pop(key, None)

    def reads_of(self, events: Iterable[SparkListenerSQLExecutionEnd]) -> tuple[int, ...]:
        """Return the numbers of the reads whose values are in the views that executions have read."""
        queries = (event.query_execution for event in events) if self.defined else ()
        return tuple(sorted({read for query in queries if query is not None for read in self._reads_in(query)}))

    def _reads_in(self, query: QueryExecution) -> Iterator[int]:
        for view in walk(query.analyzed) if query.analyzed is not None else ():
            if isinstance(view, View) and view.is_temp_view:
                place = _place(query, is_global=view.identifier.database is not None)
                reads, started_ms, ended_ms = self.defined.get((place, view.identifier.table.lower()), ((), 0, 0))
                if view.table is None or started_ms <= view.table.create_time <= ended_ms:
                    yield from reads


def _place(query: QueryExecution | None, *, is_global: bool) -> str:
    """Return the session whose view a name is; "" for all."""
    return "" if is_global or query is None else query.session or ""
