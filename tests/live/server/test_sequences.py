"""Random sequences of writes on a real Atlas: the lineage that is read back equals that of the messages."""

from __future__ import annotations

from random import Random

import pytest

from sac_kafka.atlas.wire.reader import read
from sac_kafka.catalog.server import Access, AtlasServer
from sac_kafka.tools.cli.server_lineage import read_lineage
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.state import ServerState
from tests.helpers.seeds import seed
from tests.helpers.sequences.writes import random_messages
from tests.live.server.live_atlas import RunningAtlas

pytestmark = [pytest.mark.atlas, pytest.mark.nightly]
NUMBER, FIRST = 100, seed(48)


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
    sequences = {f"seq{n}": random_messages(Random(n), f"seq{n}") for n in range(FIRST, FIRST + NUMBER)}
    atlas_server.send([text for texts in sequences.values() for text in texts])
    access = Access(addresses=(atlas_server.url,), user=atlas_server.user, password=atlas_server.password)
    server = AtlasServer(access)
    for namespace, texts in sequences.items():
        expected = state(graph_of(ServerState(read(text).notification for text in texts).items()))
        found = state(graph_of(ServerState(read_lineage(server, namespace)).items()))
        for part, wanted in expected.items():
            assert found[part] == wanted, f"{namespace}: {part}"
