"""Jobs of RDDs, and what a real Atlas shows of them: datasets, never columns."""

from __future__ import annotations

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]

FLOWS = {
    "out/words": {"in/lines"},
    "out/old": {"in/logs"},
    "out/new": {"in/logs"},
    "shop.orders": {"in/orders"},
    "shop.amounts": {"in/orders"},
    "shop.names": {"shop.orders"},
    "out/names": {"shop.names"},
}
"""Output → inputs."""


@pytest.fixture(scope="module")
def shown(atlas_server: RunningAtlas, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    mark = atlas_server.logs.mark()
    job = ServerJob(server=atlas_server, work=tmp_path_factory.mktemp("rdds"), namespace="rdds")
    job.run("rdds.py")
    atlas_server.assert_no_complaints(mark)
    return Shown(job)


def test_exactly_the_expected_flows_are_stored(shown: Shown) -> None:
    assert shown.flows("spark_process") == FLOWS
    assert max(shown.edges("spark_process").values()) == 1


def test_there_is_no_column_lineage(shown: Shown) -> None:
    assert shown.own("spark_column_lineage") == []
    assert shown.rest.related("spark_table", shown.job.table("shop.orders"), "columns") == ["amount", "id", "name"]


def test_lineage_is_one_way_from_the_file_to_the_last_output(shown: Shown) -> None:
    upstream = shown.upstream("fs_path", shown.job.file("out/names"))
    assert {"in/orders", "shop.orders", "shop.names", "out/names"} <= upstream
    assert not {"in/lines", "in/logs"} & upstream


def test_there_are_no_shells(shown: Shown) -> None:
    assert [n for n in shown.rest.shells() if n.endswith(f"@{shown.job.namespace}")] == []
