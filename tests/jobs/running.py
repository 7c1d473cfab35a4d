"""Runs a job as a user does, in a process of its own, and keeps what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stack.properties import atlas_properties

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Ran:
    status: int
    output: str  # standard output: what the job itself prints
    log: str
    seconds: float


def start(script: str, *arguments: str, conf: Path | None = None, hook: bool = True) -> subprocess.Popen[str]:
    """Start a job of this folder; `conf` is the folder of its atlas-application.properties."""
    environment = {**os.environ, "SAC_KAFKA_TEST_HOOK": "1" if hook else "0"}
    if conf is not None:
        environment["PYSPARK_SUBMIT_ARGS"] = f"--driver-java-options -Datlas.conf={conf} pyspark-shell"
    return subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait(process: subprocess.Popen[str], since: float) -> Ran:
    try:
        output, log = process.communicate(timeout=180)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Ran(process.returncode, output, log, time.monotonic() - since)


def run(script: str, *arguments: str, conf: Path | None = None, hook: bool = True) -> Ran:
    since = time.monotonic()
    return wait(start(script, *arguments, conf=conf, hook=hook), since)


def write_conf(folder: Path, properties: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "atlas-application.properties").write_text(atlas_properties(dict(properties)))
    return folder
