"""Drivers that forbid what the hook needs: one warning with the fix, and the job runs on."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

import pyspark

import sac_kafka
from sac_kafka.spark import java_classes, listener
from tests.helpers.processes import environment
from tests.live.spark.sleeper import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

REFUSED = "py4j.security.Py4JSecurityException: Method {}() is not whitelisted on class class java.lang.Class"


@contextmanager
def allow_list_without(spark: SparkSession, *methods: str) -> Iterator[None]:
    """Answer calls of these methods as a Py4J with an allow-list does: with a text, without an object."""
    client = spark.sparkContext._gateway._gateway_client  # type: ignore[union-attr]
    send = client.send_command

    def send_command(command: str, retry: bool = True, binary: bool = False) -> Any:
        kind, _, method, *_ = (*command.split("\n"), "", "")
        if kind != "c" or method not in methods:
            return send(command, retry=retry, binary=binary)
        answer = f"xs{REFUSED.format(method)}\\n\\tat py4j.Gateway.invoke(Gateway.java:305)\\n"
        return (answer, None) if binary else answer

    client.send_command = send_command
    try:
        yield
    finally:
        del client.send_command


MANAGER = """
package sackafkatest;

public class Forbidding extends SecurityManager {
  public static volatile String forbidden;

  public void checkPermission(java.security.Permission permission) {
    if (forbidden == null) return;
    StackTraceElement[] stack = new Throwable().getStackTrace();
    for (int i = 0; i < stack.length; i++) {
      // Spark compiles, too: that is its own affair.
      if (stack[i].getClassName().indexOf("CodeGenerator") >= 0) return;
      if (stack[i].getClassName().startsWith(forbidden)) {
        throw new java.security.AccessControlException("access denied " + permission);
      }
    }
  }

  public void checkPermission(java.security.Permission permission, Object context) {
    checkPermission(permission);
  }
}
"""


@contextmanager
def forbidden_to(spark: SparkSession, classes: str) -> Iterator[None]:
    """Whatever needs a permission is forbidden where a class whose name begins so is among the callers."""
    jvm = spark.sparkContext._jvm
    java_class = compiled(spark, MANAGER, "sackafkatest.Forbidding")
    field = java_class.getField("forbidden")
    try:
        jvm.java.lang.System.setSecurityManager(java_class.newInstance())  # type: ignore[union-attr]
    except Exception as e:  # noqa: BLE001 as Py4J wraps it
        pytest.skip(f"this Java has no SecurityManager, or sets none at run time: {e}")
    field.set(None, classes)
    try:
        yield
    finally:
        field.set(None, None)
        jvm.java.lang.System.setSecurityManager(None)  # type: ignore[union-attr]


@pytest.fixture
def refused(
    spark: SparkSession, work: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], str]:
    """Attaches where that is refused, as the first one of its JVM; a job runs on. Gives the one line that is logged."""
    monkeypatch.setattr(listener, "_LOADED", {})

    def attached_and_run() -> str:
        with caplog.at_level(logging.INFO, "sac_kafka"):
            hook = sac_kafka.attach(spark, client_type="memory")
            spark.range(3).write.mode("overwrite").parquet(f"{work}/out")
            assert spark.read.parquet(f"{work}/out").count() == 3
            assert not hook.flush(1)
            hook.detach()
        (record,) = (each for each in caplog.records if each.name == "sac_kafka")
        assert record.levelno == logging.WARNING
        assert hook.stats()["disabled"] in record.message
        assert hook.stats()["errors"] == {}
        return record.message

    return attached_and_run


@pytest.mark.parametrize("method", ["getClassLoader", "applicationId", "getResource", "newInstance", "call", "start"])
def test_a_py4j_allowlist_is_one_warning(method: str, spark: SparkSession, refused: Callable[[], str]) -> None:
    with allow_list_without(spark, method):
        printed = refused()
    assert "use compute whose access mode is Dedicated" in printed
    assert f"({method} is not allowed there)" in printed


def test_a_forbidden_compiler_is_one_warning(
    spark: SparkSession, refused: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java_classes, "archive", Path)
    with allow_list_without(spark, "cook"):
        assert "(cook is not allowed there)" in refused()


@pytest.mark.parametrize("classes", ["org.codehaus.janino.SimpleCompiler", "sackafka."], ids=["compiling", "listening"])
def test_a_security_manager_is_one_warning(
    classes: str, spark: SparkSession, refused: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "janino" in classes:
        monkeypatch.setattr(java_classes, "archive", Path)
    with forbidden_to(spark, classes):
        printed = refused()
    assert "start the driver without -Djava.security.manager, or grant " in printed


WITHOUT_COMPILER = """
import logging, sys
logging.basicConfig(format="%(name)s: %(message)s", stream=sys.stdout)
from tests.helpers.sessions import local_session
import sac_kafka
spark = local_session("no compiler", sys.argv[1])
hook = sac_kafka.attach(spark, client_type="memory", metadata_namespace="test", hook_spool_dir=sys.argv[1] + "/spool")
print("sum", spark.sparkContext.parallelize(range(5), 2).sum())
print("attached" if hook.flush(60) else hook)
spark.stop()
"""


@pytest.mark.exhaustive
def test_sparks_compiler_is_not_needed(tmp_path: Path) -> None:
    home = tmp_path / "spark"
    own = Path(pyspark.__file__).parent
    (home / "jars").mkdir(parents=True)
    (home / "bin").symlink_to(own / "bin")
    for jar in (own / "jars").iterdir():
        if not jar.name.startswith(("janino-", "commons-compiler-")):
            (home / "jars" / jar.name).symlink_to(jar)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER, str(tmp_path)],
        env=environment(SPARK_HOME=str(home)) | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["sum 10", "attached"], done.stdout
