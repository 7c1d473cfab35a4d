"""What flows into what over many messages: datasets, processes, and the columns of one in those of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.readable.entities import column_of_type, is_column
from sac_kafka.readable.names import column_called, in_full, with_names
from sac_kafka.readable.renames import Renames
from sac_kafka.readable.told import TABLE_MARK, ColumnFlow, ColumnFlows, ToldChange, ToldColumn, ToldProcess

_NO_DATASETS = ("_db", "_column", "avro_field", "_storagedesc")
"""How the types end of what holds datasets, and of what is a part of one."""
_TABLE_COLUMN = "_column"


@dataclass(frozen=True, slots=True)
class DatasetNode:
    """A dataset by its name; `columns` are those that messages tell of, as they came.

    `is_dropped`: it was dropped, and nothing was told of it since. `full_name` has the namespace, where `name` has lost it.
    """

    name: str
    type_name: str = ""
    columns: tuple[str, ...] = ()
    is_dropped: bool = False
    full_name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ProcessNode:
    """A process as it was last told; `columns` are all of its flows of columns that were not deleted since."""

    id: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: tuple[ColumnFlow, ...] = ()
    told: ToldProcess | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """A column that a column is made of, in a process; `is_direct`: its value flows, else it only decides (a condition)."""

    source: ToldColumn
    target: ToldColumn
    process: str
    is_direct: bool
    expression: str = ""


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """Datasets by name and processes by id, in the order in which they were first told.

    The namespace is a part of every name, so that clusters are told apart; `labelling.labelled` gives what people are shown.
    """

    datasets: Mapping[str, DatasetNode]
    processes: Mapping[str, ProcessNode]

    def column_edges(self) -> Iterator[ColumnEdge]:
        """Give the edges between columns, each of them once a process."""
        for process in self.processes.values():
            edges = (
                ColumnEdge(source, flow.output, process.id, not flow.influences, flow.expression)
                for flow in process.columns
                for source in flow.sources
            )
            yield from dict.fromkeys(edges)

    def columns(self) -> tuple[ToldColumn, ...]:
        """Give the columns that processes tell of, each once."""
        return tuple(dict.fromkeys(column for process in self.processes.values() for column in _columns(process)))


def graph_of(told: Iterable[ToldProcess | ToldChange]) -> LineageGraph:
    """Put together what messages tell, in their order: what was last told of a process is what it is."""
    building = _Building()
    for each in told:
        building.take(each)
    return building.graph()


def _columns(process: ProcessNode) -> Iterator[ToldColumn]:
    for flow in process.columns:
        yield from (*flow.sources, flow.output)
    if process.told:
        yield from (flow.output for flow in process.told.made)
        yield from (column for _, column in process.told.row_columns)


class _Building:
    def __init__(self) -> None:
        self._processes: dict[str, ProcessNode] = {}
        self._ids: dict[str, str] = {}  # of processes, by their names in full
        self._ends: set[str] = set()
        self._flows = ColumnFlows()
        self._types: dict[str, str] = {}
        self._columns: dict[str, dict[str, None]] = {}
        self._dropped: set[str] = set()
        self._renames = Renames()

    def take(self, each: ToldProcess | ToldChange) -> None:
        if isinstance(each, ToldChange):
            self._change(each)
        else:
            named = with_names(each, self._renames.key, self._renames.column_key) if self._renames else each
            self._process(named)

    def graph(self) -> LineageGraph:
        processes = {id_: replace(each, columns=self._flows.of(id_)) for id_, each in self._processes.items()}
        if self._renames:
            processes = {id_: self._by_name(each) for id_, each in processes.items()}
            self._types = {self._renames.name(key): each for key, each in self._types.items()}
            self._dropped = {self._renames.name(key) for key in self._dropped}
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

    def _by_name(self, process: ProcessNode) -> ProcessNode:
        told = process.told or ToldProcess(process.id, process.name, process.inputs, process.outputs)
        named = with_names(replace(told, columns=process.columns), self._renames.name, self._renames.column)
        return replace(
            process,
            inputs=named.inputs,
            outputs=named.outputs,
            columns=named.columns,
            told=named if process.told else None,
        )

    def _process(self, each: ToldProcess) -> None:
        self._ids[in_full(each.id)] = each.id
        self._ends.update(each.inputs, each.outputs)
        if each.outputs or each.inputs:
            self._processes[each.id] = ProcessNode(each.id, each.name, each.inputs, each.outputs, told=each)
            self._types.update(each.types)
            self._dropped.difference_update(each.outputs)
        elif each.id not in self._processes:
            self._processes[each.id] = ProcessNode(each.id, each.name, (), ())
        self._flows.take(each.id, each.columns)

    def _change(self, each: ToldChange) -> None:
        if each.type_name.endswith(_NO_DATASETS):
            if each.new_name and each.type_name.endswith(_TABLE_COLUMN):
                old, new = (column_called(name, TABLE_MARK) for name in (each.name, each.new_name))
                self._renames.take_column(old.name, new)
            elif each.verb == "dropped" and is_column(each.type_name):
                self._flows.delete_column(self._renames.column_key(column_of_type(each.name, each.type_name)))
            return
        if each.verb == "dropped" and self._flows.delete(each.name):
            return
        if each.verb == "dropped" and (gone := self._ids.pop(each.name, None)):
            del self._processes[gone]
            self._flows.delete_process(gone)
        else:
            self._dataset(each, self._renames.key(each.name))

    def _dataset(self, each: ToldChange, key: str) -> None:
        if each.verb != "dropped":
            self._types[key] = each.type_name
            self._dropped.discard(key)
        elif key in self._types or key in self._ends:
            self._types.setdefault(key, each.type_name)
            self._dropped.add(key)
        if each.new_name:
            self._renames.take(each.name, each.new_name)
