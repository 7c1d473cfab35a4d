"""The driver's services for transports, in a driver without Spark's Kafka connector."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

import sac_kafka
from sac_kafka.spark.driver import JvmDriver
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.client import Failed
from tests.live.spark.drivers import hook_conf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_missing_connector_is_reported(spark: SparkSession) -> None:
    assert JvmDriver(spark.sparkContext).has_kafka_producer() is False


def test_there_is_no_kerberos_login(spark: SparkSession) -> None:
    assert JvmDriver(spark.sparkContext).kerberos_login() == KerberosLogin()


def test_a_job_is_named_by_local_properties_of_its_thread(spark: SparkSession, tmp_path: Path) -> None:
    context = spark.sparkContext
    local_properties = {
        "spark.databricks.notebook.path": "/Users/me/load -> orders",
        "spark.databricks.job.id": "42",
        "user": "me",
    }
    for key, value in local_properties.items():
        context.setLocalProperty(key, value)
    try:
        properties = JvmDriver(context).thread_properties
    finally:
        for key in local_properties:
            context.setLocalProperty(key, None)  # type: ignore[arg-type] # it takes the property away
    assert {key: properties.get(key) for key in local_properties} == local_properties
    assert "user" not in JvmDriver(context).thread_properties


def test_before_its_first_job_a_session_is_of_the_notebook_that_its_thread_has_named_since(spark: SparkSession) -> None:
    context = spark.sparkContext
    context.setLocalProperty("spark.databricks.workspaceUrl", "adb-1.2.example.net")
    hook = sac_kafka.attach(spark, client_type="memory", metadata_namespace="x")
    try:
        session = spark.newSession()
        session.sql("select 1")
        context.setLocalProperty("spark.databricks.notebook.path", "/Users/me/first")
        session.sql("create temporary view of_the_notebook as select 1 as id")
        hook.flush()
        assert hook._attachment.parts is not None
        attribution = hook._attachment.parts.worker._source._events.load_actions().attribution
        known = session._jsparkSession.sessionUUID()  # type: ignore[attr-defined] # PySpark's own
        assert attribution.application_of(known).job == "/Users/me/first"
    finally:
        hook.detach()
        for key in ("spark.databricks.workspaceUrl", "spark.databricks.notebook.path"):
            context.setLocalProperty(key, None)  # type: ignore[arg-type] # it takes the property away


def test_kerberos_without_the_connector_is_one_error(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {
        **hook_conf(
            tmp_path, client_type="kafka", kafka_bootstrap_servers="localhost:1", kafka_sasl_mechanism="GSSAPI"
        ),
        "spark.atlas.kafka.security.protocol": "SASL_PLAINTEXT",
    }
    for key, value in settings.items():
        spark.conf.set(key, value)
    hook = sac_kafka.attach(spark)
    for key in settings:
        spark.conf.unset(key)
    disabled = hook.stats()["disabled"]
    assert "is not on the driver's class path; add --packages org.apache.spark:spark-sql-kafka-0-10_2.1" in disabled
    assert "<" not in disabled
    assert [record.message for record in caplog.records if disabled in record.message] != []


def test_a_client_is_created_again_after_the_context_has_stopped(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = JvmDriver(spark.sparkContext)
    monkeypatch.setattr(spark.sparkContext, "_jsc", None)  # as SparkContext.stop leaves it; the JVM lives on
    client = driver.kafka_client({"bootstrap.servers": "localhost:1"})
    client.produce(1, "T", None, b"v")
    (failed,) = client.poll(0)
    assert isinstance(failed, Failed)
    assert failed.name == "JvmClientError"  # it came as far as compiling, which here lacks Kafka
