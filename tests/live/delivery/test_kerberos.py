"""GSSAPI through the driver's own Kafka client, against a real KDC: keytab and ticket, in each form of configuration.

One real Spark driver runs the same job for each `atlas-application.properties`; what arrives is what a file gets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stack import jars
from stack.kafka import KafkaBroker
from stack.kdc import LOGIN_MODULE, Kdc
from stack.properties import login_module
from stack.server_properties import PLAIN_LOGIN_MODULE
from tests.helpers.broker import LocalBroker
from tests.helpers.messages import messages_in, validated, without_run
from tests.live.jobs.running import Ran, run, write_conf

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.exhaustive]
pyspark = pytest.importorskip("pyspark")

CONNECTOR = {"3": "spark-kafka-3.5.7", "4": "spark-kafka-4.1.1"}[pyspark.__version__[0]]
OWN_CLIENT = "messages go through the driver's own Kafka client"

DELIVERED = (
    "text-keytab",
    "text-ticket",
    "section-keytab",
    "section-ticket",
    "indexed-section",
    "drivers-ticket",
    "client-jvm",
)
REFUSED = {
    "stale": "the keytab's key is not, or is no longer, the principal's",
    "no-keytab": "the keytab cannot be read, or has no key for the principal",
    "no-ticket": "there is no valid Kerberos ticket",
}


@dataclass(frozen=True)
class Realm:
    kdc: Kdc
    broker: KafkaBroker


@pytest.fixture(scope="module")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    work = tmp_path_factory.mktemp("realm")
    with (
        Kdc(work / "kdc", stale=("stale",), tickets=("client",)) as kdc,
        KafkaBroker(work / "kafka", listeners=(kdc.listener(),), java_options=kdc.java_options) as kafka,
    ):
        yield Realm(kdc, kafka)


def section(name: str, options: Mapping[str, str]) -> dict[str, str]:
    return {
        f"atlas.jaas.{name}.loginModuleName": LOGIN_MODULE,
        f"atlas.jaas.{name}.loginModuleControlFlag": "required",
        **{f"atlas.jaas.{name}.option.{option}": value for option, value in options.items()},
    }


def text(options: Mapping[str, str]) -> dict[str, str]:
    return {
        "atlas.kafka.sasl.mechanism": "GSSAPI",
        "atlas.kafka.sasl.jaas.config": login_module(LOGIN_MODULE, options),
    }


def logins(realm: Realm) -> dict[str, dict[str, str]]:
    """Return the part of each file that says how to log in."""
    kdc, kafka = realm.kdc, realm.broker
    keytab, ticket = kdc.keytab_options("client"), kdc.ticket_options("client")
    plain = {"username": kafka.credentials.username, "password": kafka.credentials.password}
    return {
        "text-keytab": text(keytab),
        "text-ticket": text(ticket),
        # As Atlas' own documentation writes it for its hooks
        "section-keytab": section("KafkaClient", keytab | {"serviceName": "kafka"}),
        "section-ticket": section("KafkaClient", ticket) | {"atlas.kafka.sasl.kerberos.service.name": "kafka"},
        "indexed-section": section("KafkaClient.0", keytab),
        "drivers-ticket": {},  # of kinit, which the environment of the driver names
        "client-jvm": {
            "atlas.hook.spark.kafka.client": "jvm",
            "atlas.kafka.bootstrap.servers": kafka.bootstrap("SASL_SSL"),
            "atlas.kafka.security.protocol": "SASL_SSL",
            "atlas.kafka.sasl.mechanism": "PLAIN",
            "atlas.kafka.sasl.jaas.config": login_module(PLAIN_LOGIN_MODULE, plain),
            "atlas.kafka.ssl.truststore.type": "PEM",
            "atlas.kafka.ssl.truststore.location": str(kafka.ca_file),
        },
        "stale": text(kdc.keytab_options("stale")),
        "no-keytab": text(keytab | {"keyTab": str(kdc.work / "nowhere.keytab")}),
        "no-ticket": section("KafkaClient", ticket | {"ticketCache": str(kdc.work / "nowhere.ccache")}),
    }


@dataclass(frozen=True)
class Job:
    ran: Ran
    reports: Mapping[str, dict[str, Any]]
    work: Path


@pytest.fixture(scope="module")
def job(realm: Realm, tmp_path_factory: pytest.TempPathFactory) -> Job:
    work = tmp_path_factory.mktemp("kerberos-job")
    to_file = {"atlas.client.type": "file", "atlas.client.file.path": str(work / "messages.jsonl")}
    folders = []
    for name, login in {"file": to_file, **logins(realm)}.items():
        realm.broker.create_topic(name)
        properties = {
            "atlas.metadata.namespace": "test",
            "atlas.notification.hook.topic.name": name,
            "atlas.hook.spool.dir": str(work / "spool" / name),
            "atlas.kafka.bootstrap.servers": realm.broker.bootstrap("KERBEROS"),
            "atlas.kafka.security.protocol": "SASL_PLAINTEXT",
            **login,
        }
        folders.append(write_conf(work / "conf" / name, properties))
    connector = jars.provide(CONNECTOR).class_path.replace(":", ",")
    options = realm.kdc.java_options
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRB5CCNAME", str(realm.kdc.ticket_cache("client")))
        ran = run("listeners_job", str(work), *map(str, folders), conf=folders[0], java_options=options, jars=connector)
    assert ran.status == 0, ran.log[-5000:]
    lines = [json.loads(line) for line in ran.output.splitlines()]
    return Job(ran, {line["conf"]: line for line in lines}, work)


@pytest.mark.parametrize("name", DELIVERED)
def test_kafka_gets_the_messages_that_a_file_gets(job: Job, realm: Realm, name: str) -> None:
    assert job.reports[name]["disabled"] is None, job.ran.log
    assert job.reports[name]["problem"] is None
    expected = [without_run(message) for message in messages_in(job.work / "messages.jsonl")]
    arrived = [without_run(message) for message in validated(LocalBroker(realm.broker).read_all(name))]
    assert len(expected) > 0
    assert arrived == expected


@pytest.mark.parametrize("name", REFUSED)
def test_a_failed_login_is_one_sentence_and_the_messages_are_kept(job: Job, realm: Realm, name: str) -> None:
    reports = job.reports[name]
    assert REFUSED[name] in reports["problem"]
    assert "\n" not in reports["problem"]
    assert reports["messages"]["delivered"] == 0
    assert reports["messages"]["spooled"] > 0
    assert LocalBroker(realm.broker).read_all(name) == []


def test_the_log_has_the_client_and_the_reason(job: Job) -> None:
    assert len(re.findall(f"{OWN_CLIENT}: .*GSSAPI", job.ran.log)) == len(DELIVERED) + len(REFUSED) - 1
    assert "jaas" not in "".join(line for line in job.ran.log.splitlines() if OWN_CLIENT in line)


def test_passwords_are_in_no_log(job: Job, realm: Realm) -> None:
    password = realm.broker.credentials.password
    assert password not in job.ran.log + job.ran.output
    kept = [file for file in (job.work / "spool").rglob("*") if file.is_file()]
    assert [file for file in kept if password.encode() in file.read_bytes()] == []


@pytest.mark.nightly
def test_the_login_file_of_the_jvm_is_a_login(realm: Realm, tmp_path: Path) -> None:
    login = tmp_path / "login.conf"
    entry = login_module(LOGIN_MODULE, realm.kdc.keytab_options("client") | {"serviceName": "kafka"})
    login.write_text(f"KafkaClient {{\n  {entry}\n}};\n")
    reports = one_driver(realm, tmp_path, "login-file", [f"-Djava.security.auth.login.config={login}"])
    assert (reports["disabled"], reports["problem"]) == (None, None)
    assert len(LocalBroker(realm.broker).read_all("login-file")) > 0


@pytest.mark.nightly
def test_the_keytab_of_spark_is_a_login(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keytab = realm.kdc.keytab("client")
    lines = f"spark.kerberos.keytab {keytab}\nspark.kerberos.principal {realm.kdc.name('client')}\n"
    (tmp_path / "spark-defaults.conf").write_text(lines)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    reports = one_driver(realm, tmp_path, "sparks-keytab", [])
    assert (reports["disabled"], reports["problem"]) == (None, None)
    assert len(LocalBroker(realm.broker).read_all("sparks-keytab")) > 0


def one_driver(realm: Realm, work: Path, topic: str, java_options: Sequence[str]) -> dict[str, Any]:
    """Run the job with a file without a login; return the report of the hook at its end."""
    realm.broker.create_topic(topic)
    properties = {
        "atlas.metadata.namespace": "test",
        "atlas.notification.hook.topic.name": topic,
        "atlas.hook.spool.dir": str(work / "spool"),
        "atlas.kafka.bootstrap.servers": realm.broker.bootstrap("KERBEROS"),
        "atlas.kafka.security.protocol": "SASL_PLAINTEXT",
    }
    conf = write_conf(work / "conf", properties)
    connector = jars.provide(CONNECTOR).class_path.replace(":", ",")
    options = [*realm.kdc.java_options, *java_options]
    ran = run("listeners_job", str(work), str(conf), conf=conf, java_options=options, jars=connector)
    assert ran.status == 0, ran.log[-5000:]
    return json.loads(ran.output.splitlines()[-1])
