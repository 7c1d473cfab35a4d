"""Classify the reasons for incomplete lineage by severity, and list the gaps of a process.

The lineage of a write without gaps is complete: it names every input, and for each output column its sources or the fact that
it has none. Only missing knowledge is a gap: rows of a range or of VALUES have no input, and a literal has no source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType

from sac_kafka.model.columns import ColumnLineage
from sac_kafka.model.datasets import Dataset, shown_name
from sac_kafka.model.processes import READ_BEFORE, Process

COLUMNS_OMITTED = "column lineage omitted: "
INPUTS_EXCLUDED = "inputs excluded by rules"
COLUMNS_DISABLED = "column lineage disabled"
COLUMNS_OF_RDD = "columns not known: the rows were made by an RDD's functions"
COLUMNS_OF_DRIVER = "columns not known: rows or values went through the driver"
COLUMNS_OF_VARIABLE = "columns not known: a value went through a SQL variable"
COLUMNS_OF_FILES = "columns not known: a procedure made the table of existing files"
COLUMNS_OF_MEASURES = "columns not known: the measures of a metric view have no names in plans"
DRIVER_READ_FORGOTTEN = "rows of the driver: their inputs are no longer known"
INPUTS_MAY_BE_MISSING = "inputs may be missing: rows of the driver"
INPUTS_UNKNOWN = "inputs not known: "
CHECKPOINT_FORGOTTEN = "rows of a checkpoint: their inputs are no longer known"
CHECKPOINT_AMBIGUOUS = "rows of a checkpoint: it may be one of several, all of them are inputs"
RDD_NOT_INSPECTED = "rows of an RDD that was not inspected"
TOO_MANY_PATHS = "inputs omitted: too many paths"
TOO_MANY_RDDS = "RDDs omitted: too many"
CONDITIONS_UNKNOWN = "conditions not known: a query that the database runs decides rows"
CONDITIONS_NOT_STATED = "conditions not known: the flow does not state them"
CONDITIONS_EXCLUDED = "conditions not known: rules exclude what decides rows"
CONDITIONS_OF_DRIVER = "conditions not known: a value of the driver decides rows"
COLUMNS_NOT_STATED = "columns not known: the flow does not state them"
COLUMN_NOT_FOUND = "column not found in its query"
HOOK_ERROR = "internal error of the hook"
NAMED_BY_OPTIONS = "connector not known, named by its options: "
"""Counted for a class whose dataset was identified only by the general rule for options."""

MAX_IN_QUESTION = 5
"""Datasets that may be inputs of a process which its gap names; the last characters of a long name."""
_MAX_NAME = 100
MAX_GAPS = 20
"""Maximum number of gaps per process."""

_WITHOUT_EFFECT_ON_KNOWN_COLUMNS = (
    *(COLUMN_NOT_FOUND, COLUMNS_OF_RDD, INPUTS_EXCLUDED),
    *(CONDITIONS_UNKNOWN, CONDITIONS_NOT_STATED, CONDITIONS_EXCLUDED, CONDITIONS_OF_DRIVER),
)
"""Gaps that leave a column without sources trustworthy: they concern other columns."""

_WITHOUT_CONDITIONS = (
    COLUMN_NOT_FOUND,
    COLUMNS_OF_VARIABLE,
    TOO_MANY_PATHS,
    CHECKPOINT_AMBIGUOUS,
    INPUTS_EXCLUDED,
    COLUMNS_DISABLED,
    COLUMNS_OF_FILES,
    "topics not known: ",
    # sqlglot has parsed the query in its dialect; otherwise CONDITIONS_UNKNOWN is among the gaps as well.
    "columns not known: they come out of a query that the database runs",
)
"""Prefixes of the gaps that hide no condition."""


class GapSeverity(IntEnum):
    """What a gap hides, in descending order: the whole flow, an input, or columns."""

    FLOW = 0
    TABLES = 1
    COLUMNS = 2


REASONS: Mapping[str, GapSeverity] = MappingProxyType(
    {
        "sink not understood: ": GapSeverity.FLOW,
        "command not understood: ": GapSeverity.FLOW,
        "output of an RDD not understood: ": GapSeverity.FLOW,
        "topics not known: each row names its own": GapSeverity.FLOW,
        HOOK_ERROR: GapSeverity.FLOW,
        "relation not understood: ": GapSeverity.TABLES,
        "query not understood: ": GapSeverity.TABLES,
        "query of a JDBC source not understood": GapSeverity.TABLES,
        "RDD not understood: ": GapSeverity.TABLES,
        TOO_MANY_RDDS: GapSeverity.TABLES,
        "stream of a V1 source not understood": GapSeverity.TABLES,
        "topics not known: they are read by a pattern": GapSeverity.TABLES,
        TOO_MANY_PATHS: GapSeverity.TABLES,
        DRIVER_READ_FORGOTTEN: GapSeverity.TABLES,
        INPUTS_MAY_BE_MISSING: GapSeverity.TABLES,
        INPUTS_UNKNOWN: GapSeverity.TABLES,
        CHECKPOINT_FORGOTTEN: GapSeverity.TABLES,
        CHECKPOINT_AMBIGUOUS: GapSeverity.TABLES,
        RDD_NOT_INSPECTED: GapSeverity.TABLES,
        INPUTS_EXCLUDED: GapSeverity.TABLES,
        "node not understood: ": GapSeverity.COLUMNS,
        COLUMNS_OMITTED: GapSeverity.COLUMNS,
        COLUMN_NOT_FOUND: GapSeverity.COLUMNS,
        "columns not known: ": GapSeverity.COLUMNS,
        CONDITIONS_UNKNOWN: GapSeverity.COLUMNS,
        CONDITIONS_NOT_STATED: GapSeverity.COLUMNS,
        CONDITIONS_EXCLUDED: GapSeverity.COLUMNS,
        CONDITIONS_OF_DRIVER: GapSeverity.COLUMNS,
        COLUMNS_DISABLED: GapSeverity.COLUMNS,
    }
)
"""Severity of each gap, by the prefix of its text. Other counted texts are no gaps: notes, guesses, errors of Spark."""


def severity_of(reason: str) -> GapSeverity | None:
    """Return the severity of a reason; None if it is not a gap.

    >>> severity_of("relation not understood: org.example.Mystery"), severity_of("micro-batches")
    (<GapSeverity.TABLES: 1>, None)
    """
    return next((severity for prefix, severity in REASONS.items() if reason.startswith(prefix)), None)


def worst_first(reasons: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct gaps among reasons, most severe first, at most MAX_GAPS."""
    found = {reason: severity for reason in reasons if (severity := severity_of(reason)) is not None}
    return tuple(sorted(found, key=lambda reason: (found[reason], reason)))[:MAX_GAPS]


