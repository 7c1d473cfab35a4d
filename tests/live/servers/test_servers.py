"""One driver, several people: whose run a flow is, where they come by Spark Connect and by JDBC.

What docs/servers.md shows to a reader is run here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sac_kafka.hook.recording import read_recording
from sac_kafka.model import Process
from sac_kafka.spark.java_classes import driver_archive
from sac_kafka.tools.cli.jar import LISTENER
from stack import jars
from stack.java import find_java
from stack.ports import free_port, is_free
from tests.cases.expected import expected
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture
from tests.helpers.messages import entities, messages_in
from tests.helpers.processes import environment, pythons_below
from tests.helpers.staged import Actions
from tests.helpers.waiting import until
from tests.live.servers.clients import CASES
from tests.live.spark import drivers
from tests.unit.launch.starting import PATIENT, spark_program

pyspark = pytest.importorskip("pyspark")
pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]

OF_SPARK_3_5 = "spark-connect-3.5.7"
"""Spark 3.5 has its Connect server in no distribution; the patch version does not matter to it."""
THRIFT = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"
WITHIN_SECONDS = 300
TERMINATED = 128 + signal.SIGTERM
"""The status of a JVM that SIGTERM ends."""
STATEMENT = "insert overwrite directory '{work}/out/by_{user}' using parquet select customer from cases.orders"


@pytest.fixture(scope="module", params=["runner", pytest.param("jar", marks=pytest.mark.exhaustive)])
def work(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a driver with the hook, which has served two clients of Spark Connect and two of JDBC."""
    work = tmp_path_factory.mktemp("servers")
    connect = free_port()
    thrift = free_port(frozenset({connect}))
    is_by_jar = request.param == "jar"
    with server(work, connect, thrift, is_by_jar=is_by_jar) as driver:
        try:
            wait_for(thrift, driver, work)
            run([sys.executable, "-m", "tests.live.servers.clients", str(connect), str(work)], work)
            clients = [beeline(thrift, user, work) for user in ("carol", "dave")]
            assert [client.wait(WITHIN_SECONDS) for client in clients] == [0, 0], (work / "beeline").read_text()[-3000:]
            driver.terminate()
            assert driver.wait(WITHIN_SECONDS) == (TERMINATED if is_by_jar else -signal.SIGTERM)
            until(lambda: [*pythons_below(work)] == [], lambda: "a Python is left")
        finally:
            driver.kill()  # one that has ended is left alone
    return work


def server(work: Path, connect: int, thrift: int, *, is_by_jar: bool) -> subprocess.Popen[bytes]:
    """Both servers: the main is that of the Thrift server, the other one its plugin."""
    folder = Path(pyspark.__file__).parent / "jars"
    (main,) = folder.glob("spark-hive-thriftserver_*.jar")
    conf = {
        **drivers.hook_conf(work, hook_spark_record_path=f"{work}/batch.txt", **PATIENT),
        "spark.plugins": PLUGIN,
        "spark.connect.grpc.binding.port": str(connect),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": f"{work}/warehouse",
        "spark.log.level": "ERROR",
    }
    with_jars = [jars.provide(OF_SPARK_3_5).class_path] if pyspark.__version__.startswith("3.") else []
    launcher = [sys.executable, "-m", "sac_kafka.tools.cli.main", "run"]
    if is_by_jar:
        launcher = [spark_program("spark-submit")]
        with_jars.append(str(driver_archive()))
        conf |= {"spark.extraListeners": LISTENER, "spark.atlas.hook.spark.python": sys.executable}
    conf["spark.jars"] = ",".join(with_jars).replace(os.pathsep, ",")
    settings = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    hive = {"port": str(thrift), "bind.host": "127.0.0.1"}
    options = [word for key, value in hive.items() for word in ("--hiveconf", f"hive.server2.thrift.{key}={value}")]
    command = [
        *launcher,
        "--master",
        "local[2]",
        "--name",
        "warehouse",
        *settings,
        "--class",
        THRIFT,
        str(main),
        *options,
    ]
    with (work / "server").open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=work,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def wait_for(port: int, driver: subprocess.Popen[bytes], work: Path) -> None:
    def driver_output() -> str:
        return (work / "server").read_text()[-3000:]

    until(lambda: not is_free(port) or driver.poll() is not None, driver_output, WITHIN_SECONDS)
    assert driver.poll() is None, driver_output()


