"""The command `sac-kafka bridge` in a process of its own, which listens."""

from __future__ import annotations

import http.client
import json
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.helpers.processes import environment


class BridgeProcess:
    """A bridge that writes messages into `messages.jsonl` of a folder, unless its words and settings say otherwise.

    `files` is the limit of its open files.
    """

    def __init__(
        self, folder: Path, *words: str, settle: float = 0.1, files: int | None = None, **settings: str
    ) -> None:
        self.out = folder / "messages.jsonl"
        conf = {
            "atlas.client.type": "file",
            "atlas.client.file.path": str(self.out),
            "atlas.hook.spool.dir": str(folder / "spool"),
            **{name.replace("_", "."): value for name, value in settings.items()},
        }
        options = [*words, *(f"--conf={name}={value}" for name, value in conf.items())]
        main = [sys.executable, "-m", "sac_kafka.tools.cli.main", "bridge"]
        self.process = subprocess.Popen(
            [*main, "--listen", "127.0.0.1:0", "--settle", str(settle), *options],
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            cwd=folder,
            preexec_fn=None if files is None else lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
        )
        assert self.process.stderr is not None
        said = iter(self.process.stderr.readline, "")
        lines = []
        for line in said:
            lines.append(line)
            if "send events to" in line:
                break
        else:
            self.process.communicate(timeout=60)
            raise AssertionError(f"the bridge has ended with {self.process.returncode}: {''.join(lines)}")
        self.port = int(line.partition("127.0.0.1:")[2].partition("/")[0])

    def post(self, value: Any, path: str = "/api/v1/lineage") -> int:
        """Post JSON; return the status."""
        return self.request("POST", path, json.dumps(value).encode())[0]

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def flows(self) -> Counter[str]:
        """Return how often each process was sent, by its label."""
        if not self.out.exists():
            return Counter()
        whole, _, _ = self.out.read_text("utf-8").rpartition("\n")  # the last line may still be written
        return flows(whole.splitlines())

    def end(self, number: int) -> str:
        """Send a signal, and return what the process has said."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=60)[1]


def flows(messages: Iterable[str | bytes]) -> Counter[str]:
    """Return how often each process is in messages, by its label."""
    notifications = [json.loads(text)["message"] for text in messages if text]
    entities = (each for found in notifications for each in found.get("entities", {}).get("entities", ()))
    return Counter(each["attributes"]["name"] for each in entities if each["typeName"] == "spark_process")
