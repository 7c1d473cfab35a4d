"""Combine the lineage of many messages into one graph of datasets, processes and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.tools.messages.entities import column_of_type, is_column
from sac_kafka.tools.messages.model import (
    TABLE_MARK,
    CatalogChange,
    ColumnFlows,
    LineageColumn,
    LineageProcess,
)
from sac_kafka.tools.messages.names import parse_column, qualified, with_names


class _Names:
    """Stable keys of objects: the first name of an object, unless another object had that name before.

    A later object with the old name of a renamed one is another one.
    """

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._names)

    def add(self, old: str, new: str) -> None:
        key = self.key(old)
        self._keys |= {old: f"{old}\0{len(self._keys)}", new: key}
        self._names[key] = new

    def key(self, name: str) -> str:
        return self._keys.get(name, name)

    def name(self, key: str) -> str:
        return self._names.get(key) or key.partition("\0")[0]


class _Renames:
    """Stable keys of datasets and their columns, and the current names for keys."""

    def __init__(self) -> None:
        self.datasets = _Names()
        self._columns: dict[str, _Names] = {}

    def __bool__(self) -> bool:
        """Return whether anything was renamed."""
        return bool(self.datasets or self._columns)

    def add_column(self, old: str, new: LineageColumn) -> None:
        """Record the rename of a column.

        Args:
            old: The old name of the column.
            new: The renamed column, under the current name of its dataset.
        """
        if old != new.name:  # Equal if only the dataset was renamed.
            self._columns.setdefault(self.datasets.key(new.dataset), _Names()).add(old, new.name)

    def column_key(self, column: LineageColumn) -> LineageColumn:
        """Return a column with the keys of its dataset and itself in place of their names."""
        key = self.datasets.key(column.dataset)
        names = self._columns.get(key)
        return replace(column, dataset=key, name=names.key(column.name) if names else column.name)

    def column(self, keys: LineageColumn) -> LineageColumn:
        """Return a column of keys with the current names of its dataset and itself."""
        names, dataset = self._columns.get(keys.dataset), self.datasets.name(keys.dataset)
        return replace(keys, dataset=dataset, name=names.name(keys.name) if names else keys.name)


_NO_DATASETS = ("_db", "_column", "avro_field", "_storagedesc")
"""Type suffixes of catalog objects that are not datasets: containers of datasets, and parts of them."""
_TABLE_COLUMN = "_column"


@dataclass(frozen=True, slots=True)
class DatasetNode:
    """A dataset; `columns` are those that occur in messages, in order of appearance.

    `is_dropped` is set by a drop and reset by later messages about the dataset. `full_name` keeps the namespace if `name` is
    the display name.
    """

    name: str
    type_name: str = ""
    columns: tuple[str, ...] = ()
    is_dropped: bool = False
    full_name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """Dependency of a column on a source column in a process: direct (the value flows), or indirect (a condition, a window)."""

    source: LineageColumn
    target: LineageColumn
    process: str
    is_direct: bool
    expression: str = ""


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """Datasets by name and processes by id, in the order of their first appearance.

    A process is that of its last message, with all its column flows that were not deleted.
    Names contain the namespace, which keeps clusters apart; `labelling.labelled` replaces them with display names.
    """

    datasets: Mapping[str, DatasetNode]
    processes: Mapping[str, LineageProcess]

    def column_edges(self) -> Iterator[ColumnEdge]:
        """Yield the edges between columns, each once per process."""
        for process in self.processes.values():
            edges = (
                ColumnEdge(source, flow.output, process.id, not flow.influences, flow.expression)
                for flow in process.columns
                for source in flow.sources
            )
            yield from dict.fromkeys(edges)

    def columns(self) -> tuple[LineageColumn, ...]:
        """Return all columns in the lineage of the processes, each once."""
        return tuple(dict.fromkeys(column for process in self.processes.values() for column in _columns(process)))


def graph_of(items: Iterable[LineageProcess | CatalogChange]) -> LineageGraph:
    """Build the graph from parsed messages, in their order; the last message about a process replaces earlier ones."""
    builder = _GraphBuilder()
    for each in items:
        builder.add(each)
    return builder.graph()


def _columns(process: LineageProcess) -> Iterator[LineageColumn]:
    for flow in process.flows:
        yield from (*flow.sources, flow.output)
    yield from (column for _, column in process.row_columns)


class _GraphBuilder:
    def __init__(self) -> None:
        self._processes: dict[str, LineageProcess] = {}
        self._ids: dict[str, str] = {}  # process ids by qualifiedName, which deletes use
        self._ends: set[str] = set()
        self._flows = ColumnFlows()
        self._types: dict[str, str] = {}
        self._columns: dict[str, dict[str, None]] = {}
        self._dropped: set[str] = set()
        self._renames = _Renames()

    def add(self, each: LineageProcess | CatalogChange) -> None:
        if isinstance(each, CatalogChange):
            self._change(each)
        else:
            keyed = with_names(each, self._renames.datasets.key, self._renames.column_key) if self._renames else each
            self._process(keyed)

    def graph(self) -> LineageGraph:
        processes = {id_: replace(each, columns=self._flows.flows_of(id_)) for id_, each in self._processes.items()}
        if self._renames:
            known = self._renames
            processes = {id_: with_names(each, known.datasets.name, known.column) for id_, each in processes.items()}
            self._types = {self._renames.datasets.name(key): each for key, each in self._types.items()}
            self._dropped = {self._renames.datasets.name(key) for key in self._dropped}
        for each in processes.values():
            for column in _columns(each):
                self._columns.setdefault(column.dataset, {}).setdefault(column.name)
        ends = (name for each in processes.values() for name in (*each.inputs, *each.outputs))
        names = dict.fromkeys([*ends, *self._types, *self._columns])
        datasets = {
            name: DatasetNode(
                name, self._types.get(name, ""), tuple(self._columns.get(name, ())), name in self._dropped, name
            )
            for name in names
        }
        return LineageGraph(datasets, processes)

    def _process(self, each: LineageProcess) -> None:
        self._ids[qualified(each.id)] = each.id
        self._ends.update(each.inputs, each.outputs)
        if each.outputs or each.inputs:
            self._processes[each.id] = each
            self._types.update(each.types)
            self._dropped.difference_update(each.outputs)
        else:
            self._processes.setdefault(each.id, each)
        self._flows.add(each.id, each.columns)

    def _change(self, each: CatalogChange) -> None:
        if each.type_name.endswith(_NO_DATASETS):
            if each.new_name and each.type_name.endswith(_TABLE_COLUMN):
                old, new = (parse_column(name, TABLE_MARK) for name in (each.name, each.new_name))
                self._renames.add_column(old.name, new)
            elif each.verb == "dropped" and is_column(each.type_name):
                self._flows.delete_column(self._renames.column_key(column_of_type(each.name, each.type_name)))
            return
        if each.verb == "dropped" and self._flows.delete(each.name):
            return
        if each.verb == "dropped" and (process := self._ids.pop(each.name, None)):
            del self._processes[process]
            self._flows.delete_process(process)
        else:
            self._dataset(each, self._renames.datasets.key(each.name))

    def _dataset(self, each: CatalogChange, key: str) -> None:
        if each.verb != "dropped":
            self._types[key] = each.type_name
            self._dropped.discard(key)
        elif key in self._types or key in self._ends:
            self._types.setdefault(key, each.type_name)
            self._dropped.add(key)
        if each.new_name:
            self._renames.datasets.add(each.name, each.new_name)
