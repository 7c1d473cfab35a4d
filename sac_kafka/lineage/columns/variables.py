"""Track SQL variables: the inputs of the query that set a variable are inputs of every query that uses it.

A plan contains only the name of a variable; the query that set it was a separate execution of the same session. In a loop over
a query (FOR in a script), Spark sets one variable per column for every row; the looped query is the preceding iteration
(`toLocalIterator`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator

from sac_kafka.lineage.columns.origins import Origin, merge_origins
from sac_kafka.model import DriverRead, distinct_reads
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.gaps import COLUMNS_OF_VARIABLE, worst_first
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.variables import (
    CreateVariable,
    DropVariable,
    ResolvedIdentifier,
    SetVariable,
    Variable,
    is_local,
    name_of,
)

MAX_VARIABLES = 1000
"""Maximum number of remembered variables with values from datasets, over all sessions; the oldest is evicted first."""
MAX_SESSIONS = 100
"""Maximum number of sessions whose loops are remembered."""
MAX_LOOPS = 16
"""Maximum number of remembered loops per session, running and finished."""

ITERATION = "toLocalIterator"
"""The action by which a script iterates over the rows of a query."""
SETTING_VARIABLES = (SetVariable, CreateVariable, DropVariable)
_WORDS = "value of a variable"

VariableName = tuple[str, ...]
SourceOf = Callable[[LogicalPlan], Origin]
"""Return the origin of a query's rows."""


@dataclasses.dataclass(slots=True, eq=False)
class _Loop:
    """A query that a script iterates over; `block` is the prefix of the names of the variables that hold the row."""

    columns: frozenset[str]
    source: Origin | None
    block: VariableName | None = None


class Variables:
    """The variables of an application's sessions whose values come from datasets; `sources` are these by session and name."""

    def __init__(self) -> None:
        self.sources: Bounded[tuple[str, VariableName], Origin] = Bounded(MAX_VARIABLES)
        self._loops: Bounded[str, list[_Loop]] = Bounded(MAX_SESSIONS)

    def origins_in(self, session: str | None) -> Callable[[LogicalPlan], Iterable[Origin]]:
        """Return a function that yields the origins of the variables in the expressions of a node, without its children."""
        if session is None:
            return lambda _node: ()
        return lambda node: self._used_origins(session, node)

    def add(self, event: SparkListenerSQLExecutionEnd, source_of: SourceOf) -> None:
        """Update the variables and loops after a successful execution."""
        query = event.query_execution
        if query is None or query.session is None or query.analyzed is None:
            return
        session, plan = query.session, query.analyzed
        if event.name == ITERATION and query.sql_text is not None:
            self._add_loop(session, source_of(plan))
        elif query.mode == "ALL":  # the result of a command, read again
            return
        elif isinstance(plan, SetVariable):
            self._set(session, plan, source_of, is_of_statement=query.sql_text is not None)
        elif isinstance(plan, CreateVariable):
            known = tuple(self._used_origins(session, plan))
            for name in _names(plan.children):
                self._remember(session, name, known)
        elif isinstance(plan, DropVariable):
            for name in _names(plan.children):
                self._remember(session, name, ())

    def _used_origins(self, session: str, node: LogicalPlan) -> Iterator[Origin]:
        for name in _variables(node):
            known = self.sources.get((session, name))
            if known is not None:
                yield known

    def _set(self, session: str, plan: SetVariable, source_of: SourceOf, *, is_of_statement: bool) -> None:
        source = None if plan.query is None else source_of(plan.query)
        for name in _names(plan.targets):
            row = None if is_of_statement or not is_local(name) else self._row(session, name)
            self._remember(session, name, [s for s in (source, row) if s is not None])

    def _remember(self, session: str, name: VariableName, sources: Iterable[Origin]) -> None:
        source = _without_columns(sources)
        if source is not None:
            self.sources[session, name] = source
        else:
            self.sources.pop((session, name), None)

    def _add_loop(self, session: str, source: Origin) -> None:
        loop = _Loop(frozenset(c.name.lower() for c in source.columns.outputs), _without_columns((source,)))
        self._loops[session] = [*self._loops.get(session, ()), loop][-MAX_LOOPS:]

    def _row(self, session: str, name: VariableName) -> Origin | None:
        """Return the origin of the loop whose row a variable belongs to: the last one with that column and the same block."""
        loops = self._loops.get(session, [])
        *block, column = name
        for at in range(len(loops) - 1, -1, -1):
            if column in loops[at].columns and loops[at].block in (None, tuple(block)):
                loops[at].block = tuple(block)
                del loops[at + 1 :]  # inner loops have ended when the outer loop continues
                return loops[at].source
        return None


def _without_columns(sources: Iterable[Origin]) -> Origin | None:
    """Merge several sources into one without columns; None if they contain no dataset."""
    read = merge_origins(sources)
    if not read.inputs:
        return None
    through = (DriverRead(d, _WORDS) for d in read.inputs)
    return dataclasses.replace(
        read,
        clauses=(),
        skip_reason=None,
        other_sources=(),
        through_driver=distinct_reads((*through, *read.through_driver)),
        gaps=worst_first((COLUMNS_OF_VARIABLE, *read.gaps)),
    )


def _names(named: Iterable[LogicalPlan | Expression]) -> Iterator[VariableName]:
    for node in named:
        if isinstance(node, (Variable, ResolvedIdentifier)) and node.identifier is not None:
            yield name_of(node.identifier)


def _variables(node: LogicalPlan) -> frozenset[VariableName]:
    """Return the names of the variables in the expressions of a node."""
    names: set[VariableName] = set()
    seen: set[int] = set()
    stack: list[object] = [getattr(node, field.name) for field in dataclasses.fields(node)]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack.extend(value)
        elif isinstance(value, Expression) and id(value) not in seen:
            seen.add(id(value))
            stack.extend(value.children)
            names.update(_names((value,)))
    return frozenset(names)