def gaps_beyond_columns(reasons: Iterable[str]) -> tuple[str, ...]:
    """Return the gaps that hide inputs or the whole flow, for rows whose columns do not matter."""
    return tuple(reason for reason in reasons if severity_of(reason) in (GapSeverity.FLOW, GapSeverity.TABLES))


def has_no_sources(column: ColumnLineage, reasons: Iterable[str]) -> bool:
    """Return True if a column certainly has no sources; `reasons` are the gaps of its process.

    With any other gap, the unknown input may be its source. A driver value in a statement is a literal, which an expression
    renders as `?`, so an expression without `?` holds none.
    """
    has_literal = column.expression is None or "?" in column.expression
    harmless = (*_WITHOUT_EFFECT_ON_KNOWN_COLUMNS, *(() if has_literal else (COLUMNS_OF_DRIVER,)))
    return not column.sources and all(reason in harmless for reason in reasons)


def may_hide_conditions(reasons: Iterable[str]) -> bool:
    """Return True if unknown conditions may have decided the rows; `reasons` are the gaps of a process.

    >>> may_hide_conditions(("relation not understood: x",)), may_hide_conditions(("column not found in its query",))
    (True, False)
    """
    return any(not reason.startswith(_WITHOUT_CONDITIONS) for reason in reasons)


def is_write(process: Process) -> bool:
    """Return True if a process is a successful write to a dataset: neither failed, nor a mere read or a view definition."""
    return bool(process.outputs) and process.run.failure is None and not process.defines_view


def _may_be_missing(datasets: Sequence[Dataset]) -> str:
    """Return the gap with the names of the datasets that may be inputs.

    >>> from sac_kafka.model.datasets import TableDataset
    >>> _may_be_missing([TableDataset(database="sales", name="orders")])
    'inputs may be missing: rows of the driver (sales.orders was read just before)'
    """
    names = [*map(shown_name, datasets)]
    shown = [name.replace(";", ",")[-_MAX_NAME:] for name in names[:MAX_IN_QUESTION]]
    more = f" and {len(names) - MAX_IN_QUESTION} more" if len(names) > MAX_IN_QUESTION else ""
    verb = "was" if len(names) == 1 else "were"
    return f"{INPUTS_MAY_BE_MISSING} ({', '.join(shown)}{more} {verb} {READ_BEFORE})"


def gaps(process: Process) -> tuple[str, ...]:
    """Return the gaps in the lineage of a process, most severe first; () if the lineage is complete."""
    in_question = process.in_question if process.through_driver else ()
    more = [
        *([_may_be_missing(in_question)] if in_question else ()),
        *([f"{COLUMNS_OMITTED}{process.columns_omitted}"] if process.columns_omitted else ()),
        *([INPUTS_EXCLUDED] if process.inputs_excluded else ()),
    ]
    if not more and not process.gaps:
        return ()
    named = INPUTS_MAY_BE_MISSING if in_question else None
    return worst_first((*(gap for gap in process.gaps if gap != named), *more))
