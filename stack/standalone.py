"""Spark's own cluster as two local processes: a Master and one Worker on 127.0.0.1, from the installed PySpark.

    with Standalone(Path("build/standalone")) as cluster:
        subprocess.run(["spark-submit", "--master", cluster.master, …])

Used by the tests. Everything it writes is in its work folder; it ends with the process that started it.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType

from stack import process
from stack.errors import StackError
from stack.files import tail
from stack.ports import LOOPBACK, free_port
from stack.rest import read_json

CORES = 2
MEMORY = "2g"
START_TIMEOUT_SECONDS = 300
_ANSWER_SECONDS = 5.0
_POLL_SECONDS = 0.1


class Standalone:
    """One cluster of one worker; its ports are free ones.

    Args:
        work: The folder for logs and executors; what was in it before is removed at the start.
    """

    def __init__(self, work: Path) -> None:
        self.work = work.absolute()
        self._port = free_port()
        self._web_port = free_port(frozenset({self._port}))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def master(self) -> str:
        """What `--master` names."""
        return f"spark://{LOOPBACK}:{self._port}"

    def start(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> Standalone:
        """Start both, and return once the worker has registered.

        Raises:
            StackError: PySpark is not installed, or they do not come up (with the end of their logs).
        """
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        here = ["--host", LOOPBACK]
        self._run("master", *here, "--port", str(self._port), "--webui-port", str(self._web_port))
        room = ["--cores", str(CORES), "--memory", MEMORY, "--work-dir", str(self.work / "executors")]
        self._run("worker", *here, *room, "--webui-port", str(free_port()), self.master)
        try:
            self._wait_ready(timeout_seconds)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End both, and with the worker its executors; nothing happens if they do not run."""
        while self._processes:
            process.stop(self._processes.popitem()[1])

    def __enter__(self) -> Standalone:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self, name: str, *arguments: str) -> None:
        bash = shutil.which("bash") or "/bin/bash"
        main_class = f"org.apache.spark.deploy.{name}.{name.title()}"
        command = [bash, str(spark_home() / "bin" / "spark-class"), main_class, *arguments]
        self._processes[name] = process.start(command, self._log(name), self.work)

    def _log(self, name: str) -> Path:
        return self.work / f"{name}.log"

    def _wait_ready(self, timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while self._workers() != 1:
            ended = [name for name, running in self._processes.items() if running.poll() is not None]
            if ended or time.monotonic() > deadline:
                logs = "\n".join(f"The end of {self._log(name)}:\n{tail(self._log(name))}" for name in self._processes)
                raise StackError(f"Spark's cluster did not come up within {timeout_seconds:.0f} s. {logs}")
            time.sleep(_POLL_SECONDS)

    def _workers(self) -> int:
        try:
            return int(read_json(f"http://{LOOPBACK}:{self._web_port}/json/", _ANSWER_SECONDS)["aliveworkers"])
        except (OSError, ValueError, KeyError):
            return 0


def spark_home() -> Path:
    """Return the folder of the installed PySpark, without importing it.

    Raises:
        StackError: It is not installed.
    """
    spec = importlib.util.find_spec("pyspark")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise StackError("PySpark is not installed in this Python: pip install pyspark")
    return Path(places[0])
