"""A job of `jobs/` in a separate folder and namespace: run as users run theirs, against the server of the tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stack.local import client_properties
from stack.properties import atlas_properties
from tests.live.server.live_atlas import RunningAtlas
from tests.live.sources.round_trips import environment_of

JOBS = Path(__file__).parent / "jobs"
TIMEOUT_SECONDS = 1200
"""Longer than a job takes on any machine: one that hangs does so for ever."""
PATIENT = {
    "atlas.hook.spark.attach.timeout.seconds": "600",
    "atlas.hook.spark.capture.stuck.seconds": "3600",
    "atlas.hook.spark.capture.stop.wait.seconds": "600",
    "atlas.hook.spark.exit.timeout.seconds": "600",
}
"""Of jobs whose every message counts: none is left behind because a machine is slow."""


def write_properties(server: RunningAtlas, work: Path, namespace: str, more: Mapping[str, str] = {}) -> None:
    """Write the atlas-application.properties of a job, in its folder: all its messages go to the server, with all its types."""
    properties = {
        **client_properties(server.kafka),
        **PATIENT,
        "atlas.metadata.namespace": namespace,
        "atlas.hook.spool.dir": str(work / "spool"),
        **more,
    }
    (work / "atlas-application.properties").write_text(atlas_properties(properties))


@dataclass(frozen=True, kw_only=True)
class ServerJob:
    """Nothing of it meets another test's.

    Attributes:
        server: The destination of its messages.
        work: Its folder.
        namespace: The end of all its names.
        settings: Further settings of atlas-application.properties.
        topic: None that it writes.
    """

    server: RunningAtlas
    work: Path
    namespace: str
    settings: Mapping[str, str] = field(default_factory=dict)
    topic: str = "no topic"

    def run(self, script: str, *arguments: str, python: str = sys.executable, conf: Mapping[str, str] = {}) -> str:
        """Run `jobs/<script>` with the folder and arguments, and wait until the server has read its messages.

        Returns:
            What the job has printed.
        """
        write_properties(self.server, self.work, self.namespace, self.settings)
        spark = {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": str(self.work / "warehouse"),
            "spark.driver.extraJavaOptions": f"-Datlas.conf={self.work} -Dderby.system.home={self.work}",
            **conf,
        }
        submit = " ".join(f"--conf {key}={value!r}" for key, value in spark.items())
        done = subprocess.run(
            [python, str(JOBS / script), str(self.work), *arguments],
            cwd=self.work,
            env=environment_of(python, PYSPARK_SUBMIT_ARGS=f"{submit} pyspark-shell"),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-5000:]
        self.server.wait_consumed()
        return done.stdout

    def file(self, name: str) -> str:
        """Return the qualifiedName of a path below its folder."""
        return f"file:{self.work}/{name}@{self.namespace}"

    def table(self, name: str) -> str:
        """Return the qualifiedName of a table or a column."""
        return f"{name}@{self.namespace}"
