"""`--doctor` of the runner without Spark: a fake driver, and one that rejects the listener."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import pytest

from sac_kafka.deadlines import Deadline
from sac_kafka.errors import AttachError, ConfigurationError
from sac_kafka.tools.cli import runner
from sac_kafka.tools.cli.output import print_masked
from sac_kafka.tools.doctor import doctor_in_driver
from sac_kafka.tools.doctor.doctor_in_driver import findings
from sac_kafka.transport.driver import StoreContents
from tests.helpers.fake_driver import FakeDriver
from tests.helpers.secret_search import used

PASSWORD = used("password-of-the-store")
CONF = {"spark.atlas.client.type": "memory", "spark.atlas.metadata.namespace": "dev"}


class Driver(FakeDriver):
    """A fake driver with a JVM of this version and Java's own error messages about key stores."""

    java = "17.0.15"

    def system_property(self, name: str) -> str | None:  # type: ignore[override]
        return {"java.version": self.java, "java.home": "/usr/lib/jvm"}.get(name)

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        raise ConfigurationError("keystore password was incorrect; correct its password")


def steps(driver: FakeDriver, *, sends: bool = False) -> list[tuple[str, str, str]]:
    found = findings(driver, Deadline(60), sends=sends)
    return [(each.verdict.value, each.name, each.text) for each in found]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)


def test_working_driver_passes_every_step() -> None:
    driver = Driver(CONF)
    found = steps(driver, sends=True)
    names = [
        "java",
        "spark",
        "python",
        "packages",
        "listener",
        "kafka-clients",
        "connector",
        "configuration",
        "sink",
        "names",
    ]
    assert [name for _, name, _ in found] == [*names, "spool", "send"]
    assert {verdict for verdict, _, _ in found} <= {"ok", "-", "warn"}
    assert found[0] == ("ok", "java", "Java 17.0.15 (the driver's, /usr/lib/jvm)")
    assert found[1] == ("ok", "spark", "Spark 4.3.0 (application local-1)")
    assert driver.listener.is_detached
    assert found[-1][2].startswith("skipped: every message to memory")


def test_rejected_listener_is_reported_and_the_other_steps_run() -> None:
    refused = Driver(CONF, fails={"listen": AttachError("put janino-*.jar on the driver's class path")})
    found = {name: (verdict, text) for verdict, name, text in steps(refused)}
    assert found["listener"][0] == "FAIL"
    assert found["listener"][1].startswith("put janino-*.jar on the driver's class path; docs/drivers.md")
    assert found["sink"] == ("ok", "memory")


def test_listener_of_an_old_spark_is_not_tried() -> None:
    driver = Driver(CONF, spark_version="3.3.4")
    found = steps(driver)
    assert found[1] == ("FAIL", "spark", "Spark 3.3.4 (application local-1) is too old: use Spark 3.5 to 4.3")
    assert "listener" not in [name for _, name, _ in found]
    assert "listen" not in driver.calls


def test_a_java_that_this_spark_does_not_start_with() -> None:
    driver = Driver(CONF)
    driver.java = "1.8.0_402"
    assert steps(driver)[0] == (
        "FAIL",
        "java",
        "Java 1.8.0_402 (the driver's, /usr/lib/jvm): Spark 4.3 needs Java 17 or newer; set JAVA_HOME",
    )


def test_a_key_store_is_read_by_the_driver(tmp_path: Path) -> None:
    (tmp_path / "trust.jks").write_bytes(b"\xfe\xed\xfe\xed" + bytes(40))
    kafka = {
        "bootstrap.servers": "127.0.0.1:1",
        "security.protocol": "SSL",
        "ssl.truststore.location": str(tmp_path / "trust.jks"),
        "ssl.truststore.password": PASSWORD,
    }
    conf = {"spark.atlas.metadata.namespace": "dev", **{f"spark.atlas.kafka.{key}": kafka[key] for key in kafka}}
    found = steps(Driver(conf))
    assert found[-1][:2] == ("FAIL", "configuration")
    assert "trust.jks (JKS): keystore password was incorrect; correct its password" in found[-1][2]
    assert PASSWORD not in str(found)


def test_closed_pipe_is_no_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run(parsed: argparse.Namespace) -> int:
        assert parsed.send
        print_masked("ok    java")
        return 0

    monkeypatch.setattr(doctor_in_driver, "run", run)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        assert runner.main(["--doctor", "--send"]) == 141
    assert capsys.readouterr().err == ""
