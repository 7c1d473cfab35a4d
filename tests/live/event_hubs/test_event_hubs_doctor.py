"""`sac-kafka doctor` before the endpoint: each fault is reported in its step, with the fix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sac_kafka.tools.cli.main import main
from stack.properties import atlas_properties
from tests.live.event_hubs.clients import file_of
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import Namespace, Tier

pytestmark = pytest.mark.kafka


@dataclass(frozen=True, kw_only=True)
class Case:
    """A fault; the step that finds it, and its sentence. `doubt` is a warning before it."""

    step: str
    sentence: str
    names: str
    doubt: str = ""
    prepare: Callable[[Namespace], object] = lambda namespace: None
    own_hub: str = ""
    topic: str = "ATLAS_HOOK"
    other: str = "contoso"


CASES = {
    "wrong key": Case(
        step="log-in",
        sentence="the broker rejects the user name or password",
        names="shared access key",
        prepare=lambda namespace: namespace.policies[0].rotate(),
    ),
    "wrong namespace": Case(
        step="log-in",
        sentence="the broker rejects the user name or password",
        names="not this namespace",
        doubt="the connection string is for fabrikam.servicebus.windows.net",
        other="fabrikam",
    ),
    "wrong event hub": Case(
        step="topic",
        sentence="the topic elsewhere does not exist",
        names="atlas.notification.hook.topic.name",
        topic="elsewhere",
    ),
    "EntityPath of another": Case(
        step="topic",
        sentence="the user may not write to the topic ATLAS_HOOK",
        names="Event Hubs: a policy with Send",
        doubt="the connection string is only for the event hub other (EntityPath)",
        own_hub="other",
    ),
    "tier Basic": Case(
        step="log-in",
        sentence="no broker answers as Kafka",
        names="tier Basic",
        prepare=lambda namespace: setattr(namespace, "tier", Tier.BASIC),
    ),
    "firewall": Case(
        step="log-in",
        sentence="the service's firewall refuses this machine",
        names="Networking",
        prepare=lambda namespace: setattr(namespace, "has_firewall", True),
    ),
}


def doctor(
    endpoint: Endpoint,
    string: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    topic: str = "ATLAS_HOOK",
    *arguments: str,
) -> tuple[int, list[tuple[str, str, str]]]:
    """Return the status, and of each step its verdict, name and text."""
    file = folder / "doctor.properties"
    more = {"atlas.notification.hook.topic.name": topic, "atlas.hook.spool.dir": str(folder / "spool")}
    file.write_text(atlas_properties({**file_of(endpoint, string), **more}))
    status = main(["doctor", "--conf-file", str(file), "--timeout", "60", *arguments])
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "SharedAccessKey=" not in printed.out
    return status, [(line[:5].strip(), line[6:20].strip(), line[21:]) for line in printed.out.splitlines()]


@pytest.mark.parametrize("topic", ["ATLAS_HOOK", "atlas_hook"])
def test_a_working_connection_passes_every_step(
    endpoint: Endpoint, namespace: Namespace, tmp_path: Path, capsys: pytest.CaptureFixture[str], topic: str
) -> None:
    string = namespace.connection_string(namespace.policy())
    status, steps = doctor(endpoint, string, tmp_path, capsys, topic)
    assert status == 0, steps
    connection = f"kafka {namespace.host}:9093 (SASL_SSL, PLAIN as $ConnectionString), topic {topic}"
    assert ("ok", "log-in", connection) in steps
    assert ("ok", "topic", f"{topic}, 1 partition") in steps
    assert ("-", "permission", "this broker does not report permissions; send a test message with --send") in steps
    assert namespace.seen.publications == []


@pytest.mark.parametrize("name", CASES)
def test_reports_each_fault_in_its_step(
    name: str, endpoint: Endpoint, namespace: Namespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    string = namespace.connection_string(namespace.policy(hub=case.own_hub)).replace("contoso", case.other)
    case.prepare(namespace)
    status, steps = doctor(endpoint, string, tmp_path, capsys, case.topic)
    assert status == 1
    ((step, text),) = [(step, text) for verdict, step, text in steps if verdict == "FAIL"]
    assert step == case.step
    assert text.startswith(case.sentence)
    assert case.names in text
    doubts = [text for verdict, _, text in steps if verdict == "warn"]
    assert [case.doubt in text for text in doubts] == [True] * bool(case.doubt), doubts


def test_one_message_is_sent_and_read_back(
    endpoint: Endpoint, namespace: Namespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    string = namespace.connection_string(namespace.policy())
    status, steps = doctor(endpoint, string, tmp_path, capsys, "ATLAS_HOOK", "--send")
    assert status == 0, steps
    found = {name: (verdict, text) for verdict, name, text in steps}
    assert found["send"][0] == "ok"
    assert found["arrival"][1].startswith("read back from partition 0, offset "), found["arrival"]
    assert len(namespace.seen.publications) == 1
