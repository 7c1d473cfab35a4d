"""A table as wide as tables get, on a real Atlas.

The last of these files by its name: searches of the server after it have 4,500 more entities to go through.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]


def test_a_table_of_1500_columns_has_them_all(atlas_server: RunningAtlas, tmp_path: Path) -> None:
    mark = atlas_server.logs.mark()
    job = ServerJob(server=atlas_server, work=tmp_path, namespace="wide")
    job.run("wide.py", "1500")
    atlas_server.assert_no_complaints(mark)
    shown = Shown(job)
    assert len(shown.rest.related("spark_table", job.table("mart.wide"), "columns")) == 1_501
    lineage = [name for name in shown.own("spark_column_lineage") if ":mart.wide:" in name]
    assert len(lineage) == 1_501
