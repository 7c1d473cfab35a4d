"""The procedure of docs/from-sac.md, run as it stands by a shell, on a Spark with the listeners of the Spark Atlas Connector."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply
from tests.project.docs.blocks import ROOT, blocks
from tests.project.docs.commands import Shown, missing, shown
from tests.unit.launch.building import main_jar
from tests.unit.launch.starting import JOBS, PATIENT, TIMEOUT_SECONDS, spark_program, variables

pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

PAGE = ROOT / "docs" / "from-sac.md"
BEFORE = ROOT / "tests" / "fixtures" / "sac" / "before.jsonl"
LISTENER = "com.hortonworks.spark.atlas.SparkAtlasEventTracker"
STREAMS = "com.hortonworks.spark.atlas.SparkAtlasStreamingQueryEventTracker"
LISTENERS = f"""spark.extraListeners {LISTENER}
spark.sql.queryExecutionListeners={LISTENER}
spark.sql.streaming.streamingQueryListeners {STREAMS}
"""
CONNECTOR = """atlas.client.type=kafka
atlas.kafka.bootstrap.servers=127.0.0.1:1
atlas.cluster.name=prod
atlas.spark.enabled=true
atlas.spark.column.enabled=false
atlas.blockQueue.size=10000
atlas.blockQueue.putTimeout.ms=3000
atlas.client.checkModelInStart=false
atlas.notification.hook.asynchronous=true
"""
JOB = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.range(3).write.mode("overwrite").parquet("orders")
spark.read.parquet("orders").selectExpr("id + 1 as next").write.mode("overwrite").parquet("report")
print("done")
"""


@dataclass(frozen=True)
class Host:
    """A host that submits jobs: its folder, and the environment of its shell."""

    work: Path
    environment: dict[str, str]

    @property
    def defaults(self) -> Path:
        return Path(self.environment["SPARK_CONF_DIR"], "spark-defaults.conf")

    def shell(self, command: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.work,
            env=self.environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )


@pytest.fixture
def host(tmp_path: Path) -> Host:
    environment = variables(tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, command in {
        "sac-kafka": f'{sys.executable} -m sac_kafka.tools.cli.main "$@"',
        "spark-submit": f'{spark_program("spark-submit")} "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\nexec {command}\n")
        (programs / name).chmod(0o755)
    host = Host(tmp_path, environment | {"PATH": f"{programs}{os.pathsep}{environment['PATH']}"})
    jar = main_jar(tmp_path, JOBS / "SparkAtlasEventTracker.java").rename(tmp_path / "spark-atlas-connector-old.jar")
    with host.defaults.open("a") as file:
        file.write(f"{LISTENERS}spark.lineage.enabled=true\nspark.jars {jar}\n")
    patient = "".join(f"atlas.{key.replace('_', '.')}={value}\n" for key, value in PATIENT.items())
    spool = f"atlas.hook.spool.dir={tmp_path / 'spool'}\n"
    (tmp_path / "atlas-application.properties").write_text(CONNECTOR + spool + patient)
    (tmp_path / "job.py").write_text(JOB)
    shutil.copy(BEFORE, tmp_path / "before.jsonl")
    return host


def steps(language: str) -> Iterator[Shown]:
    """Yield the commands of the page's blocks that this test runs."""
    for block in blocks(PAGE):
        if block.mark and block.mark.argument.endswith("test_from_sac.py") and block.language == language:
            yield from shown(block.text, is_console=True) if language == "console" else [Shown(block.text)]


@pytest.mark.exhaustive
def test_the_page_leads_to_a_driver_with_one_listener(host: Host) -> None:
    for each in steps("console"):
        done = host.shell(each.command)
        print(each.command, done.stdout)
        assert done.returncode in (0, 1), done.stdout
        assert missing(each, done.stdout) == []
    kinds = {
        entity["typeName"]
        for line in (host.work / "after.jsonl").read_text().splitlines()
        for entity in json.loads(line)["message"].get("entities", {}).get("entities", ())
    }
    assert "spark_process" in kinds
    assert "spark_column_lineage" not in kinds, "the connector's switch for columns"
    assert "hortonworks" not in host.defaults.read_text()
    assert LISTENERS in host.defaults.with_name("spark-defaults.conf.connector").read_text()
    spooled = host.shell("sac-kafka spool show").stdout
    assert "report" in spooled, "the last job is the hook's, whose broker is not there"


def test_messages_of_the_connector_are_read(host: Host) -> None:
    done = host.shell("sac-kafka show before.jsonl")
    assert "sales.report" in done.stdout
    assert "application_1764230000000_0042" in host.shell("sac-kafka tail before.jsonl").stdout


@pytest.mark.exhaustive
def test_driver_with_both_has_one_warning(host: Host) -> None:
    done = host.shell("spark-submit job.py", SAC_KAFKA_AUTO="1")
    assert "done" in done.stdout
    lines = [line for line in done.stdout.splitlines() if "the Spark Atlas Connector" in line]
    assert len([line for line in lines if "runs in this driver as well" in line]) == 1, done.stdout
    assert f"spark.extraListeners = {LISTENER}; spark.sql.queryExecutionListeners = {LISTENER}" in done.stdout


def test_job_that_keeps_the_keys_without_the_jar_dies_as_the_page_says(host: Host) -> None:
    (host.work / "spark-atlas-connector-old.jar").unlink()
    done = host.shell("spark-submit job.py", SAC_KAFKA_AUTO="0")
    assert done.returncode != 0
    assert "Exception when registering SparkListener" in done.stdout
    assert "Exception when registering SparkListener" in PAGE.read_text("utf-8")


OLD = {f"application_176423{number}_0001": f"guid-{number}" for number in range(3)}


class Atlas(LoopbackServer):
    """Answers the search, and remembers what is deleted."""

    def __init__(self) -> None:
        super().__init__()
        self.deleted: list[str] = []
        self.searches: list[dict[str, object]] = []

    def reply(self, request: HttpRequest) -> Reply:
        if request.method == "DELETE":
            self.deleted.append(request.path.rpartition("/")[2])
            return 200, {}, b"{}"
        self.searches.append(json.loads(request.body))
        found = [
            {"typeName": "spark_process", "attributes": {"qualifiedName": n}, "guid": g, "status": "ACTIVE"}
            for n, g in [*OLD.items(), ("application_logs:sales.logs:0123456789abcdef@prod", "guid-new")]
        ]
        return 200, {}, json.dumps({"entities": found}, separators=(",", ":")).encode()


def test_old_processes_are_searched_and_deleted(host: Host) -> None:
    with Atlas() as atlas:
        for each in steps("sh"):
            done = host.shell(each.command, LOGIN="admin:admin", ATLAS=atlas.address)
            assert done.returncode == 0, done.stdout
    (search,) = atlas.searches
    assert search["typeName"] == "spark_process"
    assert search["entityFilters"] == {
        "attributeName": "qualifiedName",
        "operator": "startsWith",
        "attributeValue": "application_",
    }
    assert atlas.deleted == [*OLD.values()]
