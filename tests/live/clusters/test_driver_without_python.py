"""A main in Java by the jar and its setting alone: wherever its driver runs, the lineage is that of the job in PySpark.

What docs/drivers.md shows to a reader is run here.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.tools.cli.yarn_submission import Submission, java_command
from stack.properties import atlas_properties
from stack.standalone import Standalone, spark_home
from stack.yarn import Yarn
from tests.helpers.processes import pythons_below
from tests.helpers.waiting import until
from tests.live.clusters.submitting import Packed, Submitted, sent_in, start, to_file, wait
from tests.unit.launch.building import main_jar
from tests.unit.launch.starting import reported_in

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.yarn

ATTACH = "spark.atlas.hook.spark.attach.timeout.seconds"
PYTHON = "spark.atlas.hook.spark.python"
CLASS = "com.example.Orders"
PRINTED = "three writes\n"
BOTH = ["attached", "ended"]
OPENED = ("java.lang", "java.lang.invoke", "java.net", "java.nio", "java.util", "java.util.concurrent", "sun.nio.ch")
"""What Spark 3.5 needs of Java 17, and does not ask for where a worker starts the driver."""


class Main:
    """Submits the main as a user does; the hook's messages come into a file of the work folder."""

    def __init__(self, packed: Packed, lake: Path, work: Path) -> None:
        self.packed, self.work, self.hook = packed, work, to_file(work)
        self.job = [str(main_jar(work, Path(__file__).with_name("Orders.java"))), str(lake)]

    def configure(self) -> None:
        """Have the settings in a file, but for the one that the driver itself reads."""
        settings = {key.removeprefix("spark."): value for key, value in self.hook.items()}
        (self.work / FILE_NAME).write_text(atlas_properties(settings))
        self.hook = {ATTACH: self.hook[ATTACH]}

    def run(
        self, *options: str, status: str = "", variables: Mapping[str, str] | None = None, **conf: str
    ) -> Submitted:
        own = ["--jars", self.packed.run("jar").strip(), "--class", CLASS]
        named = {"spark.extraListeners": self.packed.run("jar", "--key").strip(), PYTHON: str(self.packed.python)}
        job = [*self.job, *([status] if status else [])]
        process = start([*options, *own], job, conf=self.hook | named | conf, work=self.work, variables=variables or {})
        return wait(process, self.work)


@pytest.fixture
def main(packed: Packed, lake: Path, tmp_path: Path) -> Main:
    return Main(packed, lake, tmp_path)


def assert_as_in_pyspark(main: Main, locally: list[object], where: Path) -> None:
    """The same messages, and the Python of a driver that ran below `where` is gone."""
    assert without_place(sent_in(main.work)) == without_place(locally)
    until(lambda: [*pythons_below(where)] == [], lambda: "a Python is left")


def without_place(message: object) -> object:
    """A message, or a part of one, without what says where the driver ran."""
    if isinstance(message, dict):
        return {k: without_place(v) for k, v in message.items() if k not in ("attempt", "details", "msgSourceIP")}
    return [without_place(each) for each in message] if isinstance(message, list) else message


@pytest.mark.exhaustive
@pytest.mark.parametrize("cluster", [None, "standalone"])
def test_in_client_mode(cluster: str | None, main: Main, locally: list[object], request: pytest.FixtureRequest) -> None:
    master = "local-cluster[2,1,1024]" if cluster is None else request.getfixturevalue(cluster).master
    ran = main.run("--master", master, status="7", **{"spark.cores.max": "1", "spark.driver.host": "127.0.0.1"})

    assert (ran.status, ran.log.count(PRINTED), reported_in(ran.log)) == (7, 1, BOTH), ran.log
    assert_as_in_pyspark(main, locally, main.work)


@pytest.mark.exhaustive
def test_in_a_driver_that_a_cluster_of_spark_starts(main: Main, locally: list[object], standalone: Standalone) -> None:
    main.configure()
    options = [f"-Datlas.conf={main.work}"]
    if pyspark.__version__.startswith("3."):
        options += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    conf = {"spark.cores.max": "1", "spark.standalone.submit.waitAppCompletion": "true"}
    of_the_driver = ("--deploy-mode", "cluster", "--driver-java-options", " ".join(options))
    ran = main.run("--master", standalone.master, *of_the_driver, **conf)

    (folder,) = (standalone.work / "executors").glob("driver-*")
    log = (folder / "stderr").read_text()
    assert (ran.status, (folder / "stdout").read_text(), reported_in(log)) == (0, PRINTED, BOTH), log
    assert_as_in_pyspark(main, locally, standalone.work)


@pytest.mark.exhaustive
def test_in_client_mode_of_yarn(main: Main, locally: list[object], yarn: Yarn) -> None:
    ran = main.run("--master=yarn", status="7", variables=yarn.environment, **of_yarn(main))

    assert (ran.status, ran.log.count(PRINTED), reported_in(ran.log)) == (7, 1, BOTH), ran.log
    assert_as_in_pyspark(main, locally, main.work)


def test_in_cluster_mode_of_yarn(main: Main, locally: list[object], yarn: Yarn) -> None:
    """By the command that `sac-kafka pack` prints: containers have Spark's jars alone, and no PySpark but what Spark ships."""
    main.configure()
    printed = shlex.split(" ".join(java_command(Submission(archive=main.packed.archive, python=Path(sys.executable)))))
    options = [*printed[1 : printed.index("--class")], "--class", CLASS]
    ran = wait(
        start(options, main.job, conf=main.hook | of_yarn(main), work=main.work, variables=yarn.environment), main.work
    )

    log, output = (yarn.container_logs(ran.application, name)[0].read_text() for name in ("stderr", "stdout"))
    assert (ran.status, output, reported_in(log)) == (0, PRINTED, BOTH), log
    assert "driver JVM (by the jar) on yarn in cluster mode" in log
    assert_as_in_pyspark(main, locally, yarn.work)


def of_yarn(main: Main) -> dict[str, str]:
    (main.work / "libraries").symlink_to(spark_home() / "jars")
    return {
        "spark.yarn.jars": f"local:{main.work}/libraries/*",  # nothing to upload, and not in SPARK_HOME
        "spark.yarn.stagingDir": str(main.work / "staging"),
        "spark.yarn.maxAppAttempts": "1",
        "spark.yarn.report.interval": "200ms",
        "spark.driver.memoryOverhead": "200m",
        "spark.executor.memoryOverhead": "200m",
    }
