"""`sac-kafka doctor` on faulty set-ups with one fault each: the step that finds it names the fault and a fix.

The examples of README.md and docs/doctor.md are run here. Rows with the marker `kafka` have a real broker, with users and
rights; the others have separate small servers.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.atlas.types.definitions import types_def
from sac_kafka.deadlines import Deadline
from sac_kafka.spark import installation
from sac_kafka.tools.cli import doctor as doctor_command
from sac_kafka.tools.doctor import checks
from sac_kafka.transport.diagnostics import way
from sac_kafka.transport.diagnostics.findings import Finding
from sac_kafka.transport.factory import sink_of
from stack import topics
from stack.certificates import Certificates, make_certificates
from stack.java import find_java
from stack.kafka import KafkaBroker
from stack.listeners import SECURE_LOGIN
from stack.ports import free_port
from stack.properties import atlas_properties, login_module
from tests.helpers.secret_search import used
from tests.helpers.waiting import FakeClock
from tests.unit.tools.cli.conftest import Cli, TypesServer
from tests.unit.tools.cli.small_servers import Serving, hangs_up, says_nothing, server

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
USERS = {
    "alice": used("right-of-alice"),
    "mallory": used("right-of-mallory"),
    "writer": used("right-of-writer"),
}
WRONG = used("wrong-of-alice")
TOPIC, SMALL, TINY, TIMED = "DOCTORED", "AS_IN_BASIC", "TINY", "TIMED"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    work = tmp_path_factory.mktemp("doctor")
    with KafkaBroker(work, passwords=USERS, listeners=(SECURE_LOGIN,), refused=["mallory", "writer"]) as running:
        topics.create_topic(running.bootstrap(), TOPIC)
        topics.create_topic(running.bootstrap(), SMALL, settings={"max.message.bytes": "262144"})
        topics.create_topic(running.bootstrap(), TINY, settings={"max.message.bytes": "100"})
        topics.create_topic(running.bootstrap(), TIMED, settings={"message.timestamp.type": "LogAppendTime"})
        _grant_writing(running.bootstrap(), "writer", TOPIC)
        yield running


def _grant_writing(bootstrap: str, user: str, topic: str) -> None:
    from confluent_kafka.admin import (
        AclBinding,
        AclOperation,
        AclPermissionType,
        AdminClient,
        ResourcePatternType,
        ResourceType,
    )

    admin = AdminClient({"bootstrap.servers": bootstrap})
    named = (ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, f"User:{user}", "*")
    bindings = [
        AclBinding(*named, operation, AclPermissionType.ALLOW)
        for operation in (AclOperation.WRITE, AclOperation.DESCRIBE)
    ]
    for done in admin.create_acls(bindings, request_timeout=60).values():
        done.result(10)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@dataclass
class World:
    """Resources of a row: `atlas` is an Atlas with all types, unless the row changes it."""

    request: pytest.FixtureRequest
    folder: Path
    patch: pytest.MonkeyPatch
    atlas: TypesServer
    cli: Cli
    stack: ExitStack = field(default_factory=ExitStack)

    @property
    def broker(self) -> KafkaBroker:
        found = self.request.getfixturevalue("broker")
        assert isinstance(found, KafkaBroker)
        return found

    @property
    def certificates(self) -> Certificates:
        found = self.request.getfixturevalue("certificates")
        assert isinstance(found, Certificates)
        return found

    def serve(self, serving: Serving, key_store: Path | None = None) -> int:
        return self.stack.enter_context(server(serving, key_store))


@pytest.fixture
def world(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, types_server: TypesServer, cli: Cli
) -> Iterator[World]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    monkeypatch.setenv("JAVA_HOME", str(find_java().path.resolve().parents[1]))
    types_server.types = json.loads(json.dumps(types_def()))
    made = World(request, tmp_path, monkeypatch, types_server, cli)
    with made.stack:
        yield made


Settings = Mapping[str, str]


@dataclass(frozen=True)
class SetUp:
    """`settings` sets up the fault and returns the properties; `text` has parts of the text of `step`, separated by ` … `."""

    settings: Callable[[World], Settings]
    step: str
    text: str
    verdict: str = "FAIL"
    status: int = 1
    arguments: tuple[str, ...] = ()


# ---- settings


def kafka(port: int, **more: str) -> Settings:
    """Return the settings of a broker at a local port; `more` are settings of Kafka's client, `_` for `.`."""
    return {
        "atlas.kafka.bootstrap.servers": f"localhost:{port}",
        **{f"atlas.kafka.{key.replace('_', '.')}": value for key, value in more.items()},
    }


