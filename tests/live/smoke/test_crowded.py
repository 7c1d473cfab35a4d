"""Drivers that the hook shares with others: its messages are what they are without them, and the others work on."""

from __future__ import annotations

import json
import os
import zipfile
from collections import Counter
from pathlib import Path

import pyspark
import pytest

import sac_kafka
from stack import compiling, jars
from stack.java import find_java
from tests.helpers.processes import ROOT
from tests.live.smoke.expected import EXPECTED, messages_below
from tests.unit.launch.starting import Ran, configure, python, run

pytestmark = pytest.mark.spark

JOB = ROOT / "tests" / "live" / "smoke" / "smoke_job.py"
COMPILED = ROOT / "build" / "crowd"
SCALA = "2.12" if pyspark.__version__.startswith("3.") else "2.13"


def run_as_usual(work: Path, *options: str, bare: bool = False, **variables: str) -> Ran:
    """Run the smoke job with options of spark-submit; its messages are the usual ones, without a warning in the log."""
    if options:
        variables["PYSPARK_SUBMIT_ARGS"] = " ".join((*options, "pyspark-shell"))
    ran = run(python(str(JOB), str(work), *["bare"][: int(bare)]), work, **variables)
    assert ran.status == 0, ran.log
    assert ran.warnings == []
    report = json.loads((work / "report.json").read_text())
    assert (report["flushed"], report["rows"], report["errors"], report["listener"]) == (True, 3, {}, {})
    assert messages_below(work, pyspark.__version__) == EXPECTED
    return ran


@pytest.mark.exhaustive
def test_plugins_and_listeners_of_users(tmp_path: Path) -> None:
    class_path = os.pathsep.join(map(str, (Path(pyspark.__file__).parent / "jars").glob("*.jar")))
    classes = compiling.compiled(
        "the crowd",
        [Path(__file__).with_name("Crowd.java")],
        COMPILED,
        java=find_java().path,
        class_path=class_path,
        kind=f"{pyspark.__version__}-",
    )
    run_as_usual(
        tmp_path,
        f"--driver-class-path {classes}",
        f"--driver-java-options -Dcrowd.file={tmp_path}/crowd",
        "--conf spark.plugins=sackafkatest.Crowd$Plugin",
        "--conf spark.extraListeners=sackafkatest.Crowd$Bus",
        "--conf spark.sql.queryExecutionListeners=sackafkatest.Crowd$Queries",
    )
    saw = Counter((tmp_path / "crowd").read_text().split())
    assert (saw["plugin"], saw["end"]) == (1, 1)
    assert min(saw["execution"], saw["query"]) >= 3, saw


@pytest.mark.exhaustive
def test_settings_in_the_conf_directory_of_spark(tmp_path: Path) -> None:
    conf, atlas = tmp_path / "conf", tmp_path / "atlas"
    conf.mkdir()
    atlas.mkdir()
    configure(atlas, client_type="console", hook_spool_dir=f"{tmp_path}/spool")
    (conf / "spark-defaults.conf").write_text(
        f"spark.driver.extraJavaOptions -Datlas.conf={atlas}\n"
        "spark.atlas.client.type file\n"
        f"spark.atlas.client.file.path   {tmp_path}/messages.jsonl\n"
    )
    run_as_usual(tmp_path, bare=True, SPARK_CONF_DIR=str(conf))


@pytest.mark.exhaustive
def test_two_copies_one_installed_and_one_on_the_path(tmp_path: Path) -> None:
    """The .pth is that of the installed copy; files of --py-files come before it on the path."""
    copy = tmp_path / "sac_kafka.zip"
    package = Path(sac_kafka.__file__).parent
    with zipfile.ZipFile(copy, "w") as file:
        for each in package.rglob("*"):
            if each.is_file() and "__pycache__" not in each.parts:
                file.write(each, Path(package.name) / each.relative_to(package))
    settings = tmp_path / "settings"
    path = os.pathsep.join((str(copy), str(settings), str(ROOT)))
    ran = run_as_usual(tmp_path, f"--py-files {copy}", PYTHONPATH=path, SAC_KAFKA_AUTO="1")
    assert json.loads((tmp_path / "report.json").read_text())["package"].startswith(str(copy)), ran.log


@pytest.mark.nightly
def test_the_listener_of_openlineage(tmp_path: Path) -> None:
    events = tmp_path / "openlineage.jsonl"
    run_as_usual(
        tmp_path,
        f"--driver-class-path {jars.provide(f'openlineage-{SCALA}-1.53.0').class_path}",
        "--conf spark.extraListeners=io.openlineage.spark.agent.OpenLineageSparkListener",
        "--conf spark.openlineage.transport.type=file",
        f"--conf spark.openlineage.transport.location={events}",
        "--conf spark.openlineage.namespace=test",
    )
    complete = [each for each in map(json.loads, events.read_text().splitlines()) if each["eventType"] == "COMPLETE"]
    written = {output["name"].rpartition("/")[2] for each in complete for output in each["outputs"]}
    assert {"orders", "customers", "report"} <= {name.rpartition(".")[2] for name in written}
