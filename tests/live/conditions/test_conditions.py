"""A driver under unusual conditions has the same output and status with the hook as without it, and its whole lineage.

Full disks, brokers that are slow, silent or gone, and certificates that do not fit are conditions of the chaos rounds and of
`tests/live/jobs/test_unharmed.py`; several Pythons that end under load are in `tests/live/spark`.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.helpers.messages import validated
from tests.helpers.processes import environment
from tests.helpers.spooled import kept, texts
from tests.live.conditions.programs import PROGRAMS

pytestmark = [pytest.mark.spark, pytest.mark.nightly, pytest.mark.timeout(3600)]

NOWHERE = "/dev/null/nowhere"
"""A directory that nobody can create, not even root."""
MORE_PYTHON_MB, MORE_JAVA_MB = 150, 200
"""Limits of the memory that the hook may add; the JVM's heap grows by chance, so its limit is a generous one."""


@dataclass(frozen=True)
class Condition:
    """A program and what is unusual about its driver."""

    program: str
    variables: Mapping[str, str] = field(default_factory=dict)
    conf: Mapping[str, str] = field(default_factory=dict)
    prefix: Sequence[str] = ()
    sessions: int = 1


DEEP = {"spark.driver.extraJavaOptions": "-Xss64m", "spark.driver.memory": "4g"}
"""What Spark itself needs for such plans."""
SMALL = {"spark.driver.memory": "300m", "spark.testing.reservedMemory": "100000000"}

CONDITIONS = {
    "no home": Condition("few_writes", variables={"HOME": NOWHERE}),
    "no temporary directory": Condition("few_writes", variables={"TMPDIR": NOWHERE}),
    "a heap of 300 MB": Condition("wide_writes", conf=SMALL),
    "ulimit -v": Condition("few_writes", prefix=("bash", "-c", 'ulimit -v 8000000 && exec "$@"', "bash")),
    "few open files": Condition("few_writes", prefix=("bash", "-c", 'ulimit -n 400 && exec "$@"', "bash")),
    "a clock that jumps": Condition("clock_jumps"),
    "asyncio": Condition("asyncio_tasks"),
    "gevent": Condition("gevent_greenlets"),
    "2,000 tiny writes": Condition("many_tiny_writes"),
    "200 threads": Condition("many_threads"),
    "20,000 nodes": Condition("large_plan", conf=DEEP),
    "500 joins": Condition("many_joins", conf=DEEP),
    "3,000 branches": Condition("many_branches", conf=DEEP),
    "200 sessions": Condition("few_writes", sessions=200),
}


@dataclass(frozen=True)
class Outcome:
    """What a driver left: its status, its output, its log and its memory in MB."""

    status: int
    output: str
    log: str
    memory: Mapping[str, int]


def run(
    condition: Condition, work: Path, hook: bool, settings: Mapping[str, str] | None = None, seconds: int = 3000
) -> Outcome:
    """Run a driver to its end, which must come within a limit in seconds, against hanging."""
    work.mkdir()
    options = {"conf": dict(condition.conf), "settings": dict(settings or {}), "sessions": condition.sessions}
    variables = environment(SAC_KAFKA_TEST_HOOK="1" if hook else "0", **condition.variables)
    job = [sys.executable, "-m", "tests.live.conditions.job", str(work), condition.program, json.dumps(options)]
    command = [*condition.prefix, *job]
    ran = subprocess.run(
        command, env=variables, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=seconds
    )
    print(ran.stdout, ran.stderr)
    memory = work / "memory.json"
    return Outcome(ran.returncode, ran.stdout, ran.stderr, json.loads(memory.read_text()) if memory.exists() else {})


def outputs(messages: Iterable[bytes | str]) -> set[str]:
    """Return the names of all datasets that are outputs in messages."""
    return {
        output["uniqueAttributes"]["qualifiedName"]
        for message in validated(messages)
        for entity in message["message"].get("entities", {}).get("entities", [])
        if entity["typeName"] == "spark_process"
        for output in entity["relationshipAttributes"].get("outputs", ())
    }


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_driver_is_unharmed_and_its_lineage_complete(name: str, tmp_path: Path) -> None:
    condition = CONDITIONS[name]
    if condition.program.startswith("gevent"):
        pytest.importorskip("gevent", reason="gevent is not installed: pip install gevent")
    without = run(condition, tmp_path / "without", hook=False)
    with_hook = run(condition, tmp_path / "with", hook=True)
    assert (with_hook.status, with_hook.output) == (without.status, without.output)
    assert "result" in without.output
    expected = PROGRAMS[condition.program][1] + condition.sessions - 1
    assert len(outputs((tmp_path / "with" / "messages").read_text().splitlines())) == expected
    for process, more in (("python", MORE_PYTHON_MB), ("java", MORE_JAVA_MB)):
        assert with_hook.memory[process] <= without.memory[process] + more, (with_hook.memory, without.memory)
    shutil.rmtree(tmp_path)


@pytest.fixture
def silent_resolver(tmp_path: Path) -> Iterator[Sequence[str]]:
    """Yield a command prefix under which name servers take questions and never answer, for minutes a name."""
    file = tmp_path / "resolv.conf"
    addresses = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
    file.write_text("".join(f"nameserver {address}\n" for address in addresses) + "options timeout:30 attempts:5\n")
    prefix = ("unshare", "-m", "bash", "-c", f'mount --bind {file} /etc/resolv.conf && exec "$@"', "bash")
    if (
        shutil.which("unshare") is None
        or subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("mounting is not allowed here")
    with contextlib.ExitStack() as sockets:
        for address in addresses:
            server = sockets.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            try:
                server.bind((address, 53))
            except OSError as error:
                pytest.skip(f"no name server can be imitated here: {error}")
        yield prefix


def test_a_resolver_that_hangs_delays_no_end(silent_resolver: Sequence[str], tmp_path: Path) -> None:
    condition = Condition("few_writes", prefix=silent_resolver)
    without = run(condition, tmp_path / "without", hook=False)
    spool = tmp_path / "spool"
    settings = {
        "atlas.client.type": "kafka",
        "atlas.kafka.bootstrap.servers": "broker.example.com:9092",
        "atlas.hook.spool.dir": str(spool),
        "atlas.hook.spark.exit.timeout.seconds": "5",
    }
    with_hook = run(condition, tmp_path / "with", hook=True, settings=settings, seconds=400)
    assert (with_hook.status, with_hook.output) == (without.status, without.output)
    assert len(outputs(texts(kept(spool)))) == PROGRAMS[condition.program][1]
