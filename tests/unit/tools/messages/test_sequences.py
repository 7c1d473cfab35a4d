"""Random sequences of writes: readers show what a model of the server holds, in both dialects."""

from __future__ import annotations

import os
from random import Random

import pytest

from sac_kafka.atlas.flows.processes import NO_CLAUSES
from sac_kafka.atlas.wire.reader import read
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.tools.graph.flows import flows
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.names import strip_namespace
from sac_kafka.tools.messages.state import ServerState
from tests.helpers.seeds import seed
from tests.helpers.sequences.model import Lineage, ModelServer, lineage_of
from tests.helpers.sequences.writes import DIALECTS, random_messages

NUMBER, NIGHTLY = int(os.environ.get("SAC_KAFKA_TEST_SEQUENCES", 200)), 7_000
"""Sequences of each dialect."""
FIRST = seed(48)
KNOWN = (10796,)
"""Sequences that once differed: a column that was gone before its table was renamed, then dropped."""


def read_back(texts: list[str]) -> LineageGraph:
    return graph_of(ServerState(read(text).notification for text in texts).items())


def shown(graph: LineageGraph, *, is_purview: bool) -> Lineage:
    """Return a graph in the form of the model."""

    def dataset(name: str) -> str:
        return name.removesuffix("@")  # of assets, and of tables of the Spark Atlas Connector

    return {
        "processes": {
            each.id: [sorted(map(dataset, each.inputs)), sorted(map(dataset, each.outputs))]
            for each in graph.processes.values()
        },
        "columns": {
            (
                each.process,
                (dataset(each.source.dataset), each.source.name),
                (dataset(each.target.dataset), each.target.name),
                each.is_direct,
                each.expression,
            )
            for each in graph.column_edges()
        },
        "constants": {
            (each.id, dataset(flow.output.dataset), flow.output.name)
            for each in graph.processes.values()
            for flow in each.constant_columns
        }
        if is_purview
        else set(),
        "queries": {each.id: each.attributes.get("query", "") for each in graph.processes.values()},
        "dropped": {dataset(name) for name, each in graph.datasets.items() if each.is_dropped},
        "rows": {} if is_purview else {each.id: each.rows for each in graph.processes.values()},
    }


def modelled(texts: list[str], *, is_purview: bool) -> Lineage:
    server = ModelServer()
    for text in texts:
        server.process(text)
    found = lineage_of(server, is_purview=is_purview)
    found["rows"] = {id_: "" if text == NO_CLAUSES else text or "" for id_, text in found["rows"].items()}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sequences", [NUMBER, pytest.param(NIGHTLY, marks=pytest.mark.nightly)])
@pytest.mark.bad_messages("there are too many for the judge, which reads them in other tests")
def test_readers_show_what_a_server_holds(dialect: str, sequences: int) -> None:
    columns, is_purview = 0, dialect == "purview"
    for number in (*KNOWN, *range(FIRST, FIRST + sequences)):
        texts = random_messages(Random(number), dialect=dialect)
        expected = modelled(texts, is_purview=is_purview)
        assert shown(read_back(texts), is_purview=is_purview) == expected, f"sequence {number}"
        columns += len(expected["columns"])
    assert columns > sequences or dialect == "sac"  # they are not empty; `sac` has no column lineage


@pytest.mark.slow
def test_the_first_form_of_messages_reads_the_same() -> None:
    for number in range(FIRST, FIRST + NUMBER // 5):
        texts = random_messages(Random(number), form=MessageForm.V1)
        expected = modelled(random_messages(Random(number)), is_purview=False)
        assert shown(read_back(texts), is_purview=False) == expected, f"sequence {number}"


@pytest.mark.slow
def test_flows_have_all_sources_of_each_column() -> None:
    for number in range(FIRST, FIRST + NUMBER // 5):
        texts = random_messages(Random(number))
        expected = {
            (strip_namespace(target), column, strip_namespace(source), name, is_direct)
            for _, (source, name), (target, column), is_direct, _ in modelled(texts, is_purview=False)["columns"]
        }
        found = {
            (*_split(output), *_split(source), is_direct)
            for flow in flows(text.encode() for text in texts)
            for is_direct, columns in ((True, flow.columns), (False, flow.influences))
            for output, sources in columns.items()
            for source in sources
        }
        assert found == expected, f"sequence {number}"


def _split(column: str) -> tuple[str, str]:
    dataset, _, name = column.rpartition("#" if "#" in column else ".")
    return dataset, name
