"""Write the spark-submit commands for a packed environment on YARN, from the configuration and the Spark of this machine."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.settings import Settings
from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.settings.files.jaas import JaasEntry, parse, section_entry
from sac_kafka.settings.sinks import ClientType
from sac_kafka.spark.installation import Installation
from sac_kafka.spark.java_classes import driver_archive
from sac_kafka.spark.versions import kafka_connector
from sac_kafka.tools.cli.configured import Configured
from sac_kafka.tools.cli.jar import LISTENER
from sac_kafka.transport.kafka.settings.checking import protocol_of
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings

ALIAS = "env"
"""Folder in the working directory of each container into which the archive is unpacked."""
CLUSTER, CLIENT = "cluster", "client"
_SHIPPED_PYTHON = f"./{ALIAS}/bin/python"
_CLIENT_JAR = "kafka-clients-*.jar"
_PLATFORM_JARS = (
    "/opt/cloudera/parcels/CDH/jars",
    "/usr/hdp/current/kafka-broker/libs",
    "/usr/lib/kafka/libs",
    "/opt/kafka/libs",
)
"""Folders in which platforms have Kafka's Java client."""
_FILES = re.compile(
    r"atlas\.(kafka\.ssl\.(truststore|keystore)\.location"
    r"|hook\.spark\.((rest|entra)\.ca|entra\.certificate|purview\.mapping)\.file)"
)
"""Settings with files that the driver reads; a keytab is sent by spark-submit's own option."""


@dataclass(frozen=True, slots=True)
class KafkaJars:
    """Where the driver gets Kafka's Java client from: a jar of the platform, or Maven coordinates; "" for nowhere."""

    jar: str = ""
    coordinates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What the commands depend on.

    `python` is the interpreter for drivers on this machine; `configured` and `spark` are None without one here.
    """

    archive: Path
    python: Path
    mode: str = CLUSTER
    configured: Configured | None = None
    spark: Installation | None = None

    @property
    def is_cluster(self) -> bool:
        """Whether the driver runs in a container."""
        return self.mode == CLUSTER

    @property
    def settings(self) -> Settings | None:
        """The settings."""
        return None if self.configured is None else self.configured.settings

    @property
    def file(self) -> str | None:
        """The path of the file with the settings; None without one."""
        found = None if self.configured is None else self.configured.configuration.found
        return None if found is None else found.path


def python_command(submission: Submission) -> tuple[str, ...]:
    """Return the command of a Python job, one part per line."""
    jars = kafka_jars(submission)
    variable = () if submission.is_cluster else ("SAC_KAFKA_AUTO=1 ",)
    driver = () if submission.is_cluster else (_conf("spark.pyspark.driver.python", str(submission.python)),)
    switch = (_conf("spark.yarn.appMasterEnv.SAC_KAFKA_AUTO", "1"),) if submission.is_cluster else ()
    return (
        *_start(submission, "".join(variable)),
        *_kafka(jars, ()),
        *_kerberos(submission),
        *driver,
        _conf("spark.pyspark.python", _SHIPPED_PYTHON),
        *switch,
        "JOB.py",
    )


def java_command(submission: Submission) -> tuple[str, ...]:
    """Return the same of a main in Scala or Java, whose driver starts a Python; Spark ships its own PySpark."""
    return (
        *_start(submission),
        *_kafka(kafka_jars(submission), (str(driver_archive()),)),
        *_kerberos(submission),
        f"--conf spark.extraListeners={LISTENER}",
        _conf("spark.atlas.hook.spark.python", _SHIPPED_PYTHON if submission.is_cluster else str(submission.python)),
        "--conf spark.yarn.isPython=true",
        "--class MAIN JOB.jar",
    )


def kafka_jars(submission: Submission) -> KafkaJars:
    """Return what the driver needs to have Kafka's Java client: nothing if the settings do not require it, or Spark has it."""
    if not _needs_java(submission.settings) or (
        submission.spark is not None and any((submission.spark.home / "jars").glob(_CLIENT_JAR))
    ):
        return KafkaJars()
    found = [each for folder in _PLATFORM_JARS for each in sorted(Path(folder).glob(_CLIENT_JAR))]
    if found:
        return KafkaJars(jar=str(found[0]))
    if submission.spark is None or submission.spark.scala is None:
        return KafkaJars(coordinates="org.apache.spark:spark-sql-kafka-0-10_SCALA:SPARK")
    return KafkaJars(coordinates=kafka_connector(submission.spark.version, submission.spark.scala))


