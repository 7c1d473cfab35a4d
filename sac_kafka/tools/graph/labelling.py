"""Replace the names in a graph with display names: without the namespace, unless that makes two of them equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.messages.names import Labels, namespace_of, with_names


def label_graph(graph: LineageGraph) -> LineageGraph:
    """Return the graph with display names of datasets, jobs and processes; ids of processes are kept."""
    return labelled_together(graph)[0]


def labelled_together(*graphs: LineageGraph) -> tuple[LineageGraph, ...]:
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
