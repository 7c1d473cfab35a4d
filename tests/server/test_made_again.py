"""A table that is dropped and made again has all its column lineage on a real server, within a run and from run to run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from stack.local import client_properties
from stack.properties import atlas_properties
from tests.processes import environment
from tests.server.live_atlas import RunningAtlas
from tests.server.test_acceptance import Shown

pytestmark = pytest.mark.atlas

JOB = Path(__file__).parent / "jobs" / "made_again.py"
TIMEOUT_SECONDS = 240
LINEAGE = {
    "default.staging.id": {"in#id"},
    "default.staging.amount": {"in#amount"},
    "report#id": {"default.staging.id"},
    "report#total": {"default.staging.amount"},
}


def run(server: RunningAtlas, work: Path, namespace: str, end: str) -> None:
    properties = {
        **client_properties(server.kafka),
        "atlas.metadata.namespace": namespace,
        "atlas.hook.spool.dir": str(work / "spool"),
    }
    (work / "atlas-application.properties").write_text(atlas_properties(properties))
    spark = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Datlas.conf={work}",
    }
    submit = " ".join(f"--conf {key}={value!r}" for key, value in spark.items())
    done = subprocess.run(
        [sys.executable, str(JOB), str(work), end],
        cwd=work,
        env=environment(PYSPARK_SUBMIT_ARGS=f"{submit} pyspark-shell"),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    server.wait_consumed()


@pytest.mark.parametrize("ends", [("keep",), ("drop", "keep")], ids=["in one run", "from run to run"])
def test_a_table_that_is_made_again_has_all_its_column_lineage(
    atlas_server: RunningAtlas, tmp_path: Path, ends: tuple[str, ...]
) -> None:
    namespace = f"again{len(ends)}"
    mark = atlas_server.logs.mark()
    for end in ends:
        run(atlas_server, tmp_path, namespace, end)
    atlas_server.assert_no_complaints(mark)
    job = SimpleNamespace(work=tmp_path, namespace=namespace, topic="no topic", server=atlas_server)
    shown = Shown(job)
    table = f"default.staging@{namespace}"
    assert table in shown.own("spark_table")
    assert table in shown.own("spark_table", deleted=True)
    assert shown.flows("spark_column_lineage") == LINEAGE
    assert shown.flows("spark_process") == {"default.staging": {"in"}, "report": {"default.staging"}}
