"""Every way of security that a Kafka listener has, through a real Spark job that an atlas-application.properties configures.

What arrives is what the same job writes with `atlas.client.type=file`.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stack.java import find_java
from stack.kafka import CONNECTION_STRING_USER, KafkaBroker, generated_passwords
from stack.key_stores import KeyStores, make_key_stores
from stack.listeners import ALL
from stack.properties import login_module
from tests.helpers.broker import LocalBroker
from tests.helpers.messages import messages_in, validated, without_run
from tests.helpers.secret_search import used
from tests.helpers.token_server import CLIENT_ID, TokenServer
from tests.live.jobs.running import Ran, run, write_conf

pyspark = pytest.importorskip("pyspark")
pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.exhaustive]

SECURITY = "org.apache.kafka.common.security"
PLAIN = f"{SECURITY}.plain.PlainLoginModule"
SCRAM = f"{SECURITY}.scram.ScramLoginModule"
OAUTH = f"{SECURITY}.oauthbearer.OAuthBearerLoginModule"
HANDLER = f"{SECURITY}.oauthbearer.secured.OAuthBearerLoginCallbackHandler"
KEY_PASSWORD = used("of-the-key-alone")
STORE_PASSWORD = used("of-the-whole-store")

MICROSOFT = """\
atlas.client.type=kafka
atlas.kafka.sasl.mechanism=PLAIN
atlas.kafka.security.protocol=SASL_SSL
atlas.kafka.bootstrap.servers=BOOTSTRAP
atlas.kafka.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
username="$ConnectionString" password="CONNECTION_STRING";
"""
"""The file of Microsoft's page for the Spark Atlas Connector: only the two words in capitals are replaced."""
MICROSOFT_TOPIC = "ATLAS_HOOK"


@dataclass(frozen=True)
class Access:
    """All that settings of a client are made of."""

    kafka: KafkaBroker
    stores: KeyStores
    tokens: TokenServer
    folder: Path

    def trust(self, kind: str = "PEM") -> dict[str, str]:
        if kind == "PEM":
            return {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(self.kafka.ca_file)}
        return {
            "ssl.truststore.type": kind,
            "ssl.truststore.location": str(self.stores.trust(kind)),
            "ssl.truststore.password": self.stores.password,
        }

    def key(self, kind: str) -> dict[str, str]:
        if kind == "PEM":
            location = self.kafka.certificates.key_store("client")
            return {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(location)}
        password = {} if kind == "PKCS12" else {"ssl.key.password": self.stores.key_password}
        return {
            "ssl.keystore.type": kind,
            "ssl.keystore.location": str(self.stores.key(kind)),
            "ssl.keystore.password": self.stores.password,
            **password,
        }

    def login(self, mechanism: str, user: str) -> dict[str, str]:
        options = {"username": user, "password": self.kafka.passwords[user]}
        module = PLAIN if mechanism == "PLAIN" else SCRAM
        return {"sasl.mechanism": mechanism, "sasl.jaas.config": login_module(module, options)}

    def token(self) -> dict[str, str]:
        options = {"clientId": CLIENT_ID, "clientSecret": self.tokens.client_secret, "scope": "produce"}
        return {
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.login.callback.handler.class": HANDLER,
            "sasl.oauthbearer.token.endpoint.url": self.tokens.token_url,
            "sasl.jaas.config": login_module(OAUTH, options),
        }

    def token_file(self) -> dict[str, str]:
        file = self.folder / "token.key"
        file.write_text(self.tokens.token())
        return {
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.login.callback.handler.class": HANDLER,
            "sasl.oauthbearer.token.endpoint.url": f"file://{file}",
            "sasl.jaas.config": f"{OAUTH} required;",
        }


@dataclass(frozen=True)
class Row:
    """A listener, and what a client sets for it: under `atlas.kafka.`, and elsewhere."""

    listener: str
    protocol: str
    kafka: Callable[[Access], Mapping[str, str]] = lambda access: {}
    other: Callable[[Access], Mapping[str, str]] = lambda access: {}


