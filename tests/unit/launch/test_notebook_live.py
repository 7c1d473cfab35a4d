"""Notebooks that do not mention the hook, with kernels that Jupyter runs, restarts and kills."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient")

import nbclient
import nbformat
from jupyter_client.manager import KernelManager
from traitlets.config import Config

from tests.helpers.spooled import kept, texts
from tests.helpers.waiting import LONG_SECONDS, until
from tests.unit.launch.starting import Ran, configure, reported_in, variables

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

SESSION = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()"
WRITE = "spark.range(3).write.parquet({!r})"
LEAVING_SECONDS = 2 * LONG_SECONDS
"""Jupyter's time limit for the exit of a kernel, half of it before SIGTERM; the default is 5 s."""
A_MOMENT = f"from sac_kafka.hook import hook\nhook._HURRY_SECONDS = {LONG_SECONDS}"
"""In a kernel: the hook's time after SIGTERM; the usual half second is too short on a busy machine."""


@pytest.fixture
def kernel_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the environment of kernels; all files of Jupyter are below `tmp_path`."""
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return variables(configure(tmp_path, hook_spark_job_name="notebook"), SAC_KAFKA_AUTO="1")


@pytest.mark.exhaustive
def test_a_cell_has_its_lineage_when_it_ends(tmp_path: Path, kernel_variables: dict[str, str]) -> None:
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell(source)
        for source in (
            SESSION,
            WRITE.format("first"),
            "import pathlib, time\nfile = pathlib.Path('messages.jsonl')\n"
            "while not (file.exists() and 'first' in file.read_text()): time.sleep(0.02)\n"
            "print('it exists')",
            WRITE.format("second"),
        )
    ]
    client = nbclient.NotebookClient(
        notebook,
        timeout=240,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
        config=Config({"KernelManager": {"shutdown_wait_time": LEAVING_SECONDS}}),
    )
    client.execute(env=kernel_variables)

    outputs = [output for cell in notebook.cells for output in cell.outputs]
    printed = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")
    assert printed == "it exists\n"
    assert "sac_kafka" not in str(outputs)
    assert _written(tmp_path) == ["first", "second"]  # the kernel was ended as soon as the last cell was


class Kernel:
    """A kernel as a notebook server has it; its log is in `kernel.log` of `work`."""

    def __init__(self, work: Path, environment: dict[str, str], leaving_seconds: float = LEAVING_SECONDS) -> None:
        self.manager = KernelManager(kernel_name="python3", shutdown_wait_time=leaving_seconds)
        self._log = (work / "kernel.log").open("ab")  # a restart uses it again
        self.manager.start_kernel(env=environment, cwd=str(work), stderr=self._log)
        self._client: Any = None
        self.connect()

    def connect(self) -> None:
        self.disconnect()
        self._client = self.manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=120)

    def run(self, code: str) -> None:
        reply = self._client.execute_interactive(code, timeout=240, output_hook=lambda message: None)
        assert reply["content"]["status"] == "ok", reply["content"]

    def disconnect(self) -> None:
        if self._client is not None:
            self._client.stop_channels()

    def close(self) -> None:
        self.disconnect()
        if self.manager.is_alive():
            self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()
        self._log.close()


@pytest.fixture
def kernel(tmp_path: Path, kernel_variables: dict[str, str]) -> Iterator[Kernel]:
    with closing(Kernel(tmp_path, kernel_variables)) as made:
        yield made


@pytest.mark.exhaustive
def test_a_restart_loses_nothing_that_was_delivered(tmp_path: Path, kernel: Kernel) -> None:
    kernel.run(SESSION)
    kernel.run(WRITE.format("killed"))
    until(lambda: _written(tmp_path) == ["killed"])
    before = (tmp_path / "messages.jsonl").read_text()
    kernel.manager.restart_kernel(now=True)  # SIGKILL
    kernel.connect()

    kernel.run(SESSION)
    kernel.run(WRITE.format("asked"))
    kernel.manager.restart_kernel(now=False)  # requested to exit immediately after the cell
    kernel.connect()
    assert _written(tmp_path) == ["killed", "asked"]

    kernel.run(SESSION)
    kernel.run(A_MOMENT)
    kernel.run(WRITE.format("terminated"))
    kernel.manager.signal_kernel(15)
    until(lambda: not kernel.manager.is_alive())
    assert _written(tmp_path) == ["killed", "asked", "terminated"]
    assert (tmp_path / "messages.jsonl").read_text().startswith(before)
    killed, others = ["attached"], ["attached", "ended"] * 2
    assert reported_in((tmp_path / "kernel.log").read_text()) == killed + others


@pytest.mark.nightly
def test_restart_spools_records_that_the_broker_has_not_accepted(
    tmp_path: Path, kernel_variables: dict[str, str], silent_port: int
) -> None:
    """Restart a kernel: Jupyter kills it 5 seconds after the request to exit."""
    configure(
        tmp_path,
        hook_spark_job_name="notebook",
        client_type="kafka",
        kafka_bootstrap_servers=f"127.0.0.1:{silent_port}",
        kafka_security_protocol="PLAINTEXT",
    )
    with closing(Kernel(tmp_path, kernel_variables, leaving_seconds=5.0)) as kernel:
        kernel.run(SESSION)
        kernel.run(WRITE.format("asked"))
        time.sleep(1.0)
        kernel.manager.shutdown_kernel(now=False)
    assert b"/asked" in b"".join(texts(kept(tmp_path / "spool")))


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Open a port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def _written(work: Path) -> list[str]:
    return Ran(work, 0, "", "").written
