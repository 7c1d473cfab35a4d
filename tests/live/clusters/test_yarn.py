"""Jobs on a real YARN, mostly in cluster mode, with a broker over SASL_SSL."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from stack.properties import atlas_properties
from stack.yarn import Yarn, application_of
from tests.helpers import jvm
from tests.helpers.broker import Broker
from tests.helpers.messages import entities, names, validated
from tests.helpers.spooled import kept
from tests.helpers.waiting import until
from tests.live.clusters.submitting import ORDERS, Packed, Submitted, clean, log_of, start, wait
from tests.live.jobs.test_unharmed import sasl_ssl
from tests.live.server.server_job import PATIENT
from tests.unit.launch.building import CLASS, main_jar
from tests.unit.launch.starting import reported_in

pytestmark = pytest.mark.yarn

FILE_NAME = "atlas-application.properties"
WITHIN_SECONDS = 600.0


class Cluster:
    """What the tests of this file do with YARN: each its own folder, lake and topic."""

    def __init__(self, yarn: Yarn, packed: Packed, broker: Broker, work: Path) -> None:
        self.yarn, self.packed, self.broker, self.work = yarn, packed, broker, work
        self.topic = f"hook-{work.name}"
        self.lake = work / "lake"
        self.lake.mkdir()
        broker.create_topic(self.topic)

    @property
    def spool(self) -> Path:
        return self.work / "spool"

    def job(self, *arguments: str) -> list[str]:
        """Return the job, which knows nothing of the hook, with its lake."""
        return [str(ORDERS), str(self.lake), *arguments]

    def files(self, name: str = FILE_NAME, **changes: str) -> str:
        """Write the configuration next to its certificate; return the list for `--files`."""
        settings = sasl_ssl(self.broker) | {
            "atlas.notification.hook.topic.name": self.topic,
            "atlas.kafka.ssl.truststore.location": "ca.pem",  # in the same folder of the container
            "atlas.hook.spool.dir": str(self.spool),
            **PATIENT,
        }
        (self.work / name).write_text(atlas_properties(settings | changes))
        (self.work / "ca.pem").write_bytes(self.broker.sasl_ssl.ca_file.read_bytes())
        return f"{self.work / name},{self.work / 'ca.pem'}"

    def start(
        self,
        job: Sequence[str],
        *options: str,
        files: str,
        conf: Mapping[str, str] | None = None,
        mode: str = "cluster",
        cwd: str = ".",
    ) -> subprocess.Popen[bytes]:
        own = {
            "spark.yarn.appMasterEnv.SAC_KAFKA_AUTO": "1",
            "spark.yarn.jars": f"local:{clean()['SPARK_HOME']}/jars/*",  # nothing to upload
            "spark.yarn.stagingDir": str(self.work / "staging"),
            "spark.yarn.maxAppAttempts": "1",
            "spark.yarn.report.interval": "200ms",
            "spark.driver.memoryOverhead": "200m",
            "spark.executor.memoryOverhead": "200m",
            "spark.driver.extraJavaOptions": f"{jvm.OPTIONS} -Datlas.conf=./",
        }
        environment = [f"--archives={self.packed.archive}#env", "--conf=spark.pyspark.python=./env/bin/python"]
        return start(
            ["--master=yarn", f"--deploy-mode={mode}", f"--files={files}", *environment, *options],
            [*job],
            conf=own | dict(conf or {}),
            work=self.work / cwd,
            variables={**self.yarn.environment, "SAC_KAFKA_AUTO": "1"},  # the latter for client mode alone
        )

    def run(self, job: Sequence[str], *options: str, **more: Any) -> Submitted:
        return wait(self.start(job, *options, **more), self.work / more.get("cwd", "."))

    def driver_log(self, application: str, attempt: int = 1) -> str:
        """Return the output of an attempt's driver, Spark's lines and the job's (YARN has it in the container's stdout)."""
        logs = [log for name in ("stderr", "stdout") for log in self.yarn.container_logs(application, name)]
        return "".join(each.read_text() for each in logs if f"_{attempt:02}_000001" in each.parent.name)

    def arrived(self) -> list[dict[str, Any]]:
        return validated(self.broker.read_all(self.topic))

    def written(self) -> list[str]:
        """Return what the processes that have arrived write, in order, by the last part of its path."""
        return [output(name) for message in self.arrived() for name in sorted(names([message], "spark_process"))]


def output(process: str) -> str:
    """Return the last part of the path that a process writes, by its qualifiedName."""
    return next(part for part in ("orders", "totals", "report") if f"/lake/{part}" in process.partition("<-")[0])


@pytest.fixture
def cluster(yarn: Yarn, packed: Packed, broker: Broker, tmp_path: Path) -> Cluster:
    return Cluster(yarn, packed, broker, tmp_path)


def test_an_unchanged_job_in_cluster_mode_has_its_lineage(cluster: Cluster) -> None:
    ran = cluster.run(cluster.job(), files=cluster.files())
    assert ran.status == 0, ran.log
    assert cluster.written() == ["orders", "totals", "report"], cluster.driver_log(ran.application)
    assert names(cluster.arrived(), "spark_application") == {"orders@test"}
    log, output = (cluster.yarn.container_logs(ran.application, name)[0].read_text() for name in ("stderr", "stdout"))
    assert (output, reported_in(log)) == ("", ["attached", "ended"]), log
    assert "driver Python on yarn in cluster mode" in log


@pytest.mark.exhaustive
def test_with_the_runner_it_has_the_same(cluster: Cluster) -> None:
    ran = cluster.run(
        [cluster.packed.runner, ORDERS.name, str(cluster.lake)],
        files=f"{cluster.files(**{'atlas.hook.spool.dir': './spool'})},{ORDERS}",
        conf={"spark.yarn.appMasterEnv.SAC_KAFKA_AUTO": ""},
    )
    assert ran.status == 0, ran.log
    assert cluster.written() == ["orders", "totals", "report"], cluster.driver_log(ran.application)
    assert names(cluster.arrived(), "spark_application") == {"orders@test"}
    assert "atlas.hook.spool.dir = ./spool: YARN removes it with the application" in cluster.driver_log(ran.application)


@pytest.mark.exhaustive
def test_a_main_in_java_has_its_lineage_too(cluster: Cluster) -> None:
    jar = main_jar(cluster.work)
    ran = cluster.run(
        [cluster.packed.runner, "--class", CLASS, jar.name, str(cluster.lake), "stop"],
        files=f"{cluster.files()},{jar}",
        conf={"spark.yarn.appMasterEnv.SAC_KAFKA_AUTO": ""},
    )
    assert ran.status == 0, ran.log
    (process,) = names(cluster.arrived(), "spark_process")
    assert process.startswith(f"java-main:file:{cluster.lake}/out:"), cluster.driver_log(ran.application)


@pytest.mark.exhaustive
def test_in_client_mode_the_file_is_found_where_it_was_submitted_from(cluster: Cluster) -> None:
    conf = {"spark.driver.extraJavaOptions": jvm.OPTIONS, "spark.pyspark.driver.python": str(cluster.packed.python)}
    (cluster.work / "elsewhere").mkdir()
    files = cluster.files(**{"atlas.kafka.ssl.truststore.location": str(cluster.work / "ca.pem")})
    ran = cluster.run(cluster.job(), files=files, conf=conf, mode="client", cwd="elsewhere")
    assert ran.status == 0, ran.log
    assert cluster.written() == ["orders", "totals", "report"], ran.log


@pytest.mark.exhaustive
def test_a_second_attempt_repeats_the_messages(cluster: Cluster) -> None:
    ran = cluster.run(cluster.job("fails-once"), files=cluster.files(), conf={"spark.yarn.maxAppAttempts": "2"})
    assert ran.status == 0, ran.log
    assert "the job's own error, in its first attempt" in cluster.driver_log(ran.application)
    messages = cluster.arrived()
    of_attempt = {attempt: [m for m in messages if attempts([m]) == {attempt}] for attempt in ("1", "2")}
    assert len(messages) == sum(map(len, of_attempt.values())), "a message of both, or of none"
    first, second = (names(each, "spark_process") for each in of_attempt.values())
    assert [sorted(map(output, each)) for each in (first, second)] == [
        ["orders", "totals"],
        ["orders", "report", "totals"],
    ]
    assert first < second, "what the attempts have in common is the same process"
    for kind in ("spark_application", "fs_path", "avro_schema", "avro_field", "spark_column_lineage"):
        both = [{name for name in names(of_attempt[each], kind) if "report" not in name} for each in ("1", "2")]
        assert not both[1] - both[0], f"{kind}: a second one of the same thing"


@pytest.mark.exhaustive
def test_a_file_of_a_wrong_name_is_one_warning_and_the_job_runs(cluster: Cluster) -> None:
    files = cluster.files("atlas-aplication.properties")
    ran = cluster.run(cluster.job(), files=files, conf={"spark.driver.extraJavaOptions": jvm.OPTIONS})
    assert ran.status == 0, ran.log
    assert (cluster.lake / "report" / "_SUCCESS").exists()
    assert cluster.arrived() == []
    log = cluster.driver_log(ran.application)
    ours = [line for line in log.splitlines() if "lineage" in line or "atlas" in line.lower()]
    assert len(ours) == 1, log
    assert "not attached, the job runs on without lineage: no atlas-application.properties was found" in ours[0]


def test_acknowledged_and_spooled_messages_survive_a_kill(cluster: Cluster) -> None:
    files = cluster.files(**{"atlas.hook.spark.durability": "spool-first"})
    process = cluster.start(cluster.job("waits"), files=files)
    try:
        until((cluster.lake / "written").exists, seconds=WITHIN_SECONDS)
        until(lambda: len(cluster.arrived()) == 2, seconds=WITHIN_SECONDS)
        cluster.broker.kill()
        try:
            (cluster.lake / "go").touch()
            all_written = cluster.lake / "all-written"
            until(lambda: all_written.exists() and all_written.read_text(), seconds=WITHIN_SECONDS)
            until(lambda: len(kept(cluster.spool)) >= 1, seconds=WITHIN_SECONDS)
            application = application_of(log_of(cluster.work).read_text())
            assert application is not None
            cluster.yarn.kill_application(application)
            driver = int(all_written.read_text())
            # Before there is a broker again, which would still get its messages.
            until(lambda: not runs(driver), seconds=WITHIN_SECONDS)
        finally:
            cluster.broker.restart()
    finally:
        wait(process, cluster.work)
    report = cluster.yarn.wait_for_end(application, 600)
    assert (report["State"], report["Final-State"]) == ("KILLED", "KILLED")
    assert cluster.written() == ["orders", "totals"]
    certificate = f"atlas.kafka.ssl.truststore.location={cluster.work / 'ca.pem'}"
    cluster.packed.run("spool", "replay", "--conf-dir", cluster.work, "--conf", certificate)
    assert cluster.written() == ["orders", "totals", "report"]


def attempts(messages: list[dict[str, Any]]) -> set[str]:
    return {e["customAttributes"]["attempt"] for e in entities(messages, "spark_application")}


def runs(pid: int) -> bool:
    """Return whether a process runs, and is not only an entry in the table."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False