def notes(submission: Submission) -> Iterator[str]:
    """Yield what the commands leave to the reader."""
    coordinates = kafka_jars(submission).coordinates
    if coordinates.endswith(":SPARK"):
        yield "SCALA and SPARK are the versions of the cluster's Spark, for example 2.12 and 3.5.1."
    if coordinates:
        yield f"Without Maven, instead of --packages: --jars with the platform's {_CLIENT_JAR} (2.8 or newer)."
    if submission.is_cluster and _is_kerberos(submission.settings) and _keytab(submission.settings) is None:
        yield "PRINCIPAL and KEYTAB log the driver in to Kafka: a ticket of kinit does not reach the cluster."


def _start(submission: Submission, variables: str = "") -> Iterator[str]:
    shipped = dict(_files_to_ship(submission)) if submission.is_cluster else {}
    yield f"{variables}spark-submit --master yarn --deploy-mode {submission.mode}"
    yield f"--archives {shlex.quote(str(submission.archive))}#{ALIAS}"
    yield f"--files {','.join(map(_quote_path, (_file(submission), *shipped.values())))}"
    yield from (_conf(f"spark.{key}", _name(each)) for key, each in shipped.items())


def _file(submission: Submission) -> str:
    """Return the file of the configuration, under the name that the driver looks for."""
    if submission.file is None:
        return FILE_NAME
    return submission.file if Path(submission.file).name == FILE_NAME else f"{submission.file}#{FILE_NAME}"


def _files_to_ship(submission: Submission) -> Iterator[tuple[str, str]]:
    """Yield each setting that names a file of this machine, and the entry of `--files`; names in the container differ."""
    if submission.configured is None or submission.file is None:
        return
    names = {FILE_NAME}
    folders = (Path(), Path(submission.file).parent)
    for key, value in sorted(submission.configured.configuration.values.items()):
        found = next((folder / value for folder in folders if (folder / value).is_file()), None)
        if _FILES.fullmatch(key) and value and found is not None:
            name = found.name if found.name not in names else f"{len(names)}-{found.name}"
            names.add(name)
            yield key, str(found) if name == found.name else f"{found}#{name}"


def _quote_path(entry: str) -> str:
    """Quote the path of an entry, and not the name behind it."""
    path, mark, name = entry.partition("#")
    return f"{shlex.quote(path)}{mark}{name}"


def _name(entry: str) -> str:
    return entry.rpartition("#")[2] if "#" in entry else Path(entry).name


def _kafka(jars: KafkaJars, others: tuple[str, ...]) -> Iterator[str]:
    if listed := [*others, *filter(None, (jars.jar,))]:
        yield f"--jars {','.join(map(shlex.quote, listed))}"
    if jars.coordinates:
        yield f"--packages {jars.coordinates}"


def _kerberos(submission: Submission) -> Iterator[str]:
    """Yield the keytab of a driver in a container, which has no ticket; one on this machine logs in as the file says."""
    if submission.is_cluster and _is_kerberos(submission.settings):
        principal, keytab = _keytab(submission.settings) or ("PRINCIPAL", "KEYTAB")
        yield f"--principal {shlex.quote(principal)} --keytab {shlex.quote(keytab)}"


def _conf(key: str, value: str) -> str:
    return f"--conf {shlex.quote(f'{key}={value}')}"


# ---- what the settings require


def _needs_java(settings: Settings | None) -> bool:
    if settings is None or settings.sink.client_type is not ClientType.KAFKA:
        return False
    try:
        librdkafka_settings(settings, None)
    except NeedsJvmClientError:
        return True
    except ConfigurationError:
        return False
    return False


def _is_kerberos(settings: Settings | None) -> bool:
    if settings is None or settings.sink.client_type is not ClientType.KAFKA:
        return False
    properties: Mapping[str, str] = settings.kafka.properties
    is_sasl = protocol_of(properties).startswith("SASL_")
    return is_sasl and properties.get("sasl.mechanism", "").strip().upper() in ("", "GSSAPI")


def _keytab(settings: Settings | None) -> tuple[str, str] | None:
    """Return principal and keytab of the login; None if it has none, or a principal for each host."""
    entry = None if settings is None else _login(settings)
    principal, keytab = (entry.options.get(name, "") if entry else "" for name in ("principal", "keyTab"))
    is_of_a_host = settings is not None and any("/_HOST@" in jaa for jaa in settings.kafka.jaas.values())
    return (principal, keytab) if principal and keytab and not is_of_a_host else None


def _login(settings: Settings) -> JaasEntry | None:
    text = settings.kafka.properties.get("sasl.jaas.config", "")
    try:
        return parse(text) if text else section_entry(settings.kafka.jaas)
    except ConfigurationError:
        return None  # the driver reports it
