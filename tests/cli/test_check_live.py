"""`sac-kafka check` against a real broker: what is right, and each thing that is wrong in its own step.

What README.md shows to a reader is run here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.cli.main import main
from stack import topics
from stack.kafka import KafkaBroker
from stack.listeners import LOGIN, SECURE_LOGIN
from stack.properties import atlas_properties, login_module
from tests.secret_search import used

pytestmark = pytest.mark.kafka

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
USERS = {"alice": used("right-of-alice"), "mallory": used("right-of-mallory")}
WRONG = used("wrong-of-alice")
TOPIC = "CHECKED"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    work = tmp_path_factory.mktemp("check")
    with KafkaBroker(work, passwords=USERS, listeners=(LOGIN, SECURE_LOGIN), refused=["mallory"]) as running:
        running.create_topic(TOPIC)
        yield running


def properties(broker: KafkaBroker, user: str = "alice", password: str = "") -> dict[str, str]:
    return {
        "atlas.metadata.namespace": "dev",
        "atlas.notification.hook.topic.name": TOPIC,
        "atlas.kafka.bootstrap.servers": broker.bootstrap("SECURE_LOGIN"),
        "atlas.kafka.security.protocol": "SASL_SSL",
        "atlas.kafka.sasl.mechanism": "PLAIN",
        "atlas.kafka.sasl.jaas.config": login_module(PLAIN, {"username": user, "password": password or USERS[user]}),
        "atlas.kafka.ssl.truststore.location": str(broker.ca_file),
    }


def check(folder: Path, capsys: pytest.CaptureFixture[str], settings: dict[str, str]) -> tuple[int, dict[str, str]]:
    """The status, and each step's verdict and text by its name."""
    file = folder / "check.properties"
    file.write_text(atlas_properties({**settings, "atlas.hook.spool.dir": str(folder / "spool")}))
    status = main(["check", "--file", str(file)])
    said = capsys.readouterr()
    assert said.err == ""
    assert not [secret for secret in (*USERS.values(), WRONG) if secret in said.out]
    return status, {line[6:].split()[0]: f"{line[:5].strip()} {line[21:]}" for line in said.out.splitlines()}


def test_all_is_well_and_nothing_was_sent(
    broker: KafkaBroker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, steps = check(tmp_path, capsys, properties(broker))
    assert status == 0, steps
    assert steps["connection"].startswith(f"ok kafka {broker.bootstrap('SECURE_LOGIN')} (SASL_SSL, PLAIN as alice)")
    assert (steps["topic"], steps["permission"]) == (f"ok {TOPIC}, 1 partition", "ok may write")
    assert topics.progress(broker.bootstrap(), TOPIC, "check")[1] == 0


def test_a_wrong_password(broker: KafkaBroker, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, steps = check(tmp_path, capsys, properties(broker, password=WRONG))
    assert status == 1
    assert steps["connection"].startswith("FAIL the broker rejects the user name or password")
    assert "topic" not in steps


def test_no_topic(broker: KafkaBroker, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = {**properties(broker), "atlas.notification.hook.topic.name": "NO_SUCH_TOPIC"}
    status, steps = check(tmp_path, capsys, missing)
    assert status == 1
    assert steps["connection"].startswith("ok ")
    assert steps["topic"].startswith("FAIL the topic NO_SUCH_TOPIC does not exist")


def test_no_permission(broker: KafkaBroker, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, steps = check(tmp_path, capsys, properties(broker, "mallory"))
    assert status == 1
    assert steps["connection"].startswith("ok ")
    assert steps["topic"].startswith(f"FAIL the user may not write to the topic {TOPIC}")


@pytest.mark.parametrize(
    ("protocol", "said"),
    [("PLAINTEXT", "wrong port or wrong protocol"), ("SASL_PLAINTEXT", "wrong port or wrong protocol")],
)
def test_a_wrong_protocol(
    broker: KafkaBroker, tmp_path: Path, capsys: pytest.CaptureFixture[str], protocol: str, said: str
) -> None:
    status, steps = check(tmp_path, capsys, {**properties(broker), "atlas.kafka.security.protocol": protocol})
    assert status == 1
    assert steps["connection"].startswith("FAIL ")
    assert said in steps["connection"]


def test_a_certificate_that_is_not_trusted(
    broker: KafkaBroker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = properties(broker)
    del settings["atlas.kafka.ssl.truststore.location"]
    status, steps = check(tmp_path, capsys, settings)
    assert status == 1
    assert steps["connection"].startswith("FAIL the broker's certificate is not trusted")
