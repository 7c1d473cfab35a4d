"""What differs between two states of lineage: datasets, processes, and what flows into what.

Times, ids, rows, the order of messages and the namespace are no difference, unless a state has a name under several namespaces.
Processes are matched by their qualifiedName, else by their name with what they read and write and what decides their rows: a
qualifiedName has a digest of names with the namespace. What flows from one dataset or column into another is compared over all
processes, so that a flow that goes to a process of another name is still there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum

from sac_kafka.atlas.flows.rows import NO_CLAUSES
from sac_kafka.readable.graph import LineageGraph, ProcessNode
from sac_kafka.readable.impact import Place
from sac_kafka.readable.labelling import labelled_alike
from sac_kafka.readable.names import Labels
from sac_kafka.readable.told import ToldColumn


class DifferenceKind(str, Enum):
    """What happened; in the order in which differences are shown.

    A source is a dataset that is read and never written, an edge is between datasets, a column edge between columns.
    """

    NEW_SOURCE = "new-source"
    REMOVED_SOURCE = "removed-source"
    NEW_DATASET = "new-dataset"
    REMOVED_DATASET = "removed-dataset"
    NEW_PROCESS = "new-process"
    REMOVED_PROCESS = "removed-process"
    CHANGED_PROCESS = "changed-process"
    NEW_EDGE = "new-edge"
    REMOVED_EDGE = "removed-edge"
    NEW_COLUMN = "new-column"
    REMOVED_COLUMN = "removed-column"
    CHANGED_COLUMN = "changed-column"
    NEW_COLUMN_EDGE = "new-column-edge"
    REMOVED_COLUMN_EDGE = "removed-column-edge"


MAX_COLUMN_EDGES = 100
"""New or removed edges between the columns of two datasets that are told one by one, and columns that a changed one names."""


@dataclass(frozen=True, slots=True)
class LineageDifference:
    """One difference; `name` is of what, `source` where an edge begins, `before` and `after` what it was and is ("" without).

    `number` is how many it stands for: those between the columns of two datasets are one where they are too many, with
    the datasets in place of the columns.
    """

    kind: DifferenceKind
    name: str
    source: str = ""
    before: str = ""
    after: str = ""
    number: int = 1


def differences(
    old: LineageGraph, new: LineageGraph, most: int | None = MAX_COLUMN_EDGES
) -> tuple[LineageDifference, ...]:
    """Give what differs, by kind, each kind sorted by name.

    Args:
        old: The lineage as it was.
        new: As it is.
        most: More new or removed edges between the columns of two datasets are told as one difference with their number,
            and no more columns are named that a changed one is made of; None tells each, in time and memory for all.

    A column that is made of the same columns in another way (another expression, or what flowed into its value only decides
    it now) is changed; one that is made of others has new and removed column edges. The columns of a dataset that is new, or
    was removed, are not told one by one.
    """
    ids = Labels(old.processes, new.processes)
    before, after = (_State(graph, ids) for graph in labelled_alike(old, new))
    both = before.datasets.keys() & after.datasets.keys()
    found = {
        *_names(DifferenceKind.NEW_SOURCE, after.sources - before.read),
        *_names(DifferenceKind.REMOVED_SOURCE, before.sources - after.read),
        *_names(DifferenceKind.NEW_DATASET, after.datasets.keys() - both),
        *_names(DifferenceKind.REMOVED_DATASET, before.datasets.keys() - both),
        *_processes(before.processes, after.processes),
        *_edges(DifferenceKind.NEW_EDGE, after.edges - before.edges),
        *_edges(DifferenceKind.REMOVED_EDGE, before.edges - after.edges),
        *_names(DifferenceKind.NEW_COLUMN, _of(both, after.columns - before.columns)),
        *_names(DifferenceKind.REMOVED_COLUMN, _of(both, before.columns - after.columns)),
        *_changed_columns(before.made, after.made, most),
        *_column_edges(DifferenceKind.NEW_COLUMN_EDGE, after.made, before.made, most),
        *_column_edges(DifferenceKind.REMOVED_COLUMN_EDGE, before.made, after.made, most),
    }
    order = {kind: i for i, kind in enumerate(DifferenceKind)}
    return tuple(sorted(found, key=lambda each: (order[each.kind], each.name, each.source)))


class _State:
    """A graph as what is compared; what was dropped is not there."""

    def __init__(self, graph: LineageGraph, ids: Labels) -> None:
        processes = graph.processes.values()
        self.read = {name for process in processes for name in process.inputs}
        self.sources = self.read - {name for process in processes for name in process.outputs}
        self.datasets = {name: each for name, each in graph.datasets.items() if not each.is_dropped}
        self.processes = {ids(each.id): each for each in processes}
        self.edges = {(source, target) for each in processes for target in each.outputs for source in each.inputs}
        self.made = _made(processes)
        self.columns = set(self.made)


_Sources = dict[ToldColumn | None, frozenset[str]]
"""What a column is made of, and the ways in which it is made of that; None is no column."""


_Made = Mapping[ToldColumn, _Sources]


def _made(processes: Iterable[ProcessNode]) -> _Made:
    found: dict[ToldColumn, _Sources] = {}
    for process in processes:
        for flow in (*process.columns, *(process.told.made if process.told else ())):
            way = flow.expression or ("a copy" if flow.sources else "no column")
            ways = frozenset({f"decided by {way}" if flow.influences else way})  # one for all sources: they may be many
            sources = found.setdefault(flow.output, {})
            for source in flow.sources or (None,):
                sources[source] = sources[source] | ways if source in sources else ways
    return found


def _names(kind: DifferenceKind, found: Iterable[Place]) -> Iterator[LineageDifference]:
    return (LineageDifference(kind, str(each)) for each in found)


def _edges(kind: DifferenceKind, found: Iterable[tuple[str, str]]) -> Iterator[LineageDifference]:
    return (LineageDifference(kind, target, source) for source, target in found)


def _column_edges(kind: DifferenceKind, made: _Made, other: _Made, most: int | None) -> Iterator[LineageDifference]:
    """The edges that the other state lacks: one by one, or where two datasets have more than `most`, their number."""
    numbers: Counter[tuple[str, str]] = Counter()
    told: dict[tuple[str, str], list[LineageDifference]] = {}
    for target, sources in made.items():
        there = other.get(target, {})
        for source in sources:
            if source is None or source in there:
                continue
            pair = (source.dataset, target.dataset)
            numbers[pair] += 1
            if most is None or numbers[pair] <= most:
                told.setdefault(pair, []).append(LineageDifference(kind, str(target), str(source)))
    for pair, number in numbers.items():
        if most is not None and number > most:
            yield LineageDifference(kind, pair[1], pair[0], number=number)
        else:
            yield from told[pair]


def _of(datasets: Set[str], columns: Iterable[ToldColumn]) -> Iterator[ToldColumn]:
    return (each for each in columns if each.dataset in datasets)


def _processes(before: Mapping[str, ProcessNode], after: Mapping[str, ProcessNode]) -> Iterator[LineageDifference]:
    new, gone = _without(after, before), _without(before, after)
    for known in new.keys() - gone.keys():
        yield LineageDifference(DifferenceKind.NEW_PROCESS, new[known].name, after=_flow(new[known]))
    for known in gone.keys() - new.keys():
        yield LineageDifference(DifferenceKind.REMOVED_PROCESS, gone[known].name, before=_flow(gone[known]))
    for id_ in before.keys() & after.keys():
        was, is_ = _said(before[id_]), _said(after[id_])
        changed = [i for i, (one, other) in enumerate(zip(was, is_, strict=True)) if one != other]
        for i in changed:
            yield LineageDifference(DifferenceKind.CHANGED_PROCESS, after[id_].name, before=was[i], after=is_[i])


def _without(here: Mapping[str, ProcessNode], there: Mapping[str, ProcessNode]) -> dict[tuple[str, ...], ProcessNode]:
    return {_known(each): each for id_, each in here.items() if id_ not in there}


def _known(process: ProcessNode) -> tuple[str, ...]:
    """By what a process is known whose qualifiedName is another one."""
    return (process.name, *_said(process))


def _said(process: ProcessNode) -> tuple[str, str]:
    """What a process does, and what decides its rows."""
    return _flow(process), (process.told.rows if process.told else "") or NO_CLAUSES


def _flow(process: ProcessNode) -> str:
    ends = (", ".join(sorted(side)) or "no dataset" for side in (process.inputs, process.outputs))
    return " → ".join(ends)


def _changed_columns(before: _Made, after: _Made, most: int | None) -> Iterator[LineageDifference]:
    """The columns that are made of the same in another way, with what differs."""
    for column in before.keys() & after.keys():
        was, is_ = before[column], after[column]
        changed = [source for source in was.keys() & is_.keys() if was[source] != is_[source]]
        if changed:
            yield LineageDifference(
                DifferenceKind.CHANGED_COLUMN,
                str(column),
                _listed(sorted(str(each) for each in changed if each), most),
                _ways(was, changed),
                _ways(is_, changed),
            )


def _listed(names: Sequence[str], most: int | None) -> str:
    more = 0 if most is None else len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more:,} more"


def _ways(made: _Sources, changed: Iterable[ToldColumn | None]) -> str:
    return " | ".join(sorted(frozenset().union(*(made[each] for each in changed))))
