"""Build the graph of datasets, processes and columns that a server holds, and give it display names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.tools.messages.model import CatalogChange, LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import Labels, namespace_of, with_names

_NO_DATASETS = ("_db", "_column", "avro_field", "_storagedesc")
"""Type suffixes of catalog objects that are not datasets: containers of datasets, and parts of them."""


@dataclass(frozen=True, slots=True)
class DatasetNode:
    """A dataset; `columns` are those that occur in messages, in order of appearance, each with its data type, "" if unknown.

    `is_dropped` is True if it was dropped and not created again. `full_name` keeps the namespace if `name` is
    the display name.
    """

    name: str
    type_name: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
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

    Names contain the namespace, which keeps clusters apart; `label_graph` replaces them with display names.
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
    """Build the graph of the items of a state (`ServerState.items`): each process once, tables, and dropped datasets."""
    processes: dict[str, LineageProcess] = {}
    types: dict[str, str] = {}
    dropped: set[str] = set()
    for item in items:
        if isinstance(item, LineageProcess):
            processes[item.id] = item
            types |= item.types
        elif not item.type_name.endswith(_NO_DATASETS):
            types.setdefault(item.name, item.type_name)
            (dropped.add if item.verb == "dropped" else dropped.discard)(item.name)
    columns: dict[str, dict[str, str]] = {}
    for process in processes.values():
        for column in _columns(process):
            of_dataset = columns.setdefault(column.dataset, {})
            of_dataset[column.name] = column.data_type or of_dataset.get(column.name, "")
    ends = (name for each in processes.values() for name in (*each.inputs, *each.outputs))
    datasets = {
        name: DatasetNode(name, types.get(name, ""), columns.get(name, {}), name in dropped, name)
        for name in dict.fromkeys([*ends, *types, *columns])
    }
    return LineageGraph(datasets, processes)


def _columns(process: LineageProcess) -> Iterator[LineageColumn]:
    for flow in process.flows:
        yield from (*flow.sources, flow.output)
    yield from (column for _, column in process.row_columns)


def label_graph(graph: LineageGraph) -> LineageGraph:
    """Return the graph with display names of datasets, jobs and processes; ids of processes are kept."""
    return label_graphs(graph)[0]


def label_graphs(*graphs: LineageGraph) -> tuple[LineageGraph, ...]:
    """Return graphs with display names for a comparison: a name that is ambiguous in one graph keeps the namespace in all."""
    datasets = Labels(*(graph.datasets for graph in graphs))
    jobs = Labels(*([process.job for process in graph.processes.values()] for graph in graphs))
    processes = Labels(*(_names(graph) for graph in graphs))
    return tuple(_with_labels(graph, datasets, jobs, processes) for graph in graphs)


def _with_labels(graph: LineageGraph, datasets: Labels, jobs: Labels, processes: Labels) -> LineageGraph:
    names = zip(graph.processes.values(), map(processes, _names(graph)), strict=True)
    return LineageGraph(
        {(label := datasets(name)): replace(each, name=label) for name, each in graph.datasets.items()},
        {each.id: replace(with_names(each, datasets), name=name, job=jobs(each.job)) for each, name in names},
    )


def _names(graph: LineageGraph) -> Iterator[str]:
    """Yield the names of the processes with the namespace of their ids.

    Only namespaces of datasets count, because the hooks of Hive and Impala append a time to ids instead.
    """
    namespaces = {namespace_of(dataset) for dataset in graph.datasets}
    for process in graph.processes.values():
        namespace = namespace_of(process.id)
        yield f"{process.name}@{namespace if namespace in namespaces else ''}"