def tls(world: World, certificate: str, ca: str = "ca") -> Settings:
    """Return the settings of a TLS broker with this certificate of the stack."""
    store: Any = certificate
    port = world.serve(says_nothing, world.certificates.key_store(store))
    trusted = getattr(world.certificates, ca)
    return kafka(port, security_protocol="SSL", ssl_truststore_location=str(trusted))


def log_in(world: World, user: str = "alice", password: str = "", topic: str = TOPIC) -> Settings:
    """Return the settings of the real broker for a user."""
    broker = world.broker
    port = int(broker.bootstrap("SECURE_LOGIN").rpartition(":")[2])
    return kafka(
        port,
        security_protocol="SASL_SSL",
        sasl_mechanism="PLAIN",
        sasl_jaas_config=login_module(PLAIN, {"username": user, "password": password or USERS[user]}),
        ssl_truststore_location=str(broker.ca_file),
    ) | {"atlas.notification.hook.topic.name": topic}


def rest(world: World, client: str = "rest", password: str = "s3cret") -> Settings:
    """Return the settings of Atlas over HTTP; another client type uses it for types alone."""
    return {
        "atlas.client.type": client,
        "atlas.rest.address": world.atlas.address,
        "atlas.rest.basic.auth.username": "admin",
        "atlas.rest.basic.auth.password": password,
    }


def taking(world: World, answer: Callable[[bytes], tuple[int, bytes]] = lambda body: (200, b"")) -> Settings:
    """Return the settings of Atlas over HTTP that also accepts messages, as `answer` decides."""
    world.atlas.notifications = answer
    return rest(world)


def without_types(world: World) -> Settings:
    kept = [each for each in world.atlas.types["entityDefs"] if each["name"] != "spark_process"]
    world.atlas.types["entityDefs"] = kept
    return rest(world, "memory")


def no_atlas(world: World) -> Settings:
    world.atlas.answer = (200, {}, b"<html>Log in, please</html>")
    return rest(world, "memory")


def other_clock(world: World) -> Settings:
    world.patch.setattr(
        "tests.helpers.loopback_server._Handler.date_time_string",
        lambda *_: formatdate(time.time() - 3600, usegmt=True),
    )
    return taking(world)


def no_java(world: World) -> Settings:
    world.patch.setenv("JAVA_HOME", "/opt/no/java")
    return {"atlas.client.type": "memory"}


def spark_of(version: str) -> Callable[[World], Settings]:
    def settings(world: World) -> Settings:
        (world.folder / "version.py").write_text(f'__version__: str = "{version}"\n')
        spec = ModuleSpec("pyspark", None, is_package=True)
        spec.submodule_search_locations = [str(world.folder)]
        find = installation.find_spec
        world.patch.setattr(installation, "find_spec", lambda name: spec if name == "pyspark" else find(name))
        return {"atlas.client.type": "memory"}

    return settings


def jks(world: World) -> Settings:
    store = world.folder / "trust.jks"
    key = ["-genkeypair", "-alias", "a", "-dname", "CN=a", "-keyalg", "EC", "-storetype", "JKS"]
    words = [*key, "-keystore", str(store), "-storepass", "right-one", "-keypass", "right-one"]
    subprocess.run([str(find_java().path.with_name("keytool")), *words], check=True, capture_output=True)
    return kafka(1, security_protocol="SSL", ssl_truststore_location=str(store), ssl_truststore_password=WRONG)


