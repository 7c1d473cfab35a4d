"""A column without sources any more shows none on a real server, and shows them again when they return."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown

pytestmark = pytest.mark.atlas

LINEAGE = {
    "default.plain.id": {"in#id"},
    "default.plain.email": {"in#email"},
    "default.masked.id": {"in#id"},
    "default.back.id": {"in#id"},
    "default.back.email": {"in#email"},
    "out#id": {"in#id"},
    "default.shown.id": {"in#id"},
}

TARGETS = {"default.plain", "default.masked", "default.back", "default.shown", "out"}


def test_a_masked_column_has_no_source_until_it_is_restored(atlas_server: RunningAtlas, tmp_path: Path) -> None:
    mark = atlas_server.logs.mark()
    job = ServerJob(server=atlas_server, work=tmp_path, namespace="masked")
    job.run("masked.py")
    atlas_server.assert_no_complaints(mark)
    shown = Shown(job)
    assert shown.flows("spark_column_lineage") == LINEAGE
    assert shown.flows("spark_process") == {each: {"in"} for each in TARGETS}
    gone = [each for each in shown.rest.search("spark_column_lineage", deleted=True) if each["status"] == "DELETED"]
    names = [name for each in gone if (name := each["attributes"]["qualifiedName"]).endswith("@masked")]
    assert len(names) == len({"masked", "back", "out", "shown"})
    assert all(":email:" in name for name in names)
