"""Run a job as a user does, in a separate process, and keep its output."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stack.properties import atlas_properties
from tests.helpers.processes import environment
from tests.helpers.sessions import PATIENT

PATIENT_PROPERTIES = {f"atlas.{key.replace('_', '.')}": value for key, value in PATIENT.items()}
JOB_SECONDS = 600
"""What hangs hangs for longer: the slowest of these jobs takes a minute on a machine that does little else."""

_ENDED = re.compile(r"ended on .*?: .*?(\d+) messages? delivered, (\d+) spooled(?: \(.*\))?, (\d+) dropped.*")


@dataclass(frozen=True)
class Ran:
    status: int
    output: str  # standard output: what the job itself prints
    log: str

    @property
    def last_line(self) -> str | None:
        """The report of the hook at its end; None without one."""
        found = _ENDED.search(self.log)
        return found and found[0]

    @property
    def figures(self) -> tuple[int, int, int]:
        """How many messages were delivered, spooled and dropped, by that line."""
        found = _ENDED.search(self.log)
        assert found is not None, self.log
        delivered, spooled, dropped = map(int, found.groups())
        return delivered, spooled, dropped


def start(
    job: str,
    *arguments: str,
    conf: Path | None = None,
    hook: bool = True,
    pipes: Sequence[int] = (),
    java_options: Sequence[str] = (),
    jars: str = "",
) -> subprocess.Popen[str]:
    """Start a job of this folder; `conf` is the folder of its atlas-application.properties, `pipes` are for its reports.

    `jars` are on the driver's class path as those of `--packages` are: paths with commas between them.
    """
    variables = environment(SAC_KAFKA_TEST_HOOK="1" if hook else "0")
    if pipes:
        variables["SAC_KAFKA_TEST_PIPES"] = ",".join(map(str, pipes))
    if conf is not None:
        options = " ".join([f"-Datlas.conf={conf}", *java_options])
        packages = f"--jars {jars} " if jars else ""  # a list with commas
        variables["PYSPARK_SUBMIT_ARGS"] = f"{packages}--driver-java-options '{options}' pyspark-shell"
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.live.jobs.{job}", *arguments],
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=pipes,
    )


def wait(process: subprocess.Popen[str]) -> Ran:
    try:
        output, log = process.communicate(timeout=JOB_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        print(*process.communicate())
        raise
    print(output, log)  # to be captured: shown when the test fails, searched for secrets at the end
    return Ran(process.returncode, output, log)


def run(
    job: str,
    *arguments: str,
    conf: Path | None = None,
    hook: bool = True,
    java_options: Sequence[str] = (),
    jars: str = "",
) -> Ran:
    return wait(start(job, *arguments, conf=conf, hook=hook, java_options=java_options, jars=jars))


def write_conf(folder: Path, properties: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "atlas-application.properties").write_text(atlas_properties(dict(properties)))
    return folder