def section(access: Access) -> dict[str, str]:
    return {
        "atlas.jaas.KafkaClient.loginModuleName": SCRAM,
        "atlas.jaas.KafkaClient.loginModuleControlFlag": "required",
        "atlas.jaas.KafkaClient.option.username": "alice",
        "atlas.jaas.KafkaClient.option.password": access.kafka.passwords["alice"],
    }


def stored(access: Access) -> dict[str, str]:
    """No password in the file: those of the trust store and of the login are in a Hadoop credential store."""
    path = f"jceks://file{access.folder}/store.jceks"
    return {
        "atlas.enableTLS": "true",
        "cert.stores.credential.provider.path": path,
        "hadoop.security.credential.provider.path": path,
        "atlas.jaas.KafkaClient.loginModuleName": SCRAM,
        "atlas.jaas.KafkaClient.option.username": "alice",
        "atlas.jaas.KafkaClient.option.password": "********",
    }


def trust_without_password(access: Access) -> dict[str, str]:
    return {"ssl.truststore.location": str(access.stores.trust("PKCS12")), "sasl.mechanism": "SCRAM-SHA-256"}


ROWS: dict[str, Row] = {
    "plaintext": Row("PLAINTEXT", "PLAINTEXT"),
    "ssl": Row("TLS", "SSL", lambda a: a.trust()),
    "ssl-pkcs12": Row("TLS", "SSL", lambda a: a.trust("PKCS12")),
    "mutual-pem": Row("MUTUAL", "SSL", lambda a: a.trust() | a.key("PEM")),
    "mutual-jks": Row("MUTUAL", "SSL", lambda a: a.trust("JKS") | a.key("JKS")),
    "mutual-jceks": Row("MUTUAL", "SSL", lambda a: a.trust("JCEKS") | a.key("JCEKS")),
    "mutual-pkcs12": Row("MUTUAL", "SSL", lambda a: a.trust("PKCS12") | a.key("PKCS12")),
    "sasl-plaintext-plain": Row("LOGIN", "SASL_PLAINTEXT", lambda a: a.login("PLAIN", CONNECTION_STRING_USER)),
    "sasl-plaintext-scram-512": Row("LOGIN", "SASL_PLAINTEXT", lambda a: {"sasl.mechanism": "SCRAM-SHA-512"}, section),
    "sasl-ssl-plain": Row("SASL_SSL", "SASL_SSL", lambda a: a.trust() | a.login("PLAIN", CONNECTION_STRING_USER)),
    "sasl-ssl-scram-256": Row("SECURE_LOGIN", "SASL_SSL", lambda a: a.trust("JKS") | a.login("SCRAM-SHA-256", "alice")),
    "sasl-ssl-scram-512": Row("SECURE_LOGIN", "SASL_SSL", lambda a: a.trust() | a.login("SCRAM-SHA-512", "alice")),
    "sasl-ssl-credential-store": Row("SECURE_LOGIN", "SASL_SSL", trust_without_password, stored),
    "sasl-plaintext-oauthbearer-file": Row("LOGIN", "SASL_PLAINTEXT", lambda a: a.token_file()),
    "sasl-ssl-oauthbearer": Row("SECURE_LOGIN", "SASL_SSL", lambda a: a.trust() | a.token()),
}


@dataclass(frozen=True)
class Ended:
    """What the job has left behind."""

    ran: Ran
    kafka: LocalBroker
    expected: list[Any]

    def arrived(self, topic: str) -> list[Any]:
        return [without_run(message) for message in validated(self.kafka.read_all(topic))]


@pytest.fixture(scope="module")
def access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Access]:
    folder = tmp_path_factory.mktemp("listeners")
    passwords = {name: used(password) for name, password in generated_passwords().items()}
    with TokenServer() as tokens:
        used(tokens.client_secret)
        issuer = tokens.issuer_for_brokers
        with KafkaBroker(folder / "kafka", listeners=ALL, tokens=issuer, passwords=passwords) as kafka:
            stores = make_key_stores(kafka.certificates, folder / "stores", STORE_PASSWORD, KEY_PASSWORD)
            store_password(folder, "truststore.password", STORE_PASSWORD)
            store_password(folder, "atlas.jaas.KafkaClient.option.password", passwords["alice"])
            yield Access(kafka, stores, tokens, folder)


