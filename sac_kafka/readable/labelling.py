"""Graphs as people are shown them: names without the namespace, but where two things are called the same without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sac_kafka.readable.graph import LineageGraph, ProcessNode
from sac_kafka.readable.names import Labels, namespace_of, with_names
from sac_kafka.readable.told import ToldProcess


def labelled(graph: LineageGraph) -> LineageGraph:
    """Give the graph with its datasets, jobs and processes as people are shown them; ids of processes stay."""
    return labelled_alike(graph)[0]


def labelled_alike(*graphs: LineageGraph) -> tuple[LineageGraph, ...]:
    """Give graphs that are compared: what is ambiguous in one of them has its namespace in all of them."""
    datasets = Labels(*(graph.datasets for graph in graphs))
    jobs = Labels(*([each.told.job for each in graph.processes.values() if each.told] for graph in graphs))
    processes = Labels(*(_names(graph) for graph in graphs))
    return tuple(_with_labels(graph, datasets, jobs, processes) for graph in graphs)


def _with_labels(graph: LineageGraph, datasets: Labels, jobs: Labels, processes: Labels) -> LineageGraph:
    names = zip(graph.processes.values(), map(processes, _names(graph)), strict=True)
    return LineageGraph(
        {(label := datasets(name)): replace(each, name=label) for name, each in graph.datasets.items()},
        {each.id: _process(each, name, datasets, jobs) for each, name in names},
    )


def _names(graph: LineageGraph) -> Iterator[str]:
    """The names of the processes in full: the namespace of a process is that of its id, if datasets have it, too.

    The hooks of Hive and Impala write a time behind it.
    """
    namespaces = {namespace_of(each) for each in graph.datasets}
    for each in graph.processes.values():
        namespace = namespace_of(each.id)
        yield f"{each.name}@{namespace if namespace in namespaces else ''}"


def _process(node: ProcessNode, name: str, datasets: Labels, jobs: Labels) -> ProcessNode:
    told = node.told or ToldProcess(node.id, node.name, node.inputs, node.outputs)
    told = with_names(replace(told, columns=node.columns, job=jobs(told.job)), datasets)
    return ProcessNode(
        node.id, name, told.inputs, told.outputs, told.columns, replace(told, name=name) if node.told else None
    )
