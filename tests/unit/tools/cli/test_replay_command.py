"""`sac-kafka replay`: a recorded batch drawn, as messages or sent, without Spark.

The examples of docs/user-guide.md and CONTRIBUTING.md are run here.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.hook.recording import read_recording, recorded_application
from sac_kafka.settings import Settings
from sac_kafka.tools.cli import input_lines, replay
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION
from tests.helpers.messages import validated
from tests.unit.tools.cli.conftest import Cli
from tests.unit.transport.notification_server import NotificationServer
from tests.unit.transport.outcomes import records

JOINED = (BATCHES / owed()[1] / "join.txt").read_text("utf-8")
DRAWN = """\
cases.customers ─┐
cases.orders    ─┴▶ file:/work-of-the-case/out/join   (rows written 3, files written 1)
    id      ◀─ cases.orders.id
    country ◀─ cases.customers.country
    Rows joined by customer = name.

"""
CONTROL = {"\x1b", "\x07", "\x9b", "\u202e", "\r"}


@pytest.fixture(autouse=True)
def _without_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    file = tmp_path / "batch.txt"
    file.write_text(f"{recorded_application(APPLICATION)}\n{JOINED}", "utf-8")
    return file


def test_a_batch_is_drawn(batch: Path, cli: Cli) -> None:
    assert cli("replay", batch) == (0, DRAWN, "")


def test_batch_from_a_pipe(batch: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(batch.read_bytes()), "ascii"))
    assert cli("replay", "-") == (0, DRAWN, "")


def test_sources_of_a_column(batch: Path, cli: Cli) -> None:
    way = "file:/work-of-the-case/out/join#country\n    ◀─ cases.customers.country\n"
    cli("replay", batch, "--column", "join.country").check(0, way)
    unknown = "--column join.total: no lineage of this column"
    cli("replay", batch, "--column", "join.total").check(2, err=unknown)


def test_given_settings_apply(batch: Path, cli: Cli) -> None:
    outputs = {}
    for namespace, more in (("primary", ()), ("prod", ("atlas.metadata.namespace=prod",)), ("off", _OFF)):
        options = [word for setting in more for word in ("--conf", setting)]
        outputs[namespace] = json.dumps(validated(cli("replay", batch, "--json", *options).text(0).splitlines()))
    assert all(f"@{namespace}" in text for namespace, text in outputs.items())
    assert "spark_column_lineage" in outputs["prod"]
    assert "spark_column_lineage" not in outputs["off"]


_OFF = ("atlas.metadata.namespace=off", "atlas.hook.spark.column.lineage=off")


def test_a_configuration_that_names_a_server_needs_none(batch: Path, tmp_path: Path, cli: Cli) -> None:
    lines = (
        "atlas.kafka.bootstrap.servers=nowhere:9\natlas.kafka.security.protocol=SASL_SSL\natlas.metadata.namespace=x\n"
    )
    (tmp_path / "atlas-application.properties").write_text(lines)
    assert "@x" in cli("replay", batch, "--json").text(0)


def test_two_replays_are_the_same(batch: Path, cli: Cli) -> None:
    assert cli("replay", batch, "--json").text(0) == cli("replay", batch, "--json").text(0) != ""


def test_printed_messages_can_be_drawn(batch: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(cli("replay", batch, "--json").text(0)))
    assert cli("show", "-")[:2] == (0, DRAWN)


# ---- to a sink


def test_sends_to_a_file(batch: Path, tmp_path: Path, cli: Cli) -> None:
    options = ["--to", "file", "--conf", "atlas.client.file.path=out.jsonl"]
    assert cli("replay", batch, *options) == (0, "", "sac-kafka replay: 2 messages delivered to file out.jsonl\n")
    sent, _ = validated((tmp_path / "out.jsonl").read_text().splitlines())
    assert sent["msgCreationTime"] > 0


def test_sends_to_a_server_once(batch: Path, cli: Cli) -> None:
    with NotificationServer() as server:
        options = ["--to", "rest", "--conf", f"atlas.rest.address={server.address}", "--timeout", "5"]
        cli("replay", batch, *options).check(0, "", "sac-kafka replay: 2 messages delivered to ")
        assert len(server.posted) == 2


def test_undelivered_messages_are_reported_and_not_spooled(batch: Path, tmp_path: Path, cli: Cli) -> None:
    with batch.open("a") as more:
        more.write(JOINED * 2)
    with NotificationServer() as server:
        server.always = (401, {}, b"")
        status, _, errors = cli("replay", batch, "--to", "rest", "--conf", f"atlas.rest.address={server.address}")
    assert status == 1
    assert errors.count("\n") == 1
    assert errors.startswith(f"sac-kafka replay: 0 messages delivered to rest {server.address}")
    assert "; 4 not delivered: " in errors
    assert not list(tmp_path.rglob("*.avro"))


class Refusing(MemoryTransport):
    """A transport that accepts the first record, rejects the second, and fails on the others."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        ends = (None, Failure(FailureKind.REJECTED, "too large"))
        outcome(
            ends[len(self.records)] if len(self.records) < len(ends) else Failure(FailureKind.TRANSIENT, "no broker")
        )
        self.records.append(record)


