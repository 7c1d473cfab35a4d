"""Jobs over Delta and Iceberg, by names and by directories, and what a real Atlas shows of them: tables, flows and columns."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob, write_properties
from tests.live.server.test_acceptance import Shown
from tests.live.sources import round_trips
from tests.live.sources.families import FAMILIES
from tests.live.sources.family import spark_jars

ROOT = Path(__file__).resolve().parents[3]
SPARK = "3.5.9"
"""A Spark that the jars of both formats are made for; the server's own tests run on the newest."""

PYTHON = ROOT / "build" / f"venv-{SPARK}" / "bin" / "python"

NEEDS_PYTHON = pytest.mark.skipif(not PYTHON.exists(), reason=f"no Python with Spark {SPARK}: make venv SPARK={SPARK}")

pytestmark = [pytest.mark.atlas, NEEDS_PYTHON, pytest.mark.exhaustive]


@pytest.mark.parametrize(("kind", "at"), [("delta", "lake"), ("iceberg", "ic.lake")])
def test_a_job_over_a_table_format_has_its_lineage(
    atlas_server: RunningAtlas, tmp_path: Path, kind: str, at: str
) -> None:
    mark = atlas_server.logs.mark()
    write_properties(atlas_server, tmp_path, kind)
    family = FAMILIES[kind]
    jars = spark_jars([family.list_of_jars(SPARK)])
    round_trips.run(kind, tmp_path, {**jars, **family.conf(str(tmp_path))}, python=str(PYTHON))
    atlas_server.wait_consumed()
    atlas_server.assert_no_complaints(mark)
    job = SimpleNamespace(work=tmp_path, namespace=kind, topic="no topic", server=atlas_server)
    shown = Shown(job)
    flows: dict[str, set[str]] = {}
    columns: dict[str, set[str]] = {}
    for flow in round_trips.lake_flows(at, "FILES"):
        for output in flow.outputs:
            flows.setdefault(_short(output), set()).update(map(_short, flow.inputs))
        for column, sources in flow.columns.items():
            columns.setdefault(_short(column), set()).update(map(_short, sources))
    assert shown.flows("spark_process") == flows
    assert shown.flows("spark_column_lineage") == columns


def test_a_table_named_by_its_directory_is_one_dataset(atlas_server: RunningAtlas, tmp_path: Path) -> None:
    mark = atlas_server.logs.mark()
    family = FAMILIES["delta"]
    job = ServerJob(server=atlas_server, work=tmp_path, namespace="lake_paths")
    conf = {**spark_jars([family.list_of_jars(SPARK)]), **family.conf(str(tmp_path))}
    for _ in range(2):
        job.run("lake_paths.py", python=str(PYTHON), conf=conf)
        atlas_server.assert_no_complaints(mark)
        shown = Shown(job)
        assert shown.flows("spark_process") == {"orders": {"changes", "orders"}, "report": {"orders"}}
        assert shown.flows("spark_column_lineage") == {
            "orders#id": {"changes#id", "orders#id"},
            "orders#amount": {"changes#changed"},
            "report#id": {"orders#id"},
            "report#amount": {"orders#amount"},
        }


def _short(name: str) -> str:
    return name.removeprefix("FILES/")
