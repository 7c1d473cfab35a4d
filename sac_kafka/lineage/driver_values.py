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
from dataclasses import dataclass
from typing import Any

from sac_kafka.lineage.columns.operators import by_position
from sac_kafka.lineage.columns.origins import Origin, OriginOf, merged_origins
from sac_kafka.lineage.columns.output_columns import Columns, OutputColumn
from sac_kafka.lineage.columns.placeholders import unknown
from sac_kafka.model import READ_BEFORE, DriverRead, Process, distinct_reads, may_hold_literals
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.gaps import (
    COLUMNS_OF_DRIVER,
    DRIVER_READ_FORGOTTEN,
    INPUTS_MAY_BE_MISSING,
    gaps_beyond_columns,
    worst_first,
)
from sac_kafka.plan.commands import CreateViewCommand
from sac_kafka.plan.commands_without_write import CreateTempViewUsing
from sac_kafka.plan.driver_notes import ROWS_MADE, ROWS_READ, DriverNote
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
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
        if note.kind == ROWS_READ:
            self._add_read(note)
            if at_once:
                tuple(self._used_reads((json.loads(note.text),), origin_of))
        elif note.kind == ROWS_MADE:
            self._add_made(note, origin_of)
        else:
            return False
        return True

    def add_rdd_read(self, text: str, rows: Origin) -> None:
        """Remember an RDD whose rows were read to the driver, by the text of its note."""
        self._reads[json.loads(text)["read"]] = rows

    def _add_read(self, note: DriverNote) -> None:
        """Remember the query whose rows were read to the driver; the result of a command comes from no dataset."""
        if note.plan is not None:
            self._reads[json.loads(note.text)["read"]] = _NO_DATASET if note.plan.is_command else note.plan

    def _add_made(self, note: DriverNote, origin_of: OriginOf) -> None:
        """Remember the origin of a DataFrame created from values of the driver."""
        leaves = [leaf for leaf in walk(note.plan) if isinstance(leaf, RowsWithoutDataset)] if note.plan else []
        details = json.loads(note.text)
        if len(leaves) != 1 or (details.get("is_rdd") and not _is_of_driver(leaves[0])):
            return
        leaf, uses = leaves[0], details["uses"]
        ambiguous = [use for use in uses if not self._are_of_the_same(use, origin_of)]
        known = tuple(self._used_reads([use for use in uses if use not in ambiguous], origin_of))
        maybe = {*details.get("in_question", ()), *(n for use in ambiguous for n in (use["read"], *use["alike"]))}
        in_question = [read for read, _ in self._used_reads([{"read": n} for n in sorted(maybe)], origin_of)]
        gaps = [DRIVER_READ_FORGOTTEN] if any(use["read"] not in self._reads for use in uses) and known else []
        if any(n not in self._reads for n in maybe) or any(gaps_beyond_columns(r.gaps) for r in in_question):
            gaps.append(INPUTS_MAY_BE_MISSING)
        inputs = {d.key for read, _ in known for d in read.inputs}
        more = {d.key: d for read in in_question for d in read.inputs if d.key not in inputs}
        if not known and not more and not gaps:
            return
        made = _origin(leaf.output, known)
        made = dataclasses.replace(
            made,
            gaps=worst_first((*made.gaps, *gaps)),
            other_sources=made.other_sources if known else (leaf.source_text,),
            through_driver=distinct_reads(
                (*made.through_driver, *(DriverRead(each, READ_BEFORE) for each in more.values()))
            ),
        )
        self._by_columns[tuple(a.expr_id for a in leaf.output)] = made
        if isinstance(leaf, LogicalRDD) and leaf.rdd_id is not None:
            self._by_rdd[leaf.rdd_id] = made

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return the origin of the rows of a leaf, with its column ids; None if unknown."""
        known = self._by_columns.get(tuple(a.expr_id for a in leaf.output)) if leaf.output else None
        if known is None and isinstance(leaf, LogicalRDD) and leaf.rdd_id is not None:
            known = self._by_rdd.get(leaf.rdd_id)
        return None if known is None else dataclasses.replace(known, columns=by_position(leaf.output, known.columns))

    def with_statement_values(self, process: Process, reads: Sequence[int], origin_of: OriginOf) -> Process:
        """Return a process with the datasets whose values its statement contains, given the numbers of these reads."""
        known = tuple(read for read, _ in self._used_reads([{"read": number} for number in reads], origin_of))
        if not known or not process.outputs or process.defines_view:
            return process
        more = {d.key: d for read in known for d in read.inputs}
        gaps = (COLUMNS_OF_DRIVER,) if may_hold_literals(process.columns) else ()
        if not self._statement_inputs:
            decided_by = {**more, **{d.key: d for d in process.decided_by}}
            return dataclasses.replace(
                process,
                decided_by=tuple(decided_by[key] for key in sorted(decided_by)),
                gaps=worst_first((*gaps, *process.gaps)),
            )
        through = [DriverRead(each, IN_STATEMENT) for each in more.values()]
        through += (each for read in known for each in read.through_driver)
        inputs = {**more, **{d.key: d for d in process.inputs}}
        return dataclasses.replace(
            process,
            inputs=tuple(inputs[key] for key in sorted(inputs)),
            through_driver=distinct_reads((*process.through_driver, *through)),
            gaps=worst_first(
                (*gaps, *process.gaps, *(gap for read in known for gap in gaps_beyond_columns(read.gaps)))
            ),
        )

    def _are_of_the_same(self, use: Mapping[str, Any], origin_of: OriginOf) -> bool:
        """Return whether reads with the same evidence have the same datasets: a query that was repeated."""
        alike = [read for read, _ in self._used_reads([{"read": n} for n in use.get("alike", ())], origin_of)]
        own = [read for read, _ in self._used_reads([use], origin_of)] if alike else []
        return len({frozenset(d.key for d in read.inputs) for read in (*own, *alike)}) <= 1

    def _used_reads(
        self, uses: Sequence[Mapping[str, Any]], origin_of: OriginOf
    ) -> Iterator[tuple[Origin, Mapping[str, Any]]]:
        for use in uses:
            read = self._reads.get(use["read"])
            if isinstance(read, LogicalPlan):
                read = self._reads[use["read"]] = origin_of(read).with_texts()
            if read is not None and (read.inputs or gaps_beyond_columns(read.gaps) or use.get("how") == TRANSPOSED):
                yield read, use
            elif read is None:
                self._counts[DRIVER_READ_FORGOTTEN] += 1


def _is_of_driver(leaf: RowsWithoutDataset) -> bool:
    """Return whether an RDD was made from rows of the driver only: any other RDD has its own origin."""
    return isinstance(leaf, LogicalRDD) and leaf.rows is not None and leaf.rows.is_of_driver


def _origin(output: Sequence[Attribute], known: Sequence[tuple[Origin, Mapping[str, Any]]]) -> Origin:
    carried = [(read, use["columns"]) for read, use in known if any(at is not None for at in use["columns"])]
    read = merged_origins(read for read, _ in known)
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

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Defined:
    """The definition of a view: numbers of the reads whose values it contains, and its start and end in epoch milliseconds."""

    reads: tuple[int, ...]
    started_ms: int
    ended_ms: int

    def matches(self, view: View) -> bool:
        return view.table is None or self.started_ms <= view.table.create_time <= self.ended_ms


class TemporaryViews:
    """The temporary views of an application that were defined with values of reads."""

    def __init__(self) -> None:
        self._defined: Bounded[_Key, _Defined] = Bounded(MAX_VIEWS)  # by session and name, "" for global views

    def add(
        self, command: LogicalPlan | None, event: SparkListenerSQLExecutionEnd, started_ms: int, reads: tuple[int, ...]
    ) -> None:
        """Record a successful command that defines a view; `reads` are the numbers of the reads whose values it contains."""
        if not isinstance(command, (CreateViewCommand, CreateTempViewUsing)) or command.name is None:
            return
        if isinstance(command, CreateTempViewUsing):
            is_global = command.is_global
        elif command.view_type == "PersistedView":
            return
        else:
            is_global = command.view_type == "GlobalTempView"
        key = _key(command.name.table, None if is_global else _session(event))
        if reads:
            self._defined[key] = _Defined(reads, started_ms, event.time)
        else:
            self._defined.pop(key, None)

    def reads_of(self, events: Iterable[SparkListenerSQLExecutionEnd]) -> tuple[int, ...]:
        """Return the numbers of the reads whose values are in the views that executions have read."""
        if not self._defined:
            return ()
        return tuple(sorted({read for event in events for read in self._reads_in(event)}))

    def _reads_in(self, event: SparkListenerSQLExecutionEnd) -> Iterator[int]:
        query = event.query_execution
        if query is None or query.analyzed is None:
            return
        for node in walk(query.analyzed):
            if isinstance(node, View) and node.is_temp_view:
                is_global = node.identifier.database is not None
                defined = self._defined.get(_key(node.identifier.table, None if is_global else query.session))
                if defined is not None and defined.matches(node):
                    yield from defined.reads


def _session(event: SparkListenerSQLExecutionEnd) -> str | None:
    return event.query_execution.session if event.query_execution is not None else None


def _key(name: str, session: str | None) -> _Key:
    return session or "", name.lower()
