"""Run the checks of `sac-kafka doctor` inside a Spark driver, for `--doctor` of the runner."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from urllib.parse import unquote

from sac_kafka.deadlines import Deadline, within
from sac_kafka.errors import SacKafkaError
from sac_kafka.hook.session_settings import find_configuration
from sac_kafka.plan.specification import specification
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.spark.listener import GoneError, ListenerSettings
from sac_kafka.spark.port import SparkDriver
from sac_kafka.spark.versions import numbers
from sac_kafka.tools.cli.configured import configured_by
from sac_kafka.tools.cli.doctor import report
from sac_kafka.tools.doctor.checks import run_checks
from sac_kafka.tools.doctor.connector_checks import NAME, findings_of
from sac_kafka.tools.doctor.environment_checks import (
    java_finding,
    packages_finding,
    python_finding,
    spark_finding,
)
from sac_kafka.transport.diagnostics.findings import Finding, Verdict

_LISTEN_SECONDS = 10.0
_CONNECTOR = "com/hortonworks/spark/atlas/SparkAtlasEventTracker.class"
_SHOWN = 300


def run(arguments: argparse.Namespace) -> int:
    """Start a Spark application without a job, run all checks in it and return the exit status."""
    from sac_kafka.launch.context import driver_of_context

    with ExitStack() as undo:
        try:
            driver = undo.enter_context(driver_of_context())
        except Exception as error:  # noqa: BLE001 any reason why Spark does not start is a finding
            why = str(error).strip().splitlines() or [""]
            text = f"Spark does not start here: {type(error).__name__}: {why[0][:_SHOWN]}; start a job without the hook first"
            return report([Finding(Verdict.WRONG, "spark", text)], is_json=arguments.json)
        deadline = Deadline(arguments.timeout)
        return report(findings(driver, deadline, sends=arguments.send), is_json=arguments.json)


def findings(driver: SparkDriver, deadline: Deadline, *, sends: bool) -> Iterator[Finding]:
    """Check the driver, then everything that its configuration refers to."""
    session = driver.session()
    spark = numbers(session.spark_version)
    java, home = (driver.system_property(name) or "" for name in ("java.version", "java.home"))
    yield java_finding(java, f"the driver's, {home}", spark)
    version = spark_finding(session.spark_version, f"application {session.application_id}")
    yield version
    yield python_finding(spark)
    yield packages_finding()
    if version.verdict is not Verdict.WRONG:
        yield listener_finding(driver, deadline.left(_LISTEN_SECONDS))
    yield _java_client(driver)
    yield from connector_findings(driver, session.conf)
    yield from run_checks(
        lambda doubt: configured_by(find_configuration(driver, session, {}), doubt), deadline, driver, sends=sends
    )


def listener_finding(driver: SparkDriver, timeout_seconds: float) -> Finding:
    """Load the hook's listener into the driver, start and detach it."""
    began = time.monotonic()
    settings = ListenerSettings(literals=False, bounds=DriverBounds(), looks_up_catalog=False)
    try:
        listener = within(timeout_seconds, lambda: driver.listen(specification(), settings))
        listener.detach()
    except GoneError as error:
        return Finding(Verdict.WRONG, "listener", f"the driver's JVM is gone: {error}")
    except SacKafkaError as error:
        return Finding(Verdict.WRONG, "listener", f"{error}; docs/drivers.md says which drivers refuse it")
    took_ms = (time.monotonic() - began) * 1000
    how = "precompiled" if listener.compiled_because is None else "compiled by the driver's Janino"
    return Finding(Verdict.GOOD, "listener", f"{how}, attached to the listener bus and detached: {took_ms:.0f} ms")


def connector_findings(driver: SparkDriver, conf: Mapping[str, str]) -> Iterator[Finding]:
    """Check a running driver: its configuration and its class path."""
    found = driver.class_path_resource(_CONNECTOR)
    jars = [] if found is None else [unquote(found.path).removeprefix("jar:").removeprefix("file:").partition("!")[0]]
    findings = [*findings_of(conf, jars, {})]
    yield from findings or [Finding(Verdict.GOOD, NAME, "no listener and no jar of the Spark Atlas Connector here")]


def _java_client(driver: SparkDriver) -> Finding:
    if driver.has_kafka_producer():
        return Finding(Verdict.GOOD, "kafka-clients", "Kafka's Java client is on the driver's class path")
    text = "not on the driver's class path; only what librdkafka cannot do (Kerberos) needs it"
    return Finding(Verdict.SKIPPED, "kafka-clients", text)