def store_password(folder: Path, alias: str, password: str) -> None:
    """As an administrator does, by the class behind `hadoop credential create`."""
    shell = "org.apache.hadoop.security.alias.CredentialShell"
    arguments = ["create", alias, "-value", password, "-provider", f"jceks://file{folder}/store.jceks"]
    jars = Path(pyspark.__file__).with_name("jars")
    command = [str(find_java().path), "-cp", f"{jars}/*", shell, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert "has been successfully created" in done.stdout, done.stdout + done.stderr


@pytest.fixture(scope="module")
def ended(access: Access, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """The job, run with each configuration; the file of Microsoft's page finds the CA where a public one would be."""
    work = tmp_path_factory.mktemp("job")
    file = work / "messages.jsonl"
    folders = [write_conf(work / "conf" / "file", {"atlas.client.type": "file", "atlas.client.file.path": str(file)})]
    for name, row in ROWS.items():
        access.kafka.create_topic(name)
        folders.append(write_conf(work / "conf" / name, properties(access, name, row, work)))
    access.kafka.create_topic(MICROSOFT_TOPIC)
    folders.append(work / "conf" / "microsoft")
    folders[-1].mkdir()
    (folders[-1] / "atlas-application.properties").write_text(microsoft(access))
    trusted = [
        f"-Djavax.net.ssl.trustStore={access.stores.trust('PKCS12')}",
        f"-Djavax.net.ssl.trustStorePassword={access.stores.password}",
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(work))  # where an unconfigured hook keeps its state
        ran = run("listeners_job", str(work), *map(str, folders), conf=folders[0], java_options=trusted)
    assert ran.status == 0, ran.log
    return Ended(ran, LocalBroker(access.kafka), [without_run(message) for message in messages_in(file)])


def properties(access: Access, name: str, row: Row, work: Path) -> dict[str, str]:
    kafka = {
        "bootstrap.servers": access.kafka.bootstrap(row.listener),
        "security.protocol": row.protocol,
        **row.kafka(access),
    }
    return {
        **{f"atlas.kafka.{key}": value for key, value in kafka.items()},
        **row.other(access),
        "atlas.notification.hook.topic.name": name,
        "atlas.hook.spool.dir": str(work / f"spool-{name}"),
    }


def microsoft(access: Access) -> str:
    text = MICROSOFT.replace("BOOTSTRAP", access.kafka.bootstrap("SASL_SSL"))
    return text.replace("CONNECTION_STRING", access.kafka.passwords[CONNECTION_STRING_USER])


def log_of(ended: Ended, name: str) -> str:
    found = re.search(rf"=== {re.escape(name)}\n(.*?)(?:=== |\Z)", ended.ran.log, re.DOTALL)
    return found[1] if found else ended.ran.log


def test_the_job_has_lineage(ended: Ended) -> None:
    assert len(ended.expected) == 3  # the last is the message at the end of the application
    kinds = {entity["typeName"] for message in ended.expected for entity in message["message"]["entities"]["entities"]}
    assert {"spark_process", "spark_column_lineage", "fs_path"} <= kinds


@pytest.mark.parametrize("name", ROWS)
def test_a_listener_gets_the_messages_that_the_file_gets(name: str, ended: Ended, access: Access) -> None:
    reports = {line["conf"]: line for line in map(json.loads, ended.ran.output.splitlines())}
    expected = f"kafka {access.kafka.bootstrap(ROWS[name].listener)} ({ROWS[name].protocol})"
    assert (reports[name]["sink"], reports[name]["disabled"]) == (expected, None), log_of(ended, name)
    assert ended.arrived(name) == ended.expected, log_of(ended, name)
    warnings = [line for line in log_of(ended, name).splitlines() if line.startswith("WARNING sac_kafka")]
    assert all("atlas.metadata.namespace is not set" in line for line in warnings), warnings


def test_the_file_of_microsofts_page_works_unchanged(ended: Ended) -> None:
    assert ended.arrived(MICROSOFT_TOPIC) == ended.expected, log_of(ended, "microsoft")
