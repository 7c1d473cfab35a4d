"""`python -m tools.replay`: the messages of a recorded batch, without Spark."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

from sac_kafka.pipeline import read_recording, recorded_application
from tests.batches import BATCHES, owed
from tests.live import APPLICATION
from tests.messages import validated
from tools.replay import replayed

ROOT = Path(__file__).resolve().parents[1]


def _recorded(folder: Path) -> Path:
    batch = (BATCHES / owed()[1] / "join.txt").read_text("utf-8")
    file = folder / "batch.txt"
    file.write_text(f"{recorded_application(APPLICATION)}\n{batch}", "utf-8")
    return file


def test_settings_are_those_that_are_given(tmp_path: Path) -> None:
    file = str(_recorded(tmp_path))
    names = {namespace: json.dumps(validated(replayed(file, keys))) for namespace, keys in _KEYS.items()}
    assert all(f"@{namespace}" in said for namespace, said in names.items())
    assert "spark_column_lineage" in names["prod"]
    assert "spark_column_lineage" not in names["off"]


_KEYS = {
    "replayed": (),
    "prod": ("atlas.metadata.namespace=prod",),
    "off": ("atlas.metadata.namespace=off", "atlas.hook.spark.column.lineage=off"),
}


def test_a_record_keeps_what_its_platform_said(tmp_path: Path) -> None:
    application = dataclasses.replace(APPLICATION, facts=(("platform", "glue"), ("run_id", "jr_1")))
    file = tmp_path / "batch.txt"
    file.write_text(f"{recorded_application(application)}\n", "utf-8")
    assert read_recording(file).application == application


def test_what_is_printed_can_be_drawn(tmp_path: Path) -> None:
    done = _run(str(_recorded(tmp_path)))
    assert (done.returncode, done.stderr) == (0, "")
    drawn = subprocess.run(
        [sys.executable, "-m", "sac_kafka.cli.main", "show", "-"],
        input=done.stdout,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert "◀─" in drawn.stdout or "<-" in drawn.stdout


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    for file, told in ((tmp_path / "no", "No such file"), (ROOT / "LICENSE", "is not the application of a recorded")):
        done = _run(str(file))
        assert done.returncode == 1
        assert told in done.stderr
        assert "Traceback" not in done.stderr


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.replay", *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )
