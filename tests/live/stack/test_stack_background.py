"""The stack in the background: whether it runs is a lock, errors are one line, and a real one keeps its data.

What docs/local-stack.md shows to a reader is run here, and what docs/verify.md has for a job.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

import sac_kafka
from stack import ports
from stack.background import Files, State, down, read_state, run, up
from stack.errors import StackError
from stack.files import locked
from stack.local import LocalPorts
from stack.ports import free_port, is_free
from tests.helpers.waiting import until
from tests.live.server.rest import AtlasRest
from tests.project.docs.blocks import blocks

ROOT = Path(__file__).parents[3]


def stack(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stack", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_a_state_file_without_a_lock_is_ignored(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.state.write_text(json.dumps({"pid": os.getpid(), "since": 0, "bootstrap": "x:1"}))
    assert read_state(files) is None
    with locked(files.lock, 0):
        assert read_state(files) == State(os.getpid(), 0, "x:1")
    assert read_state(files) is None
    assert down(tmp_path) == f"no stack runs in {tmp_path}"  # and this process has not been ended


def test_a_second_stack_is_refused(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.state.write_text(json.dumps({"pid": 123, "since": 0, "bootstrap": "x:1"}))
    with locked(files.lock, 0):
        for start in (up, run):
            with pytest.raises(StackError, match=r"runs in .* already \(process 123\).*status.*down"):
                start(tmp_path, LocalPorts(0, 0, 0))
        files.state.write_text("{")
        with pytest.raises(StackError, match="cannot be read"):
            read_state(files)


def test_a_failed_start_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = stack("up", "--work", str(tmp_path), "--plaintext-port", str(port))
    assert done.returncode == 1
    assert "the stack did not come up. The end of" in done.stderr
    assert f"error: in use on 127.0.0.1: port {port} (PLAINTEXT)" in done.stderr
    assert "Traceback" not in done.stderr
    assert read_state(Files(tmp_path)) is None
    assert not Files(tmp_path).state.exists()


def test_status_and_down_without_a_stack(tmp_path: Path) -> None:
    status = stack("status", "--work", str(tmp_path))
    assert (status.returncode, status.stderr) == (
        1,
        f"error: no stack runs in {tmp_path}; `python -m stack up --work {tmp_path}` starts one\n",
    )
    done = stack("down", "--work", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, f"no stack runs in {tmp_path}\n")


def path_message(name: str) -> str:
    entity = {"typeName": "fs_path", "guid": "-1", "attributes": {"qualifiedName": name, "name": name, "path": "/x"}}
    message = {"type": "ENTITY_CREATE_V2", "user": "alice", "entities": {"entities": [entity], "referredEntities": {}}}
    return json.dumps({"version": {"version": "1.0.0"}, "message": message})


@pytest.mark.exhaustive
@pytest.mark.atlas
def test_up_status_down_and_up_again_with_the_same_data(tmp_path: Path) -> None:
    plaintext, sasl_ssl, atlas = free_port(), free_port(), free_port()
    work = ["--work", str(tmp_path)]
    at = ["--plaintext-port", str(plaintext), "--sasl-ssl-port", str(sasl_ssl), "--atlas-port", str(atlas)]
    try:
        started = stack("up", *work, *at)
        assert started.returncode == 0, started.stderr
        for part in (f"localhost:{plaintext}", f"localhost:{sasl_ssl}", f"http://127.0.0.1:{atlas}", "Atlas password:"):
            assert part in started.stdout
        properties = tmp_path / "atlas-application.properties"
        assert f"`python -m stack down --work {tmp_path}` stops them" in started.stdout
        assert f"atlas.kafka.bootstrap.servers=localhost:{sasl_ssl}\n" in properties.read_text()
        for file in (properties, Files(tmp_path).state):
            assert file.stat().st_mode & 0o777 == 0o600

        refused = stack("up", *work)
        assert refused.returncode == 1 and "already" in refused.stderr

        producer = Producer({"bootstrap.servers": f"localhost:{plaintext}"})
        producer.produce("ATLAS_HOOK", path_message("kept@t"))
        assert producer.flush() == 0
        until(lambda: is_well(work), lambda: stack("status", *work), seconds=300)

        stopped = stack("down", *work)
        assert stopped.returncode == 0 and stopped.stdout.startswith("Kafka and Atlas are stopped")
        assert is_free(plaintext) and is_free(atlas)

        assert stack("up", *work, *at).returncode == 0
        state = read_state(Files(tmp_path))
        assert state is not None
        assert "kept@t" in names_of_paths(state)
        os.kill(state.pid, signal.SIGKILL)  # the servers end with the supervisor, and the lock with it
        until(lambda: is_free(plaintext) and is_free(atlas), lambda: "a server outlives the supervisor")
        assert stack("status", *work).returncode == 1
    finally:
        wiped = stack("down", *work, "--wipe")
    assert "is removed" in wiped.stdout
    assert not (tmp_path / "atlas").exists() and not (tmp_path / "kafka" / "data").exists()
    assert (tmp_path / "kafka" / "certificates" / "ca.pem").is_file()


def is_well(work: list[str]) -> bool:
    """Say whether `status` exits with 0, and has Atlas and the one message that it was sent."""
    status = stack("status", *work)
    shown = ("Atlas is:", "Atlas has read 1 of 1 messages")
    return status.returncode == 0 and all(each in status.stdout for each in shown)


def names_of_paths(state: State) -> list[str]:
    """Return the fs_paths in the index of the stack's Atlas."""
    return AtlasRest(state.rows["Atlas"], state.rows["Atlas user"], state.rows["Atlas password"]).names("fs_path")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, State]]:
    """Yield a stack in `build/stack` of a folder, for the tests below; the last of them ends its Atlas."""
    work = tmp_path_factory.mktemp("reader") / "build" / "stack"
    state = up(work, LocalPorts(free_port(), free_port(), free_port()))
    yield work, state
    down(work, wipe=True)


def page(name: str, part: str) -> str:
    """Return the block of a page that has this in it."""
    return next(block.text for block in blocks(ROOT / "docs" / name) if part in block.text)


@pytest.mark.exhaustive
@pytest.mark.atlas
@pytest.mark.spark
def test_a_job_reports_to_it_and_its_lineage_is_shown(running: tuple[Path, State]) -> None:
    work, state = running
    folder = work.parents[1]
    rows = state.rows
    (folder / "my_job.py").write_text(_JOB + page("verify.md", "hook.verify("), "utf-8")
    (folder / "spark-defaults.conf").write_text(
        f"spark.master local[1]\nspark.ui.enabled false\nspark.driver.host 127.0.0.1\n"
        f"spark.sql.warehouse.dir {folder}/warehouse\nspark.atlas.hook.spool.dir {folder}/spool\n"
        f"spark.atlas.rest.address {rows['Atlas']}\nspark.atlas.rest.basic.auth.username {rows['Atlas user']}\n"
        f"spark.atlas.rest.basic.auth.password {rows['Atlas password']}\n",
        "utf-8",
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    package = str(Path(sac_kafka.__file__).parents[1])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": package, "SPARK_CONF_DIR": str(folder), "no_proxy": "*"}

    def shell(command: str) -> str:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-5000:]
        return done.stdout

    assert shell(page("local-stack.md", "my_job.py")).splitlines()[-1] == "None"
    curl = page("local-stack.md", "curl").replace("PASSWORD", rows["Atlas password"])
    found = json.loads(shell(curl.replace("http://127.0.0.1:21000", rows["Atlas"])))
    names = {each["attributes"]["qualifiedName"] for each in found["guidEntityMap"].values()}
    assert {"db.table@local", "db.source@local"} < names


_JOB = """
from pyspark.sql import SparkSession
import sac_kafka

spark = SparkSession.builder.appName("my_job").getOrCreate()
spark.sql("CREATE DATABASE db")
spark.range(3).write.saveAsTable("db.source")
spark.table("db.source").write.saveAsTable("db.table")
hook = sac_kafka.attach(spark)
"""


@pytest.mark.exhaustive
@pytest.mark.atlas
def test_an_atlas_that_ends_is_noticed(running: tuple[Path, State]) -> None:
    work, state = running
    servers = Path(f"/proc/{state.pid}/task").glob("*/children")
    children = [int(pid) for file in servers for pid in file.read_text().split()]
    atlas = [pid for pid in children if b"groovy.ui.GroovyMain" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(atlas[0], signal.SIGKILL)
    until(lambda: read_state(Files(work)) is None, lambda: "the supervisor goes on without Atlas")
    log = Files(work).log  # which has a line once all is released
    until(lambda: "error: Atlas has ended by itself" in log.read_text(), log.read_text)


def test_a_reserved_port_is_given_to_no_other_process() -> None:
    code = "from stack.ports import free_port; print(free_port(), free_port(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        theirs = [int(port) for port in other.stdout.readline().split()]
        assert [port for port in theirs if ports._reserved(port)] == []
        other.communicate("\n")
    assert [port for port in theirs if ports._reserved(port)] == theirs
