"""Installation as on the pages: in a new environment, from a checkout, with packages of the network.

README.md, docs/index.md and docs/lineage-tests.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.docs.blocks import ROOT, blocks

pytestmark = pytest.mark.nightly

NOT_OF_A_CHECKOUT = ("build", "dist", "fixtures", ".git", ".*_cache", "__pycache__")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy, in which a build may leave what it likes."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_OF_A_CHECKOUT))
    return folder


def shell(lines: str, folder: Path, **variables: str) -> str:
    """Run lines as they stand, and end at the first that fails."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | variables
    done = subprocess.run(
        ["bash", "-e", "-c", lines], cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-5000:]
    return done.stdout


@pytest.mark.parametrize(
    ("page", "imported"),
    [
        ("README.md", "sac_kafka, sqlglot, rich, cryptography"),
        ("docs/index.md", "sac_kafka, pyspark"),
        ("docs/lineage-tests.md", "sac_kafka.testing, pyspark, pytest"),
    ],
)
def test_a_page_installs_the_package(page: str, imported: str, checkout: Path) -> None:
    (install,) = (block.text for block in blocks(ROOT / page) if "pip install" in block.text)
    here = "" if "-m venv" in install else "python3 -m venv env && . env/bin/activate\n"
    first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # its python3 is one that is supported
    printed = shell(f"{here}{install}\npython -c 'import {imported}'\ncommand -v sac-kafka", checkout, PATH=first)
    assert printed.splitlines()[-1] == str(checkout / "env" / "bin" / "sac-kafka")
