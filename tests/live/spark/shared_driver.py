"""A driver that several Pythons share: its processes, and what arrived of what they wrote."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.helpers.messages import entities, messages_in

NOTEBOOKS = Path(__file__).with_name("notebooks")
NAMESPACE = {"atlas.metadata.namespace": "x"}
DATABRICKS = (
    "spark.databricks.workspaceUrl=adb-1.1.azuredatabricks.net",
    "spark.databricks.clusterUsageTags.clusterOwnerOrgId=1",
    "spark.databricks.clusterUsageTags.clusterId=c1",
    "spark.databricks.clusterUsageTags.clusterName=shared",
)


class Process:
    """A driver or a notebook, which answers each line with one; `errors` has its standard error."""

    def __init__(self, errors: Path, script: str, *arguments: str, **environment: str) -> None:
        self._errors = errors
        with errors.open("w") as stderr:
            self.run = subprocess.Popen(
                [sys.executable, str(NOTEBOOKS / script), *arguments],
                cwd=errors.parent,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )

    def send(self, line: str) -> None:
        assert self.run.stdin is not None
        self.run.stdin.write(f"{line}\n")
        self.run.stdin.flush()

    def heard(self) -> str:
        assert self.run.stdout is not None
        return self.run.stdout.readline().strip()

    def request(self, line: str) -> str:
        self.send(line)
        return self.heard().partition(" ")[2]

    def end(self) -> str:
        """End it, and return what it has written to standard error."""
        self.run.communicate("end\n", timeout=300)
        return self._errors.read_text()

    def kill(self) -> None:
        self.run.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        self.run.kill()
        self.run.wait()
        for pipe in (self.run.stdin, self.run.stdout):
            if pipe is not None:
                pipe.close()


class Shared:
    """A driver that several Pythons share; `warehouse` has what they write, `file` their messages, if no `settings` are given."""

    def __init__(self, work: Path, *conf: str, settings: Mapping[str, str] | None = None) -> None:
        self.work, self.file = work, work / "messages.jsonl"
        of_file = {"client_type": "file", "atlas.client.file.path": str(self.file)}
        self.settings = {"atlas.metadata.namespace": "x", **(of_file if settings is None else settings)}
        self.driver = Process(work / "driver.err", "driver.py", str(work / "warehouse"), *conf)
        _, port, secret = self.driver.heard().split()
        self.gateway = {"PYSPARK_GATEWAY_PORT": port, "PYSPARK_GATEWAY_SECRET": secret}
        self.notebooks: list[Process] = []
        self.ran(f"insert overwrite directory '{work / 'source'}' using parquet select id, id as amount from range(9)")

    def ran(self, statement: str) -> None:
        assert self.driver.request(statement) == ""

    def notebook(self, name: str, **settings: str) -> Process:
        pairs = [f"{key}={value}" for key, value in {**self.settings, **settings}.items()]
        self.notebooks.append(
            Process(self.work / f"{name}.err", "notebook.py", name, str(self.work), *pairs, **self.gateway)
        )
        assert self.notebooks[-1].heard() == "attached None"
        return self.notebooks[-1]

    def flows(self) -> dict[str, set[str]]:
        """Return the jobs that have written each output."""
        found = defaultdict(set)
        for each in self._flows():
            for output in each["relationshipAttributes"]["outputs"]:
                found[_last(output["uniqueAttributes"]["qualifiedName"])].add(_job(each))
        return found

    def processes(self) -> dict[str, set[str]]:
        """Return the names of the processes that have written each output."""
        found = defaultdict(set)
        for each in self._flows():
            for output in each["relationshipAttributes"]["outputs"]:
                found[_last(output["uniqueAttributes"]["qualifiedName"])].add(each["attributes"]["qualifiedName"])
        return found

    def times_reported(self) -> dict[str, int]:
        """Return how many messages have a flow into each output, without those of streams."""
        outputs = (out for each in self._flows() for out in each["relationshipAttributes"]["outputs"])
        found = Counter(_last(out["uniqueAttributes"]["qualifiedName"]) for out in outputs)
        return {output: times for output, times in found.items() if not is_stream(output)}

    def facts(self, job: str) -> list[dict[str, Any]]:
        """Return the distinct facts about the notebook of a job, as its application has them."""
        found = [e["customAttributes"] for e in entities(self.messages(), "spark_application") if _job(e) == f"{job}@x"]
        of_notebook = [{key: each.get(key) for key in ("task", "notebook", "workspace_id")} for each in found]
        return [each for i, each in enumerate(of_notebook) if each not in of_notebook[:i]]

    def written(self, name: str) -> set[str]:
        """Return the outputs of a notebook that exist as files or tables."""
        found = (each.name for place in (self.work, self.work / "warehouse") for each in place.glob(f"{name}_*"))
        return set(found)

    def complete(self, name: str) -> set[str]:
        """Return those of them that Spark has committed, but streams and views."""
        found = (each.parent.name for each in self.work.rglob(f"{name}_*/_SUCCESS"))
        return set(found)

    def messages(self) -> list[dict[str, Any]]:
        """Return all messages so far."""
        return messages_in(self.file)

    def _flows(self) -> list[dict[str, Any]]:
        return [e for e in entities(self.messages(), "spark_process") if e.get("relationshipAttributes")]

    def close(self) -> None:
        for each in (*self.notebooks, self.driver):
            each.close()


def _last(name: str) -> str:
    return re.split(r"[/.]", name.partition("@")[0])[-1]


def _job(process: dict[str, Any]) -> str:
    return process["attributes"]["qualifiedName"].partition(":")[0]


def job_of(name: str, number: object) -> str:
    return "view" if int(str(number)) % 6 == 5 else f"/Shared/{name}"


def is_stream(output: str) -> bool:
    return int(output.partition("_")[2] or 0) % 6 == 3
