"""What a real Atlas shows of statements that replace or remove rows (docs/lineage.md: What replaces, what stays)."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.catalog.server import Access, AtlasServer
from sac_kafka.tools.cli.server_lineage import read_lineage
from sac_kafka.tools.graph.flows import flows_of
from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.messages.state import ServerState
from tests.helpers.what_replaces import cases, left_of, spark_cases
from tests.live.server.live_atlas import RunningAtlas

pytestmark = [pytest.mark.atlas, pytest.mark.nightly]


def test_a_server_keeps_what_is_left_of_each_case(atlas_server: RunningAtlas, tmp_path: Path) -> None:
    mark = atlas_server.logs.mark()
    with spark_cases(tmp_path) as hook:
        atlas_server.send(hook.messages())
    atlas_server.assert_no_complaints(mark)
    access = Access(addresses=(atlas_server.url,), user=atlas_server.user, password=atlas_server.password)
    state = ServerState(read_lineage(AtlasServer(access), "ns", with_types=True))
    shown = flows_of(state)
    found = {name: left_of(case, shown) for name, case in cases("spark").items()}
    assert found == {name: set(case.left) for name, case in cases("spark").items()}
    assert graph_of(state.items()).datasets["default.a@ns"].columns == {"x": "bigint", "y": "bigint"}
