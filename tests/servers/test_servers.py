"""One driver, several people: whose run a flow is, where they come by Spark Connect and by JDBC."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.lineage.model import Process
from stack import jars
from stack.java import find_java
from stack.ports import free_port
from tests.expected import expected
from tests.live import Capture
from tests.messages import entities, messages_in
from tests.processes import environment
from tests.servers.clients import CASES
from tests.spark import drivers
from tests.telling import tell

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

OF_SPARK_3_5 = "spark-connect-3.5.7"
"""Spark 3.5 has its Connect server in no distribution; the patch version does not matter to it."""
PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"
STARTS_WITHIN_SECONDS = 120
STATEMENT = "insert overwrite directory '{work}/out/by_{user}' using parquet select customer from cases.orders"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a driver that has served two clients of Spark Connect and two of JDBC, at the same time."""
    work = tmp_path_factory.mktemp("servers")
    connect, thrift = free_port(), free_port()
    conf = {
        **drivers.hook_conf(work, hook_spark_record_path=f"{work}/batch.txt"),
        "spark.plugins": PLUGIN,
        "spark.connect.grpc.binding.port": str(connect),
        "spark.hadoop.hive.server2.thrift.port": str(thrift),
        "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
    }
    if pyspark.__version__.startswith("3."):
        conf["spark.jars"] = jars.provide(OF_SPARK_3_5).class_path.replace(os.pathsep, ",")
    with drivers.start(drivers.serves, work, conf) as driver:
        try:
            wait_for(work / "serving", driver)
            run([sys.executable, "-m", "tests.servers.clients", str(connect), str(work)], work)
            clients = [beeline(thrift, user, work) for user in ("carol", "dave")]
            assert [client.wait(60) for client in clients] == [0, 0], (work / "beeline").read_text()[-3000:]
            (work / "used").touch()
            driver.wait(60)
        finally:
            driver.kill()  # one that has ended is left alone
    assert json.loads((work / "told.json").read_text())["flushed"]
    return work


def wait_for(file: Path, driver: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_SECONDS
    while not file.exists():
        assert driver.poll() is None, (file.parent / "output").read_text()[-3000:]
        assert time.monotonic() < deadline, (file.parent / "output").read_text()[-3000:]
        time.sleep(0.05)


def run(command: list[str], work: Path) -> None:
    done = subprocess.run(
        command, cwd=work, env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def beeline(port: int, user: str, work: Path) -> subprocess.Popen[bytes]:
    """Hive's own client, out of Spark's jars; dave's session names its job in the address."""
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    java = [str(find_java().path), "-cp", str(jars), "org.apache.hive.beeline.BeeLine"]
    name = "?spark.atlas.hook.spark.job.name=hourly_load" if user == "dave" else ""
    told = ["-u", f"jdbc:hive2://127.0.0.1:{port}/default{name}", "-n", user]
    with (work / "beeline").open("ab") as output:
        return subprocess.Popen(
            [*java, *told, "-e", STATEMENT.format(work=work, user=user)],
            cwd=work,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


@pytest.fixture(scope="module")
def processes(work: Path) -> list[Process]:
    return Capture.processes_of((work / "batch.txt").read_text("utf-8").partition("\n")[2])


def of_output(processes: list[Process], name: str) -> Process:
    (process,) = (p for p in processes if p.outputs[0].key.endswith(f"/out/{name}"))
    return process


@pytest.mark.parametrize("case", CASES)
def test_spark_connect_means_what_a_session_of_the_driver_means(
    work: Path, processes: list[Process], case: str
) -> None:
    assert tell((p for p in processes if p.application.job == case), str(work)) == expected(case)


def test_clients_of_spark_connect_are_told_by_user_and_session(work: Path, processes: list[Process]) -> None:
    sessions = json.loads((work / "clients.json").read_text())
    asked = [p.run.requester for p in processes if p.run.requester is None or p.run.requester.server == "Spark Connect"]
    assert None not in asked
    assert {(each.user, each.session_id) for each in asked} == set(sessions.items())
    assert all(each.operation_id for each in asked)


def test_a_session_names_its_job_and_has_temporary_views_of_its_own(processes: list[Process]) -> None:
    of_jane, of_joe = of_output(processes, "of_jane"), of_output(processes, "of_joe")
    assert (of_jane.application.job, of_joe.application.job) == ("test", "hourly orders")
    assert [d.key for d in of_jane.inputs] == ["table:spark_catalog.cases.orders"]
    assert [d.key.rpartition("/")[2] for d in of_joe.inputs] == ["orders_parquet"]


def test_clients_of_the_thrift_server_are_told_by_user_and_session(processes: list[Process]) -> None:
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
    assert (of_carol.application.job, of_dave.application.job) == ("test", "hourly_load")


def test_messages_name_who_asked(work: Path) -> None:
    told = set()
    for message in messages_in(work / "messages.jsonl"):
        if "entities" in message["message"] and message["message"]["type"] == "ENTITY_CREATE_V2":
            for process in entities([message], "spark_process"):
                asked = process["attributes"]["remoteUser"]
                assert process["customAttributes"]["user"] == message["message"]["user"] == asked
                assert process["attributes"]["currUser"] == message["msgCreatedBy"]
                told.add(asked)
    assert told == {"jane@example.com", "joe", "carol", "dave"}
