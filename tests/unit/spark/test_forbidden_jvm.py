"""Attaching without access to the driver's JVM: Spark Connect, serverless, shared compute of Databricks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import sac_kafka
from sac_kafka.spark.java_errors import refusal
from tests.helpers.hostile import fault

REFUSED = (
    "An error occurred while calling o241.{called}. Trace:\n"
    "py4j.security.Py4JSecurityException: {what} is not whitelisted{on}\n"
    "\tat py4j.security.WhitelistingPy4JSecurityManager.checkCall(WhitelistingPy4JSecurityManager.java:473)\n"
    "\tat py4j.Gateway.invoke(Gateway.java:294)\n\tat java.lang.Thread.run(Thread.java:748)\n\n"
)
"""Py4J's error in a shared cluster of Databricks."""
SC = REFUSED.format(
    called="sc",
    what="Method public org.apache.spark.SparkContext org.apache.spark.api.java.JavaSparkContext.sc()",
    on=" on class class org.apache.spark.api.java.JavaSparkContext",
)
DEDICATED = "use compute whose access mode is Dedicated, neither Standard nor serverless"


class Py4JError(Exception):
    """As `py4j.protocol.Py4JError`."""


def _refuse() -> Any:
    raise Py4JError(SC)


def test_restricted_py4j_logs_one_line_with_the_fix(caplog: pytest.LogCaptureFixture) -> None:
    context = SimpleNamespace(_jsc=SimpleNamespace(sc=_refuse))
    hook = sac_kafka.attach(context)  # type: ignore[arg-type] # the part that `attach` uses
    reason = (
        f"{DEDICATED}: this one does not let Python access the driver's JVM (org.apache.spark.api.java.JavaSparkContext.sc is "
        "not allowed there)"
    )
    assert hook.stats()["disabled"] == reason
    assert caplog.messages == [f"not attached, the job runs on without lineage: {reason}"]
    assert hook.stats()["errors"] == {}


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (SC, "org.apache.spark.api.java.JavaSparkContext.sc"),
        (
            REFUSED.format(
                called="None.x",
                what="Constructor public org.apache.spark.ml.feature.VectorAssembler(java.lang.String)",
                on="",
            ),
            "org.apache.spark.ml.feature.VectorAssembler",
        ),
        (SC.replace("whitelisted", "allowlisted"), "org.apache.spark.api.java.JavaSparkContext.sc"),
        ("An error occurred while calling o1.sc. Trace:\npy4j.Py4JException: Method sc([]) does not exist", None),
        ("connection refused", None),
    ],
)
def test_only_a_refusal_is_one(text: str, refused: str | None) -> None:
    error = refusal(Py4JError(text))
    assert (error is None) == (refused is None)
    assert refused is None or f"({refused} is not allowed there)" in str(error)


class _MeasuredError(Py4JError):
    """An error whose text counts the steps of reading it."""

    def __str__(self) -> str:
        return self.args[0]


@pytest.mark.parametrize("unit", ["Method a", "a(", "y", "\n", "a.B: c\n", "a."])
@pytest.mark.parametrize(
    "head", ["Method ", "Constructor x(", "x\n", "x\npy4j.security.Py4JSecurityException: ", "x\njava.lang.NoSuch"]
)
def test_a_hostile_error_takes_linear_time(head: str, unit: str) -> None:
    assert fault(lambda text: refusal(_MeasuredError(text)), head, unit) is None


@pytest.mark.parametrize(
    ("runtime", "fix"), [(None, "attach in the driver, where the Connect server runs"), ("17.3", DEDICATED)]
)
def test_connect_session_logs_where_to_attach(
    runtime: str | None, fix: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class PySparkAttributeError(AttributeError):
        """As PySpark's; Databricks' may be no AttributeError."""

    class PySparkNotImplementedError(Exception):
        """As PySpark's."""

    class SparkSession:
        """As `pyspark.sql.connect.session.SparkSession`."""

        __module__ = "pyspark.sql.connect.session"
        error: type[Exception] = PySparkAttributeError

        def __getattr__(self, name: str) -> Any:
            raise self.error(
                f"[JVM_ATTRIBUTE_NOT_SUPPORTED] Attribute `{name}` is not supported in Spark Connect as it depends on the JVM."
            )

    if runtime is None:
        monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
    else:
        monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", runtime)
    reason = f"{fix}: a session of Spark Connect (pyspark.sql.connect.session.SparkSession) has no driver JVM in this process"
    for error in (PySparkAttributeError, PySparkNotImplementedError):
        monkeypatch.setattr(SparkSession, "error", error)
        caplog.clear()
        assert sac_kafka.attach(SparkSession()).stats()["disabled"] == reason  # type: ignore[arg-type]
        assert caplog.messages == [f"not attached, the job runs on without lineage: {reason}"]
