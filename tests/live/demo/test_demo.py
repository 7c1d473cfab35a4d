"""The demo succeeds only if what arrived is what was expected."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.messages import messages_in
from tests.helpers.processes import environment

ROOT = Path(__file__).resolve().parents[3]

pytestmark = [pytest.mark.spark, pytest.mark.kafka]


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "demo", *arguments],
        cwd=ROOT,
        env=environment(),
        check=False,
        capture_output=True,
        text=True,
        timeout=900,
    )


@pytest.mark.exhaustive
def test_a_changed_job_fails_and_the_difference_is_named(tmp_path: Path) -> None:
    source = (ROOT / "demo" / "job.py").read_text()
    swapped = source.replace('spark.read.parquet(f"{lake}/returns")', 'spark.read.parquet(f"{lake}/orders")')
    removed = swapped[: swapped.index("    # 8. another report")] + swapped[swapped.index("\ndef main()") :]
    assert len(removed) < len(swapped) != len(source)
    job = tmp_path / "job.py"
    job.write_text(removed)

    done = demo("--job", str(job), "--messages", str(tmp_path / "messages.jsonl"))

    assert done.returncode == 1, done.stdout + done.stderr
    named = [line.strip() for line in done.stdout.splitlines()]
    assert '-    "file:{work}/lake/returns@demo",' in named, done.stdout
    assert any(line.startswith("-") and "lake/reports/categories@demo" in line for line in named), done.stdout
    assert {m["message"]["type"] for m in messages_in(tmp_path / "messages.jsonl")} == {"ENTITY_CREATE_V2"}
