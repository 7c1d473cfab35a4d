"""A metric view on a real Atlas: a view with its dimensions as columns, between its source and what is read through it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown

pytest.importorskip("pyspark", "4.3")  # its syntax is of this Spark
pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]


def test_columns_read_through_a_metric_view_come_from_its_dimensions(
    atlas_server: RunningAtlas, tmp_path: Path
) -> None:
    mark = atlas_server.logs.mark()
    job = ServerJob(server=atlas_server, work=tmp_path, namespace="metric_view")
    job.run("metric_view.py")
    atlas_server.assert_no_complaints(mark)
    shown = Shown(job)
    assert shown.flows("spark_process") == {"default.figures": {"default.orders"}, "spent": {"default.figures"}}
    assert shown.flows("spark_column_lineage") == {
        "default.figures.buyer": {"default.orders.customer"},
        "spent#buyer": {"default.figures.buyer"},
    }
    (view,) = (
        each
        for each in shown.rest.entities(found["guid"] for found in shown.rest.search("spark_table")).values()
        if each["attributes"]["qualifiedName"] == job.table("default.figures")
    )
    assert view["attributes"]["tableType"] == "METRIC_VIEW"
    assert "viewOriginalText" not in view["attributes"] or view["attributes"]["viewOriginalText"] is None
