"""The job's output and exit status are the same with the hook as without it, whatever is broken."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from stack.kafka import KafkaBroker
from stack.properties import login_module
from stack.server_properties import PLAIN_LOGIN_MODULE
from tests.helpers.broker import Broker
from tests.helpers.messages import validated
from tests.helpers.spooled import kept, texts
from tests.helpers.waiting import until
from tests.live.jobs.running import JOB_SECONDS, PATIENT_PROPERTIES, Ran, run, start, wait, write_conf

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(2 * JOB_SECONDS)]

ENDINGS = ("stop", "exception")
WITHOUT_STOP = ("no-stop", "exit")
"""With a broker down these are harder for the hook: with a running one they run nightly only."""
NEVER_GIVES_UP = {"atlas.kafka.delivery.timeout.ms": "3600000"}
"""With it a job that waits until its messages are given up, instead of until the exit timeout, hangs."""


@pytest.fixture(scope="module")
def without_hook(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """Return the job with an ending, without the hook; each runs once, at the first request."""

    @functools.cache
    def plain(ending: str) -> Ran:
        return run("job", str(tmp_path_factory.mktemp(ending)), ending, hook=False)

    return plain


def sasl_ssl(broker: Broker, **changes: str) -> dict[str, str]:
    secure = broker.sasl_ssl
    password = changes.pop("password", secure.password)
    login = login_module(PLAIN_LOGIN_MODULE, {"username": secure.username, "password": password})
    return {
        "atlas.metadata.namespace": "test",
        "atlas.kafka.bootstrap.servers": secure.bootstrap,
        "atlas.kafka.security.protocol": "SASL_SSL",
        "atlas.kafka.sasl.mechanism": "PLAIN",
        "atlas.kafka.sasl.jaas.config": login,
        "atlas.kafka.ssl.truststore.type": "PEM",
        "atlas.kafka.ssl.truststore.location": str(secure.ca_file),
        **PATIENT_PROPERTIES,
        **changes,
    }


def assert_unharmed(ran: Ran, plain: Ran) -> None:
    assert (ran.status, ran.output) == (plain.status, plain.output), ran.log
    assert "an error in" not in ran.log


def undelivered(ran: Ran) -> list[dict[str, object]]:
    """Return the messages in the directory that the log names."""
    named = re.search(r"undelivered messages are in (\S+)", ran.log)
    assert named, ran.log
    return validated(texts(kept(Path(named[1]))))


@pytest.mark.parametrize(
    "ending",
    [
        *(pytest.param(ending, marks=[] if ending == "stop" else pytest.mark.exhaustive) for ending in ENDINGS),
        *(pytest.param(ending, marks=pytest.mark.nightly) for ending in WITHOUT_STOP),
    ],
)
def test_every_message_arrives_however_the_job_ends(
    ending: str, broker: Broker, without_hook: Callable[[str], Ran], tmp_path: Path
) -> None:
    topic = f"hook-{ending}-{tmp_path.name}"
    broker.create_topic(topic)
    settings = {"atlas.notification.hook.topic.name": topic, **NEVER_GIVES_UP}
    conf = write_conf(tmp_path / "conf", sasl_ssl(broker, **settings))

    process = start("job", str(tmp_path), ending, conf=conf)
    plain = without_hook(ending)  # meanwhile
    ran = wait(process)

    assert_unharmed(ran, plain)
    arrived = validated(broker.read_all(topic))
    processes = {
        e["attributes"]["qualifiedName"]
        for m in arrived
        for e in m["message"]["entities"]["entities"]
        if e["typeName"] == "spark_process"
    }
    assert len(processes) == 6, ran.log
    assert ran.figures == (7, 0, 0)  # the last one holds how complete they are


@pytest.mark.exhaustive
@pytest.mark.subset
@pytest.mark.parametrize("ending", WITHOUT_STOP)
def test_broker_down_from_the_start(ending: str, without_hook: Callable[[str], Ran], tmp_path: Path) -> None:
    conf = write_conf(
        tmp_path / "conf",
        {
            "atlas.metadata.namespace": "test",
            "atlas.kafka.bootstrap.servers": "localhost:1",
            "atlas.hook.spool.dir": str(tmp_path / "spool"),
            **PATIENT_PROPERTIES,
            **NEVER_GIVES_UP,
        },
    )

    ran = run("job", str(tmp_path), ending, conf=conf)

    assert_unharmed(ran, without_hook(ending))
    assert "0 messages delivered, 7 spooled (" in ran.log
    assert ": 7), 0 dropped, lineage of " in ran.log
    assert "; undelivered messages are in " in ran.log
    assert len(undelivered(ran)) == 7


@pytest.mark.exhaustive
def test_broker_killed_in_the_middle(without_hook: Callable[[str], Ran], tmp_path: Path) -> None:
    with KafkaBroker(tmp_path / "kafka") as kafka:
        kafka.create_topic("ATLAS_HOOK")
        conf = write_conf(
            tmp_path / "conf",
            {
                "atlas.metadata.namespace": "test",
                "atlas.kafka.bootstrap.servers": kafka.bootstrap("PLAINTEXT"),
                "atlas.hook.spool.dir": str(tmp_path / "spool"),
                **PATIENT_PROPERTIES,
                **NEVER_GIVES_UP,
                "atlas.hook.spark.exit.timeout.seconds": "16",  # all of it is waited for, as the broker was there
            },
        )
        process = start("job", str(tmp_path), "stop", str(tmp_path / "half"), conf=conf)
        wait_for(tmp_path / "half")
        kafka.kill()
        (tmp_path / "half.go").touch()
        ran = wait(process)

    assert_unharmed(ran, without_hook("stop"))
    delivered, spooled, dropped = ran.figures
    assert (delivered + spooled, dropped) == (7, 0), ran.log
    assert spooled >= 3
    assert len(undelivered(ran)) == spooled


@pytest.mark.exhaustive
def test_wrong_password(broker: Broker, without_hook: Callable[[str], Ran], tmp_path: Path) -> None:
    wrong = {
        "password": "Endpoint=sb://x/;SharedAccessKey=wrong-and-secret=",
        "atlas.hook.spool.dir": str(tmp_path / "s"),
        **NEVER_GIVES_UP,
    }
    conf = write_conf(tmp_path / "conf", sasl_ssl(broker, **wrong))

    ran = run("job", str(tmp_path), "stop", conf=conf)

    assert_unharmed(ran, without_hook("stop"))
    assert len(undelivered(ran)) == 7
    assert "wrong-and-secret" not in ran.log
    assert "Authentication failed" in ran.log


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"atlas.metadata.namespace": "test", "atlas.client.type": "pigeon"}, r"atlas\.client\.type.*pigeon"),
        (None, r"atlas\.conf.*no such file"),
    ],
    ids=["value", "no file"],
)
def test_wrong_configuration(
    properties: dict[str, str] | None, expected: str, without_hook: Callable[[str], Ran], tmp_path: Path
) -> None:
    conf = tmp_path / "conf"
    if properties is not None:
        write_conf(conf, properties)

    ran = run("job", str(tmp_path), "exit", conf=conf)

    assert_unharmed(ran, without_hook("exit"))
    warnings = [line for line in ran.log.splitlines() if line.startswith("WARNING sac_kafka")]
    assert len(warnings) == 1
    assert re.search(expected, warnings[0])


def test_an_exception_in_each_stage(tmp_path: Path) -> None:
    (tmp_path / "hooked").mkdir()
    process = start("planted", str(tmp_path / "hooked"))
    plain = run("planted", str(tmp_path / "plain"), hook=False)  # meanwhile
    assert plain.status == 0, plain.log
    ran = wait(process)

    assert (ran.status, ran.output) == (plain.status, plain.output), ran.log
    seen = json.loads((tmp_path / "hooked" / "errors.json").read_text())
    assert seen.pop("none") == {"errors": {}, "disabled": None, "undelivered": {}}
    assert all("PlantedError" in json.dumps(what) or "Gone" in json.dumps(what) for what in seen.values()), seen
    assert "hunter2" not in ran.log


def wait_for(file: Path) -> None:
    until(file.exists, lambda: f"{file} did not appear", seconds=300)
