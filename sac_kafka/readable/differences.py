"""What differs between two states of lineage: datasets, processes, and what flows into what.

Times, ids, rows and the order of messages are no difference. Processes are matched by their qualifiedName without the
namespace; what flows from one dataset or column into another is compared over all processes, so that a flow that goes to a
process of another name is still there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum

from sac_kafka.atlas.flows.rows import NO_CLAUSES
from sac_kafka.readable.graph import LineageGraph, ProcessNode
from sac_kafka.readable.impact import Place
from sac_kafka.readable.lineage import plain
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


@dataclass(frozen=True, slots=True)
class LineageDifference:
    """One difference; `name` is of what, `source` where an edge begins, `before` and `after` what it was and is ("" without)."""

    kind: DifferenceKind
    name: str
    source: str = ""
    before: str = ""
    after: str = ""


def differences(old: LineageGraph, new: LineageGraph) -> tuple[LineageDifference, ...]:
    """Give what differs, by kind, each kind sorted by name.

    A column that is made of the same columns in another way (another expression, or what flowed into its value only decides
    it now) is changed; one that is made of others has new and removed column edges. The columns of a dataset that is new, or
    was removed, are not told one by one.
    """
    before, after = _State(old), _State(new)
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
        *_changed_columns(before.made, after.made),
        *_edges(DifferenceKind.NEW_COLUMN_EDGE, after.column_edges - before.column_edges),
        *_edges(DifferenceKind.REMOVED_COLUMN_EDGE, before.column_edges - after.column_edges),
    }
    order = {kind: i for i, kind in enumerate(DifferenceKind)}
    return tuple(sorted(found, key=lambda each: (order[each.kind], each.name, each.source)))


class _State:
    """A graph as what is compared; what was dropped is not there."""

    def __init__(self, graph: LineageGraph) -> None:
        processes = graph.processes.values()
        self.read = {name for process in processes for name in process.inputs}
        self.sources = self.read - {name for process in processes for name in process.outputs}
        self.datasets = {name: each for name, each in graph.datasets.items() if not each.is_dropped}
        self.processes = {plain(each.id): each for each in processes}
        self.edges = {(source, target) for each in processes for target in each.outputs for source in each.inputs}
        self.made = _made(processes)
        self.columns = set(self.made)
        self.column_edges = {
            (str(source), str(target)) for target, sources in self.made.items() for source in sources if source
        }


_Sources = dict[ToldColumn | None, frozenset[str]]
"""What a column is made of, and the ways in which it is made of that; None is no column."""


def _made(processes: Iterable[ProcessNode]) -> dict[ToldColumn, _Sources]:
    found: dict[ToldColumn, dict[ToldColumn | None, set[str]]] = {}
    for process in processes:
        for flow in (*process.columns, *(process.told.made if process.told else ())):
            way = flow.expression or ("a copy" if flow.sources else "no column")
            for source in flow.sources or (None,):
                ways = found.setdefault(flow.output, {}).setdefault(source, set())
                ways.add(f"decided by {way}" if flow.influences else way)
    return {output: {source: frozenset(ways) for source, ways in sources.items()} for output, sources in found.items()}


def _names(kind: DifferenceKind, found: Iterable[Place]) -> Iterator[LineageDifference]:
    return (LineageDifference(kind, str(each)) for each in found)


def _edges(kind: DifferenceKind, found: Iterable[tuple[str, str]]) -> Iterator[LineageDifference]:
    return (LineageDifference(kind, target, source) for source, target in found)


def _of(datasets: Set[str], columns: Iterable[ToldColumn]) -> Iterator[ToldColumn]:
    return (each for each in columns if each.dataset in datasets)


def _processes(before: Mapping[str, ProcessNode], after: Mapping[str, ProcessNode]) -> Iterator[LineageDifference]:
    for id_ in after.keys() - before.keys():
        yield LineageDifference(DifferenceKind.NEW_PROCESS, after[id_].name, after=_flow(after[id_]))
    for id_ in before.keys() - after.keys():
        yield LineageDifference(DifferenceKind.REMOVED_PROCESS, before[id_].name, before=_flow(before[id_]))
    for id_ in before.keys() & after.keys():
        was, is_ = _said(before[id_]), _said(after[id_])
        changed = [i for i, (one, other) in enumerate(zip(was, is_, strict=True)) if one != other]
        for i in changed:
            yield LineageDifference(DifferenceKind.CHANGED_PROCESS, after[id_].name, before=was[i], after=is_[i])


def _said(process: ProcessNode) -> tuple[str, str]:
    """What a process does, and what decides its rows."""
    return _flow(process), (process.told.rows if process.told else "") or NO_CLAUSES


def _flow(process: ProcessNode) -> str:
    ends = (", ".join(sorted(side)) or "no dataset" for side in (process.inputs, process.outputs))
    return " → ".join(ends)


def _changed_columns(
    before: Mapping[ToldColumn, _Sources], after: Mapping[ToldColumn, _Sources]
) -> Iterator[LineageDifference]:
    """The columns that are made of the same in another way, with what differs."""
    for column in before.keys() & after.keys():
        was, is_ = before[column], after[column]
        changed = [source for source in was.keys() & is_.keys() if was[source] != is_[source]]
        if changed:
            yield LineageDifference(
                DifferenceKind.CHANGED_COLUMN,
                str(column),
                ", ".join(sorted(str(each) for each in changed if each)),
                *(" | ".join(sorted(frozenset().union(*(ways[each] for each in changed)))) for ways in (was, is_)),
            )
