"""Start processes that know nothing of the hook, in an interpreter that has it installed, as a user does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sac_kafka
from tests.helpers.processes import environment

INSTALLED = Path(sac_kafka.__file__).resolve().parents[1]
"""The folder of the tested package and of the modules installed with it."""
JOBS = Path(__file__).with_name("jobs")
DEFAULTS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.warehouse.dir": "warehouse",
    "spark.log.level": "OFF",
    "spark.sql.catalogImplementation": "in-memory",
}


PATIENT = {
    "hook_spark_attach_timeout_seconds": "120",
    "hook_spark_capture_stop_wait_seconds": "60",
    "hook_spark_exit_timeout_seconds": "60",
}
"""Longer times: on a stalled machine lineage is late, and would be abandoned or spooled after the usual times."""
TIMEOUT_SECONDS = 400
"""More than a job needs to attach and end within these times."""


REPORT = re.compile(r"sac_kafka: (attached to|ended on) \S+ \(job .+\): ")
"""The two lines of every driver's log."""


def reported_in(log: str) -> list[str]:
    """Return the first word of each line of a hook's report, in order, and every other line of the hook as it is."""
    lines = [line for line in log.splitlines() if line.startswith("sac_kafka: ")]
    return [found.group(1).split()[0] if (found := REPORT.match(line)) else line for line in lines]


@dataclass(frozen=True)
class Ran:
    """The result of a process, and its working directory."""

    work: Path
    status: int
    output: str
    log: str

    @property
    def warnings(self) -> list[str]:
        """Return the log lines of the hook beyond the two of `reported`, except for slow accessors.

        spark-submit prints them to standard output.
        """
        logged = (line for line in (self.output + self.log).splitlines() if line.startswith("sac_kafka: "))
        return [line for line in logged if not REPORT.match(line) and "slow accessor org.apache.spark." not in line]

    @property
    def reported(self) -> list[str]:
        """Return which of the two lines of every driver's log are on standard error, in order."""
        return reported_in(self.log)

    @property
    def written(self) -> list[str]:
        """Return the outputs of flows in order: the end of each path."""
        return [
            output["uniqueAttributes"]["qualifiedName"].partition("@")[0].rpartition("/")[2]
            for message in self._messages()
            for entity in message.get("entities", {}).get("entities", ())
            if entity["typeName"] == "spark_process"
            for output in entity["relationshipAttributes"]["outputs"]
        ]

    def jobs(self) -> set[str]:
        """Return the job names of flows."""
        return {entity["attributes"]["name"] for entity in self._applications()}

    def statuses(self) -> list[str]:
        """Return the statuses of the application, in order, each once."""
        return list(dict.fromkeys(entity["customAttributes"]["status"] for entity in self._applications()))

    def _applications(self) -> list[dict[str, Any]]:
        return [
            entity
            for message in self._messages()
            if message["type"] == "ENTITY_CREATE_V2"
            for entity in message["entities"]["entities"]
            if entity["typeName"] == "spark_application"
        ]

    def _messages(self) -> list[dict[str, Any]]:
        file = self.work / "messages.jsonl"
        whole = file.read_text().rpartition("\n")[0] if file.exists() else ""  # the writer may be within a line
        return [json.loads(line)["message"] for line in whole.splitlines()]


def variables(work: Path, **more: str) -> dict[str, str]:
    """Return an environment whose interpreters find the tested package in their site-packages, with a small Spark."""
    settings = work / "settings"
    settings.mkdir(exist_ok=True)
    text = "".join(f"{key} {value}\n" for key, value in DEFAULTS.items())
    (settings / "spark-defaults.conf").write_text(text)
    known = environment(SPARK_CONF_DIR=str(settings), PYTHONDONTWRITEBYTECODE="1")
    if INSTALLED.name != "site-packages":  # a checkout: the wheel's top-level modules are needed, too
        (settings / "sitecustomize.py").write_text(f"import site\nsite.addsitedir({str(INSTALLED)!r})\n")
        known["PYTHONPATH"] = os.pathsep.join((str(settings), known["PYTHONPATH"]))
    return {key: value for key, value in known.items() if key != "SAC_KAFKA_AUTO"} | more


def configure(work: Path, **more: str) -> Path:
    """Write the configuration where jobs that work in `work` find it: messages go to a file; dots for underscores."""
    properties = {
        "atlas.metadata.namespace": "test",
        "atlas.client.type": "file",
        "atlas.client.file.path": f"{work}/messages.jsonl",
        "atlas.hook.spool.dir": f"{work}/spool",
        **{f"atlas.{key.replace('_', '.')}": value for key, value in (PATIENT | more).items()},
    }
    (work / "atlas-application.properties").write_text("".join(f"{k}={v}\n" for k, v in properties.items()))
    return work


def spark_program(name: str) -> str:
    """Return the path of a program of the installed PySpark: spark-submit, pyspark."""
    import pyspark

    return str(Path(pyspark.__file__).parent / "bin" / name)


def run(command: Sequence[str], work: Path, *, stdin: str | None = None, **more: str) -> Ran:
    """Run it in `work`; `more` are variables."""
    done = subprocess.run(
        command,
        cwd=work,
        env=variables(work, **more),
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    print(done.stdout, done.stderr)  # to be captured: shown when the test fails, searched for secrets at the end
    return Ran(work, done.returncode, done.stdout, done.stderr)


def python(*arguments: str) -> list[str]:
    """Return the command of an interpreter."""
    return [sys.executable, *arguments]