def soon(world: World) -> Settings:
    world.patch.setattr(way, "RENEWAL_DAYS", 10_000)
    return tls(world, "broker")


def file_in_the_way(world: World) -> Settings:
    (world.folder / "file").write_text("")
    return {"atlas.client.type": "memory", "atlas.hook.spool.dir": str(world.folder / "file" / "spool")}


def refusing(body: bytes) -> tuple[int, bytes]:
    """Accept an empty list, and no message."""
    error = {"errorCode": "ATLAS-400-00-001", "errorMessage": "Invalid parameters"}
    return (200, b"") if body == b"[]" else (400, json.dumps(error).encode())


SET_UPS = {
    "no configuration file": SetUp(
        lambda world: {}, "configuration", "/opt/nowhere", arguments=("--conf-dir", "/opt/nowhere")
    ),
    "a value that is not allowed": SetUp(
        lambda world: {"atlas.client.type": "kafak"},
        "configuration",
        "line  … atlas.client.type = kafak … must be one of kafka",
    ),
    "no Java": SetUp(no_java, "java", "JAVA_HOME = /opt/no/java has no bin/java … set JAVA_HOME"),
    "a Spark that is too old": SetUp(spark_of("3.4.2"), "spark", "Spark 3.4.2 … is too old: use Spark 3.5 to 4.3"),
    "a Spark that is newer than the tested versions": SetUp(
        spark_of("5.0.0"), "spark", "newer than the tested versions", verdict="warn", status=0
    ),
    "wrong host": SetUp(
        lambda world: {"atlas.kafka.bootstrap.servers": "no-such-host.invalid:9093"},
        "host",
        "no-such-host.invalid cannot be resolved … atlas.kafka.bootstrap.servers",
    ),
    "closed port": SetUp(
        lambda world: kafka(free_port()), "tcp", "nothing listens on localhost: … atlas.kafka.bootstrap.servers"
    ),
    "a broker that accepts and never answers": SetUp(
        lambda world: kafka(world.serve(says_nothing)),
        "log-in",
        "the broker accepts connections, but does not answer … was contacted with PLAINTEXT",
        arguments=("--timeout", "12"),
    ),
    "a TLS port that never answers": SetUp(
        lambda world: kafka(world.serve(says_nothing), security_protocol="SSL"),
        "tls",
        "accepts connections, but does not answer in TLS",
        arguments=("--timeout", "8"),
    ),
    "TLS to a plain port": SetUp(
        lambda world: kafka(world.serve(hangs_up), security_protocol="SSL"),
        "tls",
        "does not speak TLS … set atlas.kafka.security.protocol to PLAINTEXT or SASL_PLAINTEXT",
    ),
    "plain to a TLS port": SetUp(
        lambda world: kafka(world.serve(hangs_up, world.certificates.key_store("broker"))),
        "log-in",
        "expects TLS, but was contacted without it … set atlas.kafka.security.protocol to SASL_SSL or SSL",
        arguments=("--timeout", "8"),
    ),
    "expired certificate": SetUp(
        lambda world: tls(world, "expired"),
        "tls",
        "has expired: CN=localhost, issued by CN=sac_kafka local stack, until 20 … have it renewed",
    ),
    "certificate of another host": SetUp(
        lambda world: tls(world, "wrong_host"),
        "tls",
        "is for another host: CN=elsewhere.test … in atlas.kafka.bootstrap.servers",
    ),
    "untrusted certificate": SetUp(
        lambda world: tls(world, "broker", "other_ca"),
        "tls",
        "is not trusted: CN=localhost, issued by CN=sac_kafka local stack … atlas.kafka.ssl.truststore.location",
    ),
    "a certificate that ends soon": SetUp(
        soon, "tls", "CN=localhost … have it renewed", verdict="warn", arguments=("--timeout", "8")
    ),
    "JKS with wrong password": SetUp(
        jks, "configuration", "trust.jks (JKS): the password is wrong … atlas.kafka.ssl.truststore.password"
    ),
    "spool directory that cannot be written": SetUp(
        file_in_the_way, "disk", "atlas.hook.spool.dir =  … cannot be created; name another directory"
    ),
    "clock skew": SetUp(other_clock, "clock", "this machine's clock is 60 min ahead of that of http://localhost"),
    "type missing on the server": SetUp(without_types, "types", " lacks spark_process; run sac-kafka types apply"),
    "wrong log-in of Atlas": SetUp(
        lambda world: rest(world, "memory", password=WRONG),
        "types",
        "HTTP 401 … correct atlas.rest.basic.auth.username",
    ),
    "an address that is no Atlas": SetUp(no_atlas, "types", "is this an Atlas server, or a login page?"),
    "a message that Atlas refuses": SetUp(
        lambda world: taking(world, refusing),
        "send",
        "not accepted … HTTP 400: the server rejects the message … Invalid parameters",
        arguments=("--send",),
    ),
}
ON_A_BROKER = {
    "wrong password": SetUp(
        lambda world: log_in(world, password=WRONG), "log-in", "the broker rejects the user name or password"
    ),
    "unknown topic": SetUp(
        lambda world: log_in(world, topic="NO_SUCH_TOPIC"), "topic", "the topic NO_SUCH_TOPIC does not exist; create it"
    ),
    "no right to write": SetUp(
        lambda world: log_in(world, "mallory"),
        "topic",
        f"the user may not write to the topic {TOPIC}; grant the user Write",
    ),
    "a limit as in tier Basic": SetUp(
        lambda world: log_in(world, topic=SMALL),
        "size",
        "up to 900,000 bytes … accepts only 262,144 … set atlas.notification.message.max.length.bytes = 261120",
    ),
    "a message that the broker refuses": SetUp(
        lambda world: log_in(world, topic=TINY),
        "send",
        "not accepted: the message is larger than the topic or the client allows",
        arguments=("--send",),
    ),
    "TLS to the plain port of a broker": SetUp(
        lambda world: kafka(int(world.broker.bootstrap().rpartition(":")[2]), security_protocol="SSL"),
        "tls",
        "does not speak TLS",
    ),
    "plain to the TLS port of a broker": SetUp(
        lambda world: kafka(int(world.broker.bootstrap("SECURE_LOGIN").rpartition(":")[2])),
        "log-in",
        "expects TLS, but was contacted without it",
    ),
}
ROWS = [
    *(pytest.param(each, id=name) for name, each in SET_UPS.items()),
    *(pytest.param(each, id=name, marks=pytest.mark.kafka) for name, each in ON_A_BROKER.items()),
]