def run(command: list[str], work: Path) -> None:
    done = subprocess.run(
        command, cwd=work, env=environment(), capture_output=True, text=True, timeout=WITHIN_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def beeline(port: int, user: str, work: Path) -> subprocess.Popen[bytes]:
    """Hive's own client, out of Spark's jars; dave's session names its job in the address."""
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    java = [str(find_java().path), "-cp", str(jars), "org.apache.hive.beeline.BeeLine"]
    name = "?spark.atlas.hook.spark.job.name=hourly_load" if user == "dave" else ""
    arguments = ["-u", f"jdbc:hive2://127.0.0.1:{port}/default{name}", "-n", user]
    with (work / "beeline").open("ab") as output:
        return subprocess.Popen(
            [*java, *arguments, "-e", STATEMENT.format(work=work, user=user)],
            cwd=work,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


@pytest.fixture(scope="module")
def processes(work: Path) -> list[Process]:
    recording = read_recording(work / "batch.txt")
    outcomes = Capture.outcomes_of(recording.text, Actions(recording.application))
    return [each for each in outcomes if isinstance(each, Process)]


def of_output(processes: list[Process], name: str) -> Process:
    (process,) = (p for p in processes if p.outputs[0].key.endswith(f"/out/{name}"))
    return process


@pytest.mark.parametrize("case", CASES)
def test_spark_connect_gives_the_lineage_of_a_session_of_the_driver(
    work: Path, processes: list[Process], case: str
) -> None:
    assert lineage_lines((p for p in processes if p.application.job == case), str(work)) == expected(case)


def test_clients_of_spark_connect_are_identified_by_user_and_session(work: Path, processes: list[Process]) -> None:
    sessions = json.loads((work / "clients.json").read_text())
    requesters = [
        p.run.requester for p in processes if p.run.requester is None or p.run.requester.server == "Spark Connect"
    ]
    assert None not in requesters
    assert {(each.user, each.session_id) for each in requesters} == set(sessions.items())
    assert all(each.operation_id for each in requesters)


def test_a_session_names_its_job_and_has_its_own_temporary_views(processes: list[Process]) -> None:
    of_jane, of_joe = of_output(processes, "of_jane"), of_output(processes, "of_joe")
    assert (of_jane.application.job, of_joe.application.job) == ("warehouse", "hourly orders")
    assert [d.key for d in of_jane.inputs] == ["table:spark_catalog.cases.orders"]
    assert [d.key.rpartition("/")[2] for d in of_joe.inputs] == ["orders_parquet"]


def test_clients_of_the_thrift_server_are_identified_by_user_and_session(processes: list[Process]) -> None:
    """Their statements ran at the same time."""
    of_carol, of_dave = (of_output(processes, f"by_{user}") for user in ("carol", "dave"))
    for process, user in ((of_carol, "carol"), (of_dave, "dave")):
        requester = process.run.requester
        assert requester is not None
        assert (requester.user, requester.server) == (user, "Spark Thrift server")
        assert requester.session_id
        assert requester.operation_id
        assert [d.key for d in process.inputs] == ["table:spark_catalog.cases.orders"]
    assert of_carol.run.requester.session_id != of_dave.run.requester.session_id  # type: ignore[union-attr]
    assert (of_carol.application.job, of_dave.application.job) == ("warehouse", "hourly_load")


def test_messages_name_the_requester(work: Path) -> None:
    requesters = set()
    for message in messages_in(work / "messages.jsonl"):
        if "entities" in message["message"] and message["message"]["type"] == "ENTITY_CREATE_V2":
            for process in entities([message], "spark_process"):
                requester = process["attributes"]["remoteUser"]
                assert process["customAttributes"]["user"] == message["message"]["user"] == requester
                assert process["attributes"]["currUser"] == message["msgCreatedBy"]
                requesters.add(requester)
    assert requesters == {"jane@example.com", "joe", "carol", "dave"}
