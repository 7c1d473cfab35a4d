"""Rows that went through checkpoints, and a melt, are what they were made of on a real server, also after a second run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]

RANKED = {"start", "weights"}
PROCESSES = {
    "rounds": RANKED,
    "default.ranked": RANKED,
    "unranked": {"others"},
    "united": {*RANKED, "others"},
    "melted": {"months"},
}
LINEAGE = {
    "rounds#id": {"start#id"},
    "rounds#rank": {"start#v", "weights#w"},
    "default.ranked.id": {"start#id"},
    "default.ranked.rank": {"start#v", "weights#w"},
    "unranked#id": {"others#id"},
    "unranked#rank": {"others#v"},
    "united#id": {"start#id", "others#id"},
    "united#rank": {"start#v", "weights#w", "others#v"},
    "melted#id": {"months#id"},
    "melted#amount": {"months#jan", "months#feb"},
}


def test_stored_lineage_is_right_after_one_run_and_after_two(atlas_server: RunningAtlas, tmp_path: Path) -> None:
    mark = atlas_server.logs.mark()
    job = ServerJob(server=atlas_server, work=tmp_path, namespace="checkpoints")
    for _ in range(2):
        job.run("checkpoints.py")
        atlas_server.assert_no_complaints(mark)
        shown = Shown(job)
        assert shown.flows("spark_process") == PROCESSES
        assert shown.flows("spark_column_lineage") == LINEAGE