def doctor(world: World, settings: Settings, *arguments: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Run the doctor; return the status, and verdict, name and text of each step."""
    file = world.folder / "doctor.properties"
    common = {"atlas.metadata.namespace": "dev", "atlas.hook.spool.dir": str(world.folder / "spool")}
    file.write_text(atlas_properties({**common, **settings}))
    place = [] if "--conf-dir" in arguments else ["--conf-file", str(file)]
    patient = [] if "--timeout" in arguments else ["--timeout", "120"]  # a busy machine's broker takes its time
    status, out, err = world.cli("doctor", *place, *patient, *arguments)
    assert err == ""
    assert not [secret for secret in (*USERS.values(), WRONG, "s3cret") if secret in out]
    return status, [(line[:5].strip(), line[6:20].strip(), line[21:]) for line in out.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_reports_each_fault_in_its_step(row: SetUp, world: World) -> None:
    settings = row.settings(world)
    status, steps = doctor(world, settings, *row.arguments)
    ((verdict, text),) = [(verdict, text) for verdict, name, text in steps if name == row.step and verdict != "ok"]
    assert verdict == row.verdict, text
    assert [piece for piece in row.text.split(" … ") if piece not in text] == [], text
    failed = [name for verdict, name, _ in steps if verdict == "FAIL"]
    also = {"size"} if row.step == "send" else set()
    assert set(failed) - also <= {row.step} or row.verdict == "warn", steps
    assert status == row.status, steps


def test_all_steps_share_the_timeout(world: World) -> None:
    """Pass each step the seconds that the previous steps have left."""
    clock, given = FakeClock(), []

    def examine(settings: object, seconds: float, driver: object) -> Iterator[Finding]:
        given.append(seconds)
        clock.advance(4)
        return iter(())

    def access_of(settings: Any, seconds: float) -> None:
        given.append(seconds)

    for module in (doctor_command, checks):
        world.patch.setattr(module, "Deadline", partial(Deadline, clock=clock))
    world.patch.setattr(checks, "sink_of", lambda settings: replace(sink_of(settings), examine=examine))
    world.patch.setattr(checks, "access_of", access_of)
    status, steps = doctor(world, kafka(1), "--timeout", "7")
    assert (status, given) == (0, [7.0, 3.0]), steps


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("user", "topic", "arrival"),
    [
        ("alice", TOPIC, ("ok", "read back from partition 0, offset ")),
        ("alice", TIMED, ("ok", "read back from partition 0, offset ")),
        ("writer", TOPIC, ("-", "the broker acknowledged partition 0, offset ")),
    ],
)
def test_sent_message_is_read_back(user: str, topic: str, arrival: tuple[str, str], world: World) -> None:
    before = topics.progress(world.broker.bootstrap(), topic, "doctor")[1]
    settings = log_in(world, user, topic=topic)
    status, steps = doctor(world, settings)
    assert (status, topics.progress(world.broker.bootstrap(), topic, "doctor")[1]) == (0, before), steps
    status, steps = doctor(world, settings, "--send")
    found = {name: (verdict, text) for verdict, name, text in steps}
    assert status == 0, steps
    assert topics.progress(world.broker.bootstrap(), topic, "doctor")[1] == before + 1
    assert found["send"][0] == "ok"
    assert found["arrival"][0] == arrival[0], steps
    assert found["arrival"][1].startswith(arrival[1])
    assert ("clock" in found) == (topic == TIMED)
    assert found["tls"][1].startswith("localhost:")
    assert "CN=localhost, issued by CN=sac_kafka local stack, until 20" in found["tls"][1]
    assert found["log-in"][1].endswith(f"(SASL_SSL, PLAIN as {user}), topic {topic}")
    assert found["permission"] == ("ok", "may write")
    limit = ("-", "may not query it: only this check") if user == "writer" else ("ok", "the topic accepts 1,048,588")
    assert (found["size"][0], limit[1] in found["size"][1]) == (limit[0], True), found["size"]


def test_over_http_only_the_acceptance_of_a_message_is_reported(world: World) -> None:
    bodies: list[bytes] = []
    settings = taking(world, lambda body: bodies.append(body) or (200, b""))  # type: ignore[func-returns-value]
    status, steps = doctor(world, settings, "--send")
    assert status == 0, steps
    assert ("ok", "send") in [step[:2] for step in steps]
    probe, sent = bodies
    assert probe == b"[]"
    (message,) = json.loads(sent)
    assert message["message"]["type"] == "ENTITY_CREATE_V2"
    assert message["message"]["entities"] == {"referredEntities": {}, "entities": []}


def test_nothing_is_sent_after_a_failed_step(world: World) -> None:
    _, steps = doctor(world, kafka(free_port()), "--send")
    assert steps[-1] == ("-", "send", "skipped: fix the errors above first")


def test_json_has_the_same_steps(world: World, cli: Cli) -> None:
    (world.folder / "doctor.properties").write_text("atlas.client.type=memory\natlas.metadata.namespace=dev\n")
    document = cli("doctor", "--conf-file", "doctor.properties", "--json").json(0)
    assert document["verdict"] in ("ok", "warn")
    names = ["java", "spark", "python", "packages", "connector", "configuration", "sink", "names", "spool"]
    assert [each["step"] for each in document["steps"]] == names
    assert {each["verdict"] for each in document["steps"]} <= {"ok", "warn", "fail", "skipped", "unknown"}
