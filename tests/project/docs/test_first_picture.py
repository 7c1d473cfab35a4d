"""The first page, docs/index.md, as a reader follows it: the job is written, each command is run, the picture exists."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import sac_kafka
from tests.helpers.sessions import atlas_conf
from tests.project.docs.blocks import ROOT, blocks
from tests.project.docs.commands import missing, shown
from tests.unit.launch.starting import PATIENT

pytestmark = pytest.mark.spark

PAGE = ROOT / "docs" / "index.md"
HERE = "tests/project/docs/test_first_picture.py"


@pytest.mark.exhaustive
def test_the_steps_of_the_page_make_the_picture(tmp_path: Path) -> None:
    job, *steps = [block for block in blocks(PAGE) if block.mark is not None and HERE in block.mark.argument]
    (tmp_path / "job.py").write_text(job.text, "utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    package = str(Path(sac_kafka.__file__).parents[1])  # what is tested: the wheel, or the checkout
    settings = tmp_path / "settings"
    settings.mkdir()
    lines = (f"{key} {value}\n" for key, value in atlas_conf(**PATIENT).items())
    (settings / "spark-defaults.conf").write_text("".join(lines))
    more = {"PATH": path, "TMPDIR": str(tmp_path), "PYTHONPATH": package, "SPARK_CONF_DIR": str(settings)}
    environment = {**os.environ, **more}
    for step in steps:
        for each in shown(step.text, is_console=step.language == "console"):
            command = ["bash", "-c", each.command]
            done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=400)
            assert done.returncode == 0, done.stderr
            assert missing(each, done.stdout.replace(f"{tmp_path}/", "/home/me/")) == [], done.stdout
    assert "lake/revenue" in (tmp_path / "lineage.html").read_text("utf-8")
