"""Compare two lineage graphs, and write the differences as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import groupby

from sac_kafka.atlas.flows.processes import NO_CLAUSES
from sac_kafka.tools.graph.graph import LineageGraph, label_graphs
from sac_kafka.tools.messages.model import LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import Labels

MAX_EDGES = 100
"""Limit of edges that are listed one by one for a dataset or the columns of a pair, and of sources in a changed column."""
ALL = "--all"
"""The option of `diff` that lists every column edge."""
NONE = "The lineage is the same."
_SIGNS = {"new": "+", "removed": "-", "changed": "~"}
_MAX_ROWS = 100
"""Rows of one kind of difference in Markdown."""
_MAX_CHARACTERS = 60_000
"""Characters of the whole Markdown text: a GitHub comment may have 65,536."""
_CUT = "… truncated: the complete list is too long for a comment."
_WIDEST_CELL = 160
_BACKTICKS = re.compile(r"`+")


class DifferenceKind(str, Enum):
    """Kind of a difference with its heading, in the order of output.

    A source is a dataset that is read and never written. An edge connects datasets, a column edge columns.
    """

    heading: str

    def __new__(cls, value: str, heading: str) -> DifferenceKind:
        """Return a member; only the first part is its value."""
        kind = str.__new__(cls, value)
        kind._value_, kind.heading = value, heading
        return kind

    NEW_SOURCE = "new-source", "Read for the first time"
    REMOVED_SOURCE = "removed-source", "No longer read"
    NEW_DATASET = "new-dataset", "New datasets"
    REMOVED_DATASET = "removed-dataset", "Removed datasets"
    NEW_PROCESS = "new-process", "New processes"
    REMOVED_PROCESS = "removed-process", "Removed processes"
    CHANGED_PROCESS = "changed-process", "Changed processes"
    NEW_EDGE = "new-edge", "New edges between datasets"
    REMOVED_EDGE = "removed-edge", "Removed edges between datasets"
    NEW_COLUMN = "new-column", "New columns"
    REMOVED_COLUMN = "removed-column", "Removed columns"
    CHANGED_COLUMN = "changed-column", "Changed columns"
    NEW_COLUMN_EDGE = "new-column-edge", "New edges between columns"
    REMOVED_COLUMN_EDGE = "removed-column-edge", "Removed edges between columns"


@dataclass(frozen=True, slots=True)
class LineageDifference:
    """One difference: `name` is the item or the end of an edge, `source` the start of an edge, `before` and `after` the states.

    `number` is the number of differences that it stands for: if a pair of datasets has too many column edges, one difference
    with the names of the datasets replaces them; if a dataset has too many edges, one with its name.
    """

    kind: DifferenceKind
    name: str
    source: str = ""
    before: str = ""
    after: str = ""
    number: int = 1


def differences(
    old: LineageGraph, new: LineageGraph, max_edges: int | None = MAX_EDGES
) -> tuple[LineageDifference, ...]:
    """Return the differences by kind, each kind sorted by name.

    A column with the same sources but another expression or dependency type is changed; other sources are new and removed
    column edges. Columns of a new or removed dataset are not listed.

    `max_edges` limits the column edges listed for a pair of datasets, the edges of a dataset, and the sources of a changed
    column; beyond it only the number is returned. None lists everything, at the cost of time and memory.
    """
    ids = Labels(old.processes, new.processes)
    before, after = (_State(graph, ids) for graph in label_graphs(old, new))
    found = {
        *_only("NEW", after, before, max_edges),
        *_only("REMOVED", before, after, max_edges),
        *_changed_processes(before.processes, after.processes),
        *_changed_columns(before.sources_by_column, after.sources_by_column, max_edges),
    }
    order = {kind: i for i, kind in enumerate(DifferenceKind)}
    return tuple(sorted(found, key=lambda each: (order[each.kind], each.name, each.source)))


class _State:
    """The parts of a graph that are compared, without dropped datasets."""

    def __init__(self, graph: LineageGraph, ids: Labels) -> None:
        processes = graph.processes.values()
        self.read = {name for process in processes for name in process.inputs}
        self.sources = self.read - {name for process in processes for name in process.outputs}
        self.datasets = {name: each for name, each in graph.datasets.items() if not each.is_dropped}
        self.processes = {ids(each.id): each for each in processes}
        self._inputs = {each.id: frozenset(each.inputs) for each in processes}
        writers: dict[str, dict[str, None]] = {}
        for each in processes:
            for target in each.outputs:
                writers.setdefault(target, {})[each.id] = None
        self.writers = {target: tuple(ids) for target, ids in writers.items()}
        self.sources_of = cache(self._sources_of)
        self.sources_by_column = _sources_by_column(processes)

    def _sources_of(self, writers: tuple[str, ...]) -> frozenset[str]:
        """Return the inputs of processes: all outputs of a process share them, as their product may be huge."""
        return frozenset().union(*(self._inputs[writer] for writer in writers))


_Sources = dict[LineageColumn | None, frozenset[str]]
"""Source column to the expressions that use it; the key None stands for a column without sources."""


_SourcesByColumn = Mapping[LineageColumn, _Sources]


def _sources_by_column(processes: Iterable[LineageProcess]) -> _SourcesByColumn:
    found: dict[LineageColumn, _Sources] = {}
    for process in processes:
        for flow in process.flows:
            how = flow.expression or ("a copy" if flow.sources else "no column")
            # One set shared by all sources: there may be thousands of them.
            expressions = frozenset({f"decided by {how}" if flow.influences else how})
            sources = found.setdefault(flow.output, {})
            for source in flow.sources or (None,):
                sources[source] = sources[source] | expressions if source in sources else expressions
    return found


def _only(verb: str, here: _State, there: _State, max_edges: int | None) -> Iterator[LineageDifference]:
    """Yield what a state has and the other one lacks; `verb` is "NEW" or "REMOVED"."""

    def kind(what: str) -> DifferenceKind:
        return DifferenceKind[f"{verb}_{what}"]

    both = here.datasets.keys() & there.datasets.keys()
    columns = here.sources_by_column.keys() - there.sources_by_column.keys()
    yield from (LineageDifference(kind("SOURCE"), name) for name in here.sources - there.read)
    yield from (LineageDifference(kind("DATASET"), name) for name in here.datasets.keys() - both)
    yield from _edges(kind("EDGE"), here, there, max_edges)
    yield from (LineageDifference(kind("COLUMN"), str(column)) for column in columns if column.dataset in both)
    yield from _column_edges(kind("COLUMN_EDGE"), here.sources_by_column, there.sources_by_column, max_edges)
    others = _without(there.processes, here.processes)
    for known, process in _without(here.processes, there.processes).items():
        if known not in others:
            before, after = (_flow(process) * (verb == each) for each in ("REMOVED", "NEW"))
            yield LineageDifference(kind("PROCESS"), process.name, before=before, after=after)


def _edges(kind: DifferenceKind, here: _State, there: _State, max_edges: int | None) -> Iterator[LineageDifference]:
    """Yield the edges that the other state lacks: one by one, or as a number if a dataset has more than `max_edges`."""

    @cache
    def sources_beyond(writers: tuple[str, ...], others: tuple[str, ...]) -> frozenset[str]:
        return here.sources_of(writers) - there.sources_of(others)

    for target, writers in here.writers.items():
        sources = sources_beyond(writers, there.writers.get(target, ()))
        if max_edges is not None and len(sources) > max_edges:
            yield LineageDifference(kind, target, number=len(sources))
        else:
            yield from (LineageDifference(kind, target, source) for source in sources)


def _column_edges(
    kind: DifferenceKind, state: _SourcesByColumn, other: _SourcesByColumn, max_edges: int | None
) -> Iterator[LineageDifference]:
    """Yield the edges that the other state lacks: one by one, or as a number if a pair of datasets has more than `max_edges`."""
    numbers: Counter[tuple[str, str]] = Counter()
    listed: dict[tuple[str, str], list[LineageDifference]] = {}
    for target, sources in state.items():
        known = other.get(target, {})
        for source in sources:
            if source is None or source in known:
                continue
            pair = (source.dataset, target.dataset)
            numbers[pair] += 1
            if max_edges is None or numbers[pair] <= max_edges:
                listed.setdefault(pair, []).append(LineageDifference(kind, str(target), str(source)))
    for pair, number in numbers.items():
        if max_edges is not None and number > max_edges:
            yield LineageDifference(kind, pair[1], pair[0], number=number)
        else:
            yield from listed[pair]


def _changed_processes(
    before: Mapping[str, LineageProcess], after: Mapping[str, LineageProcess]
) -> Iterator[LineageDifference]:
    for id_ in before.keys() & after.keys():
        for was, is_ in zip(_signature(before[id_]), _signature(after[id_]), strict=True):
            if was != is_:
                yield LineageDifference(DifferenceKind.CHANGED_PROCESS, after[id_].name, before=was, after=is_)


def _without(
    here: Mapping[str, LineageProcess], there: Mapping[str, LineageProcess]
) -> dict[tuple[str, ...], LineageProcess]:
    """Return the processes that the other state lacks by qualifiedName, keyed by name, inputs, outputs and row clauses."""
    return {(each.name, *_signature(each)): each for id_, each in here.items() if id_ not in there}


def _signature(process: LineageProcess) -> tuple[str, str]:
    """Return inputs and outputs as one text, and the row clauses."""
    return _flow(process), process.rows or NO_CLAUSES


def _flow(process: LineageProcess) -> str:
    ends = (", ".join(sorted(side)) or "no dataset" for side in (process.inputs, process.outputs))
    return " → ".join(ends)


def _changed_columns(
    before: _SourcesByColumn, after: _SourcesByColumn, max_edges: int | None
) -> Iterator[LineageDifference]:
    """Yield the columns whose sources are the same, but with other expressions or dependency types."""
    for column in before.keys() & after.keys():
        was, is_ = before[column], after[column]
        changed = [source for source in was.keys() & is_.keys() if was[source] != is_[source]]
        if changed:
            yield LineageDifference(
                DifferenceKind.CHANGED_COLUMN,
                str(column),
                _list_names(sorted(str(each) for each in changed if each), max_edges),
                _expressions(was, changed),
                _expressions(is_, changed),
            )


def _list_names(names: Sequence[str], max_names: int | None) -> str:
    more = 0 if max_names is None else len(names) - max_names
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:max_names])} and {more:,} more"


def _expressions(sources: _Sources, changed: Iterable[LineageColumn | None]) -> str:
    return " | ".join(sorted(frozenset().union(*(sources[each] for each in changed))))


def difference_lines(found: Sequence[LineageDifference]) -> Iterator[str]:
    """Yield the lines: a heading per kind, a line per difference (`+` new, `-` removed, `~` changed), then the summary."""
    for kind, each in groupby(found, key=lambda one: one.kind):
        yield kind.heading
        for one in each:
            yield f"  {_SIGNS[one.kind.value.partition('-')[0]]} {_line(one, str)}"
    yield tally(found)
    yield from _summarized_note(found)


def markdown(found: Sequence[LineageDifference]) -> Iterator[str]:
    """Yield Markdown lines: names are code spans, long lists and texts are truncated with a note."""
    room = _MAX_CHARACTERS
    for line in _markdown(found):
        room -= len(line) + 1
        if room < 0:
            yield ""
            yield _CUT
            return
        yield line


def _markdown(found: Sequence[LineageDifference]) -> Iterator[str]:
    yield "### Lineage"
    yield ""
    yield tally(found)
    yield from _summarized_note(found)
    for kind, each in groupby(found, key=lambda one: one.kind):
        listed = list(each)
        yield ""
        yield f"**{kind.heading}** ({sum(one.number for one in listed):,})"
        yield ""
        for one in listed[:_MAX_ROWS]:
            yield f"* {_line(one, code)}"
        if len(listed) > _MAX_ROWS:
            yield f"* … and {len(listed) - _MAX_ROWS} more"


def tally(found: Sequence[LineageDifference]) -> str:
    """Return the number of differences as a sentence.

    >>> tally(())
    'The lineage is the same.'
    """
    if not found:
        return NONE
    numbers = {word: sum(each.number for each in found if each.kind.value.startswith(word)) for word in _SIGNS}
    parts = ", ".join(f"{number:,} {word}" for word, number in numbers.items() if number)
    number = sum(numbers.values())
    return f"{number:,} difference{'' if number == 1 else 's'}: {parts}."


def _summarized_note(found: Sequence[LineageDifference]) -> Iterator[str]:
    number = sum(each.number for each in found if each.number > 1)
    if number:
        yield f"{number:,} of them are summarized by dataset; {ALL} lists each."


def code(text: str) -> str:
    """Return a text as a Markdown code span, truncated if it is long.

    >>> code("a`b"), code("x | y")
    ('``a`b``', '`x | y`')
    """
    text = " ".join(text.split()) or " "
    text = text if len(text) <= _WIDEST_CELL else f"{text[: _WIDEST_CELL - 1]}…"
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _line(one: LineageDifference, quoted: Callable[[str], str]) -> str:
    """Return a difference as one line, its names formatted by `quoted`."""
    name = quoted(one.name)
    if one.kind in (DifferenceKind.CHANGED_COLUMN, DifferenceKind.CHANGED_PROCESS):
        made = f" ◀─ {quoted(one.source)}" if one.source else ""
        return f"{name}{made}: {quoted(one.before)} is now {quoted(one.after)}"
    if one.number > 1 and not one.source:
        return f"{one.number:,} datasets ──▶ {name}"
    if one.source:
        number = f" ({one.number:,} between their columns)" if one.number > 1 else ""
        return f"{quoted(one.source)} ──▶ {name}{number}"
    return name