def test_nothing_is_sent_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = Refusing()
    monkeypatch.setattr(replay, "make_transport", lambda settings: transport)
    sent = replay.send(records(5), Settings(), 1)
    assert len(transport.records) == 3
    assert not sent.is_all
    assert str(sent) == (
        "1 message delivered to memory; 1 rejected: too large; 1 not delivered: no broker; "
        "2 not sent: an earlier message failed"
    )


@pytest.mark.parametrize("to", ["kafka", "file", "rest"])
def test_sink_without_its_settings_is_reported(batch: Path, to: str, cli: Cli) -> None:
    result = cli("replay", batch, "--to", to)
    result.check(2, "", " is not set")
    assert result.err.count("\n") == 1


def test_the_console_is_a_sink(batch: Path, cli: Cli) -> None:
    assert cli("replay", batch, "--to", "console")[:2] == (0, DRAWN)


# ---- invalid or incomplete batches


def _application(*more: object, **changes: object) -> str:
    kind, values, _ = json.loads(recorded_application(APPLICATION))
    return json.dumps([kind, {**values, **changes}, *more])


NO_BATCH: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "line 1 is not the application of a recorded batch: it is empty; name a file written"),
    "text": ("atlas.kafka.sasl.password=s3cret\n", "Expecting value"),
    "binary": (bytes(range(256)) * 9, "UTF-16 or binary data; convert it with iconv"),
    "a number": ("5\n", "line 1 is not the application"),
    "a list": ("[]\n", "not enough values"),
    "deep": ("[" * 200_000, "line 1 is not the application"),
    "messages": ('{"version":{"version":"1.0.0"}}\n', "messages, not a recording: use --to"),
    "an event": (JOINED, "line 1 is not the application"),
    "kind": ('["\\u001b[31m\\u202e",{}]', "a line of kind '\\x1b[31m\\u202e'"),
    "no values": ('["application"]', "not enough values"),
    "no mapping": ('["application",5]', "is not a mapping"),
    "types": (_application(application_id=7), "its application_id is of int, not str"),
    "no id": (_application(application_id=None), "its application_id is of None, not str"),
    "facts": (_application(facts=[["run", 7]]), "its facts, labels or engine are not texts"),
    "fact": (_application(facts=5), "not iterable"),
    "newer": (_application("9.9.1", colour="blue"), "it was recorded by sac-kafka 9.9.1: replay it with that version"),
    "forged": (_application("9\x1b]0;x\x07\r\n9", **{"\x1b[2J": 1}), "replay it with that version"),
}


@pytest.mark.parametrize("name", NO_BATCH)
def test_invalid_batch_is_one_line(name: str, tmp_path: Path, cli: Cli) -> None:
    content, message = NO_BATCH[name]
    (tmp_path / "x").write_bytes(content.encode() if isinstance(content, str) else content)
    shown = cli("replay", tmp_path / "x")
    assert shown.status == 2
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert message in shown.err
    assert "s3cret" not in shown.err
    assert not CONTROL & set(shown.err)


def test_recording_keeps_the_facts_of_its_platform(tmp_path: Path) -> None:
    application = dataclasses.replace(APPLICATION, facts=(("platform", "glue"), ("run_id", "jr_1")))
    (tmp_path / "x").write_text(f"{recorded_application(application)}\n", "utf-8")
    assert read_recording(tmp_path / "x").application == application


def _cut(text: str) -> str:
    return text[: len(text) // 2]


def _with_strange_lines(text: str) -> str:
    first, _, rest = text.partition("\n")
    return "\n".join((first, '["of a later version",1]', "\x1b[2J", "[" * 200_000, '["event",1,[[]]]', rest))


@pytest.mark.parametrize(("damaged", "count"), [(_cut, 0), (_with_strange_lines, 1)])
def test_unreplayable_lines_are_counted_and_the_others_drawn(
    damaged: Callable[[str], str], count: int, batch: Path, cli: Cli
) -> None:
    batch.write_text(damaged(batch.read_text()))
    shown = cli("replay", batch)
    assert shown.status == 1
    assert shown.out == DRAWN * count
    assert shown.err.count("\n") == 1
    assert ("4 lines cannot be replayed: line 2: KeyError in decode" if count else "1 line cannot be") in shown.err


def test_a_line_that_never_ends_is_cut(batch: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr(input_lines, "MAX_CHARACTERS", 4096)
    first, _, rest = batch.read_text().partition("\n")
    batch.write_text(f'{first}\n["event",1,{"[" * 10_000}\n{rest}')
    shown = cli("replay", batch)
    assert shown.status == 1
    assert shown.out == DRAWN
    assert "1 line cannot be replayed: line 2: " in shown.err


def test_batch_without_lineage_is_reported(batch: Path, cli: Cli) -> None:
    batch.write_text(recorded_application(APPLICATION) + "\n")
    for options in ([], ["--json"]):
        assert cli("replay", batch, *options) == (1, "", f"sac-kafka replay: {batch} has no lineage\n")


def test_sources_of_a_column_as_json(batch: Path, cli: Cli) -> None:
    found = cli("replay", batch, "--json", "--column", "join.country").json(0)
    assert [each["column"] for way in found["paths"] for each in way] == ["country", "country"]


def test_undelivered_messages_as_json() -> None:
    sent = replay.Delivery("a file")
    assert sent.as_json() == {"to": "a file", "delivered": 0, "lost": []}
    sent.give_up()
    (lost,) = sent.as_json()["lost"]
    assert lost == {"messages": 1, "what": "not sent", "why": "an earlier message failed"}
