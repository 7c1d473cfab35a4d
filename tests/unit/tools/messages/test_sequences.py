"""Random sequences of writes: readers show what a model of the server holds, in both dialects."""

from __future__ import annotations

import os
from random import Random

import pytest

from sac_kafka.atlas.flows.rows import NO_CLAUSES
from sac_kafka.atlas.wire.reader import read
from sac_kafka.tools.graph.flows import flows
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.names import strip_namespace
from sac_kafka.tools.messages.state import ServerState
from tests.helpers.seeds import seed
from tests.helpers.sequences.model import Lineage, ModelServer, lineage_of
from tests.helpers.sequences.writes import random_messages

NUMBER = int(os.environ.get("SAC_KAFKA_TEST_SEQUENCES", "250"))
"""Sequences of each dialect."""
FIRST = seed(48)


def read_back(texts: list[str]) -> LineageGraph:
    return graph_of(ServerState(read(text).notification for text in texts).items())


def shown(graph: LineageGraph, *, is_purview: bool) -> Lineage:
    """Return a graph in the form of the model."""

    def dataset(name: str) -> str:
        return name.removesuffix("@") if is_purview else name

    return {
        "processes": {
            each.id: [sorted(map(dataset, each.inputs)), sorted(map(dataset, each.outputs))] for each in graph.processes.values()
        },
        "columns": {
            (each.process, dataset(each.source.dataset), each.source.name, dataset(each.target.dataset), each.target.name)
            for each in graph.column_edges()
        },
        "dropped": {dataset(name) for name, each in graph.datasets.items() if each.is_dropped},
        "rows": {} if is_purview else {each.id: each.rows for each in graph.processes.values()},
    }


def modelled(texts: list[str], *, is_purview: bool) -> Lineage:
    server = ModelServer()
    for text in texts:
        server.process(text)
    found = lineage_of(server, is_purview=is_purview)
    found["columns"] = {each[:5] for each in found["columns"]}
    found["rows"] = {id_: "" if text == NO_CLAUSES else text or "" for id_, text in found["rows"].items()}
    return found


@pytest.mark.parametrize("is_purview", [False, True], ids=["atlas", "purview"])
def test_readers_show_what_a_server_holds(*, is_purview: bool) -> None:
    columns = 0
    for number in range(FIRST, FIRST + NUMBER):
        texts = random_messages(Random(number), is_purview=is_purview)
        expected = modelled(texts, is_purview=is_purview)
        assert shown(read_back(texts), is_purview=is_purview) == expected, f"sequence {number}"
        columns += len(expected["columns"])
    assert columns > NUMBER  # they are not empty


def test_flows_have_all_sources_of_each_column() -> None:
    for number in range(FIRST, FIRST + NUMBER // 5):
        texts = random_messages(Random(number))
        edges = {
            (process, f"{strip_namespace(target)}", column, f"{strip_namespace(source)}", name)
            for process, source, name, target, column in modelled(texts, is_purview=False)["columns"]
        }
        expected = {(target, source) for _, target, _, source, _ in edges}
        found = flows(text.encode() for text in texts)
        sides = [each for flow in found for each in (flow.columns, flow.influences)]
        pairs = {
            (output.rpartition("#")[0] or output.rpartition(".")[0], source.rpartition("#")[0] or source.rpartition(".")[0])
            for side in sides
            for output, sources in side.items()
            for source in sources
        }
        assert pairs == expected, f"sequence {number}"
