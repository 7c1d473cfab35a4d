"""What is missing of a write's lineage, and why: one table of reasons, and how much each of them takes away.

A write whose lineage has no gap is complete: all that it read is there, and of each column that it wrote what it was made of,
or that it comes from no other. What a statement does not have is no gap: rows of a range or of VALUES have no input, a literal
has no source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from types import MappingProxyType

from sac_kafka.lineage.model.columns import ColumnLineage
from sac_kafka.lineage.model.processes import Process

LEFT_OUT = "column lineage left out: "
LEFT_OUT_BY_RULES = "inputs left out by rules"
NOT_ASKED_FOR = "column lineage is off"
OF_RDD = "columns not known: the rows were made by an RDD's functions"
OF_DRIVER = "columns not known: rows or values went through the driver"
OF_VARIABLE = "columns not known: a value went through a variable of SQL"
OF_MEASURES = "columns not known: the measures of a metric view have no names in plans"
READ_FORGOTTEN = "rows of the driver: what was read is not known any more"
INPUTS_MAY_MISS = "inputs may be missing: rows of the driver have values of no read"
INPUTS_NOT_KNOWN = "inputs not known: "
CHECKPOINT_FORGOTTEN = "rows of a checkpoint: what was read is not known any more"
CHECKPOINT_IN_DOUBT = "rows of a checkpoint: it may be one of several, all of them are inputs"
NOT_LOOKED_AT = "rows of an RDD that was not looked at"
TOO_MANY_PATHS = "input left out: too many paths"
TOO_MANY_RDDS = "RDDs left out: too many"
CONDITIONS_NOT_KNOWN = "conditions not known: a query that the database runs decides rows"
NOT_IN_QUERY = "column not found in its query"
OF_THE_HOOK = "an error of the hook"

MAX_GAPS = 20
"""Reasons that one process has."""


class Lacking(IntEnum):
    """What a gap takes away, the most first: the whole flow, one of its inputs, or columns."""

    FLOW = 0
    TABLES = 1
    COLUMNS = 2


REASONS: Mapping[str, Lacking] = MappingProxyType(
    {
        "sink not understood: ": Lacking.FLOW,
        "command not understood: ": Lacking.FLOW,
        "output of an RDD not understood: ": Lacking.FLOW,
        "topics not known: each row names its own": Lacking.FLOW,
        OF_THE_HOOK: Lacking.FLOW,
        "relation not understood: ": Lacking.TABLES,
        "query not understood: ": Lacking.TABLES,
        "query of a JDBC source not understood": Lacking.TABLES,
        "RDD not understood: ": Lacking.TABLES,
        TOO_MANY_RDDS: Lacking.TABLES,
        "stream of a V1 source not understood": Lacking.TABLES,
        "topics not known: they are read by a pattern": Lacking.TABLES,
        TOO_MANY_PATHS: Lacking.TABLES,
        READ_FORGOTTEN: Lacking.TABLES,
        INPUTS_MAY_MISS: Lacking.TABLES,
        INPUTS_NOT_KNOWN: Lacking.TABLES,
        CHECKPOINT_FORGOTTEN: Lacking.TABLES,
        CHECKPOINT_IN_DOUBT: Lacking.TABLES,
        NOT_LOOKED_AT: Lacking.TABLES,
        LEFT_OUT_BY_RULES: Lacking.TABLES,
        "node not understood: ": Lacking.COLUMNS,
        LEFT_OUT: Lacking.COLUMNS,
        NOT_IN_QUERY: Lacking.COLUMNS,
        "columns not known: ": Lacking.COLUMNS,
        CONDITIONS_NOT_KNOWN: Lacking.COLUMNS,
        NOT_ASKED_FOR: Lacking.COLUMNS,
    }
)
"""How reasons begin, and what they take away. What is counted besides is no gap: a note, a guess, an error of Spark's."""


def lacking(reason: str) -> Lacking | None:
    """What a reason takes away; None where it is no gap.

    >>> lacking("relation not understood: org.example.Mystery"), lacking("micro-batches")
    (<Lacking.TABLES: 1>, None)
    """
    return next((what for start, what in REASONS.items() if reason.startswith(start)), None)


def worst_first(reasons: Iterable[str]) -> tuple[str, ...]:
    """The gaps among reasons, each once, those that take away most first; at most MAX_GAPS."""
    found = {reason: what for reason in reasons if (what := lacking(reason)) is not None}
    return tuple(sorted(found, key=lambda reason: (found[reason], reason)))[:MAX_GAPS]


def of_tables(reasons: Iterable[str]) -> tuple[str, ...]:
    """Those reasons that take away more than columns: what is said of rows whose columns do not matter."""
    return tuple(reason for reason in reasons if lacking(reason) in (Lacking.FLOW, Lacking.TABLES))


def is_without_sources(column: ColumnLineage, reasons: Iterable[str]) -> bool:
    """Return True where a column is known to come from no other; `reasons` are the gaps of its process.

    An input that was not understood may be its source, unless the gap concerns columns with unknown sources only. A value
    that went through the driver into a statement is a literal there, which an expression shows as `?`.
    """
    has_literal = column.expression is None or "?" in column.expression
    harmless = (*_OF_OTHER_COLUMNS, *(() if has_literal else (OF_DRIVER,)))
    return not column.sources and all(each in harmless for each in reasons)


_OF_OTHER_COLUMNS = (NOT_IN_QUERY, OF_RDD, LEFT_OUT_BY_RULES, CONDITIONS_NOT_KNOWN)


def may_hide_conditions(reasons: Iterable[str]) -> bool:
    """Return True where rows may be decided by more than is known: `reasons` are the gaps of a process.

    >>> may_hide_conditions(("relation not understood: x",)), may_hide_conditions(("column not found in its query",))
    (True, False)
    """
    return any(not reason.startswith(_WITH_CONDITIONS) for reason in reasons)


_WITH_CONDITIONS = (
    NOT_IN_QUERY,
    OF_VARIABLE,
    TOO_MANY_PATHS,
    CHECKPOINT_IN_DOUBT,
    LEFT_OUT_BY_RULES,
    NOT_ASKED_FOR,
    "topics not known: ",
    "columns not known: they come out of a query that the database runs",  # read in its dialect, else there is one more
)
"""How those reasons begin that concern no condition."""


def is_write(process: Process) -> bool:
    """True for a user action that wrote to a dataset: it did not fail, and is neither a mere read nor a view's definition."""
    return bool(process.outputs) and process.run.failure is None and not process.defines_view


def gaps(process: Process) -> tuple[str, ...]:
    """Why the lineage of a process is not complete, those reasons first that take away most; () where it is."""
    more = [
        *([f"{LEFT_OUT}{process.columns_left_out}"] if process.columns_left_out else ()),
        *([LEFT_OUT_BY_RULES] if process.inputs_left_out else ()),
    ]
    return worst_first((*process.gaps, *more))
