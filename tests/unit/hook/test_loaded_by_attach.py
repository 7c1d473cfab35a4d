"""Modules and lines that `attach` loads in a new process, limited so that it stays light."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sac_kafka
from tests.helpers.processes import ROOT, environment

ATTACH = """
import sys
import sac_kafka.hook.hook
from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.hook.session_settings import read_settings
from tests.helpers.fake_driver import FakeDriver

driver = FakeDriver()
settings = read_settings(driver, dict(each.split("=") for each in sys.argv[2:]))
parts = assemble(driver, settings, Guard())
for line in open(sys.argv[1]).read().splitlines():
    parts.worker._take(parts.worker._source.read(line, print))
print(*(name for name in sys.modules if name.startswith("sac_kafka.")))
"""
KAFKA = ("atlas.kafka.bootstrap.servers=127.0.0.1:9", "atlas.metadata.namespace=test")
JOIN = ROOT / "tests" / "fixtures" / "batches" / "4.3.0" / "join_using_full.txt"
MAX_LINES, MAX_LINES_WITH_QUERY = 38_000, 45_000
LATE = (
    "purview",
    "openlineage",
    "tools",
    "emitting",
    "airflow",
    "testing",
    "transport.diagnostics",
    "transport.http",
    "transport.kafka.errors",
)
"""Packages that a job with Atlas' Kafka never needs, or only after an error."""


def loaded(folder: Path, *settings: str, batch: Path = Path(os.devnull)) -> list[str]:
    """Return the modules of the package that are loaded after `attach` with these settings, and after a recorded batch."""
    command = [sys.executable, "-c", ATTACH, str(batch), f"atlas.hook.spool.dir={folder}", *settings]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment(), cwd=folder
    ).stdout.split()


def lines_of(module: str) -> int:
    place = Path(sac_kafka.__file__).parent.joinpath(*module.split(".")[1:])
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return len(file.read_bytes().splitlines())


@pytest.mark.slow
@pytest.mark.parametrize(("batch", "most"), [(Path(os.devnull), MAX_LINES), (JOIN, MAX_LINES_WITH_QUERY)])
def test_a_job_with_atlas_kafka_loads_what_it_needs(batch: Path, most: int, tmp_path: Path) -> None:
    modules = loaded(tmp_path, *KAFKA, batch=batch)
    assert [each for each in modules if each.removeprefix("sac_kafka.").startswith(LATE)] == []
    assert ("sac_kafka.lineage.extract" in modules) == (batch == JOIN)
    assert sum(map(lines_of, modules)) <= most, "load what not every job needs on its first use"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dialect", "part"),
    [
        ("purview", "purview.dialect"),
        ("purview", "transport.kafka.transport"),
        ("openlineage", "openlineage.writing.events"),
    ],
)
def test_selected_modules_are_loaded(dialect: str, part: str, tmp_path: Path) -> None:
    settings = (f"atlas.hook.spark.dialect={dialect}", "atlas.notification.hook.topic.name=lineage")
    assert f"sac_kafka.{part}" in loaded(tmp_path, *KAFKA, *settings)


RUN = "print(*(name for name in"
"""Where the program of `loaded` prints the modules."""


@pytest.mark.slow
@pytest.mark.parametrize("durability", ["on-failure", "spool-first"])
def test_a_hook_that_writes_first_loads_all_before_the_first_event(durability: str, tmp_path: Path) -> None:
    program = ATTACH.replace(RUN, f"parts.worker.run()\n{RUN}").replace('if name.startswith("sac_kafka.")', "")
    settings = [*KAFKA, f"atlas.hook.spark.durability={durability}", f"atlas.hook.spool.dir={tmp_path}"]
    done = subprocess.run(
        [sys.executable, "-c", program, os.devnull, *settings],
        check=True,
        capture_output=True,
        text=True,
        env=environment(),
        cwd=tmp_path,
    )
    modules = done.stdout.splitlines()[-1].split()
    assert {name in modules for name in ("sac_kafka.lineage.extract", "fastavro")} == {durability == "spool-first"}
