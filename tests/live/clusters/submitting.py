"""Submits jobs as a user of a cluster does: with PySpark's own spark-submit, and an environment that has the wheel."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stack.files import locked
from stack.standalone import spark_home
from stack.yarn import application_of
from tests.helpers import jvm
from tests.helpers.messages import messages_in, without_run
from tests.helpers.sessions import atlas_conf
from tests.live.server.server_job import PATIENT

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "build" / "clusters"
ORDERS = Path(__file__).with_name("orders.py")
TIMEOUT_SECONDS = 1200
"""Longer than a job takes on any machine: one that hangs does so for ever."""
SPARK = {
    "spark.ui.enabled": "false",
    "spark.log.level": "WARN",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.scheduler.minRegisteredResourcesRatio": "0",
    "spark.driver.memory": "600m",
    "spark.executor.memory": "600m",
    "spark.executor.cores": "1",
    "spark.executor.instances": "1",
    "spark.executor.extraJavaOptions": jvm.OPTIONS,
}


@dataclass(frozen=True)
class Packed:
    """A virtual environment with the wheel of this checkout and what it needs, and the archive that it packed itself into."""

    folder: Path
    archive: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def runner(self) -> str:
        """What `$(sac-kafka runner)` is."""
        return self.run("runner").strip()

    def run(self, *arguments: str | Path, status: int = 0) -> str:
        """Run its `sac-kafka`; return the output."""
        command = [self.folder / "bin" / "sac-kafka", *arguments]
        done = subprocess.run(command, env=clean(), capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout


def packed_environment() -> Packed:
    """Return the environment of this checkout; one that was made for the same wheel is used again."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-q", "--wheel", "--no-isolation", "--outdir", folder]
        subprocess.run([sys.executable, "-m", "build", *options, str(ROOT)], check=True, stderr=subprocess.DEVNULL)
        (wheel,) = Path(folder).glob("*.whl")
        digest = hashlib.sha256(wheel.read_bytes() + sys.version.encode()).hexdigest()[:16]
        made, archive = KEPT / digest, KEPT / digest / "env.tar.gz"
        with locked(KEPT / "lock", TIMEOUT_SECONDS):
            if not archive.exists():
                subprocess.run([sys.executable, "-m", "venv", "--clear", made], check=True)
                subprocess.run([made / "bin" / "pip", "install", "-q", wheel], check=True)
                Packed(made, archive).run("pack", "-o", archive)
    return Packed(made, archive)


@dataclass(frozen=True)
class Submitted:
    """What became of a `spark-submit`; `log` is what it printed itself, which on YARN is nothing of the job's."""

    status: int
    log: str

    @property
    def application(self) -> str:
        """The id of YARN's application."""
        found = application_of(self.log)
        assert found is not None, self.log
        return found


def start(
    options: Sequence[str], job: Sequence[str], *, conf: Mapping[str, str], work: Path, variables: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start spark-submit with these options and the job with its arguments; its log is in `work`."""
    confs = [word for key, value in {**SPARK, **conf}.items() for word in ("--conf", f"{key}={value}")]
    work.mkdir(parents=True, exist_ok=True)
    with log_of(work).open("wb") as log:
        return subprocess.Popen(
            [str(spark_home() / "bin" / "spark-submit"), *options, *confs, *job],
            cwd=work,
            env={**clean(), **variables},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def wait(process: subprocess.Popen[bytes], work: Path) -> Submitted:
    try:
        process.wait(TIMEOUT_SECONDS)
    finally:
        process.kill()
    return Submitted(process.returncode, log_of(work).read_text())


def to_file(work: Path) -> dict[str, str]:
    """Spark's configuration of a hook whose messages all come into a file of `work`."""
    settings = {
        "client_type": "file",
        "client_file_path": f"{work}/messages.jsonl",
        "metadata_namespace": "test",
        "hook_spool_dir": f"{work}/spool",
    }
    return atlas_conf(**settings) | {f"spark.{key}": value for key, value in PATIENT.items()}


def sent_in(work: Path) -> list[object]:
    """The messages of that file, in order, without ids and times of the run."""
    return [without_run(message) for message in messages_in(work / "messages.jsonl")]


def log_of(work: Path) -> Path:
    return work / "submit.log"


def clean() -> dict[str, str]:
    """This process' environment without what leads to this checkout or another Python."""
    left_out = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "ATLAS_CONF", "SPARK_HOME")
    return {**{key: value for key, value in os.environ.items() if key not in left_out}, "SPARK_HOME": str(spark_home())}
