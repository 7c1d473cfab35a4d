"""Random sequences of writes on a real Atlas: the lineage that is read back equals that of the messages."""

from __future__ import annotations

import os
from collections.abc import Container
from random import Random
from typing import Any

import pytest

from sac_kafka.atlas.wire.reader import read
from sac_kafka.catalog.server import Access, AtlasServer
from sac_kafka.tools.cli.server_lineage import read_lineage
from sac_kafka.tools.graph.graph import ColumnEdge, LineageGraph, graph_of
from sac_kafka.tools.messages.state import ServerState
from tests.helpers.seeds import seed
from tests.helpers.sequences.writes import random_messages
from tests.live.server.live_atlas import RunningAtlas

pytestmark = [pytest.mark.atlas, pytest.mark.nightly]
NUMBER, FIRST = int(os.environ.get("SAC_KAFKA_TEST_SEQUENCES", 100)), seed(48)


def state(graph: LineageGraph) -> dict[str, object]:
    """Return all that is compared: a server has no order, and lists no dropped tables without a flow."""
    used = {name for each in graph.processes.values() for name in (*each.inputs, *each.outputs)}
    return {
        "processes": {
            id_: (sorted(each.inputs), sorted(each.outputs), each.rows, each.attributes.get("query"))
            for id_, each in graph.processes.items()
        },
        "dropped": {name for name, each in graph.datasets.items() if each.is_dropped and name in used},
        "columns": set(graph.column_edges()),
    }


def test_the_lineage_of_the_server_equals_that_of_the_messages(atlas_server: RunningAtlas) -> None:
    texts = [text for n in range(FIRST, FIRST + NUMBER) for text in random_messages(Random(n), f"seq{n}")]
    atlas_server.send(texts)
    access = Access(addresses=(atlas_server.url,), user=atlas_server.user, password=atlas_server.password)
    on_server = read_lineage(AtlasServer(access), None)  # once: a namespace is chosen among all entities
    expected = state(graph_of(ServerState(read(text).notification for text in texts).items()))
    found = state(graph_of(ServerState(on_server).items()))
    own = {f"seq{n}" for n in range(FIRST, FIRST + NUMBER)}  # other tests of this server have theirs
    for part, wanted in expected.items():
        assert _of(own, found[part]) == wanted, part


def _of(namespaces: Container[str], part: Any) -> object:
    def is_own(found: object) -> bool:
        name = found.process if isinstance(found, ColumnEdge) else str(found)
        return name.rpartition("@")[2] in namespaces

    return {k: v for k, v in part.items() if is_own(k)} if isinstance(part, dict) else {*filter(is_own, part)}
