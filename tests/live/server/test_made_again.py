"""A table that is dropped and made again has all its column lineage on a real server, within a run and from run to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown

pytestmark = pytest.mark.atlas

LINEAGE = {
    "default.staging.id": {"in#id"},
    "default.staging.amount": {"in#amount"},
    "report#id": {"default.staging.id"},
    "report#total": {"default.staging.amount"},
}


@pytest.mark.parametrize(
    "ends",
    [
        pytest.param(("keep",), marks=pytest.mark.nightly, id="in one run"),
        pytest.param(("drop", "keep"), id="from run to run"),
    ],
)
def test_a_recreated_table_has_all_its_column_lineage(
    atlas_server: RunningAtlas, tmp_path: Path, ends: tuple[str, ...]
) -> None:
    namespace = f"again{len(ends)}"
    mark = atlas_server.logs.mark()
    job = ServerJob(server=atlas_server, work=tmp_path, namespace=namespace)
    for end in ends:
        job.run("made_again.py", end)
    atlas_server.assert_no_complaints(mark)
    shown = Shown(job)
    table = f"default.staging@{namespace}"
    assert table in shown.own("spark_table")
    assert table in shown.own("spark_table", deleted=True)
    assert shown.flows("spark_column_lineage") == LINEAGE
    assert shown.flows("spark_process") == {"default.staging": {"in"}, "report": {"default.staging"}}
