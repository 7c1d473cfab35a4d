"""Commands with several destinations (`atlas.also`): they handle all of them, or the one of `--destination`.

The examples of docs/two-catalogs.md are run here.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from sac_kafka.hook.dialects import check_dialect
from sac_kafka.settings import Settings
from sac_kafka.settings.files.finding import Places
from sac_kafka.settings.files.reading import read_configuration
from sac_kafka.settings.sinks import ClientType
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.reader import is_purview
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.options import name_destinations, options_of
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.spooled import kept

PAGE = Path(__file__).parents[4] / "docs" / "two-catalogs.md"


class Down(MemoryTransport):
    """A transport whose server is down."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        outcome(Failure(FailureKind.TRANSIENT, "no broker"))


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a configuration of three destinations, of which the first two have one and two spooled messages."""
    monkeypatch.chdir(tmp_path)
    keys = {
        "atlas.client.type": "file",
        "atlas.client.file.path": str(tmp_path / "first.jsonl"),
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
        "atlas.metadata.namespace": "prod",
        "atlas.also": "purview, console",
        "atlas.also.purview.client.type": "file",
        "atlas.also.purview.client.file.path": str(tmp_path / "purview.jsonl"),
        "atlas.also.purview.metadata.namespace": "copy",
    }
    lines = (f"{key}={value}\n" for key, value in keys.items())
    (tmp_path / "atlas-application.properties").write_text("".join(lines))
    for number, (_, settings) in enumerate(name_destinations(Settings.read(keys, "a test"))[:2], 1):
        spool = Spool(Down(), options_of(settings), "application_7")
        for _ in range(number):
            spool.send(Record("ATLAS_HOOK", b"k", (b'{"message":{"n":%d}}' % number,)), lambda _: None)
        spool.close(0)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main([*arguments]) == status, capsys.readouterr()
    return capsys.readouterr().out


def test_spool_list_covers_all_destinations(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "spool", "list")
    assert f"first destination: {conf}/spool\n" in text
    assert f"purview: {conf}/spool/also-purview\n" in text
    assert f"console: {conf}/spool/also-console\nthe spool is empty\n" in text
    found = json.loads(printed(capsys, "spool", "list", "--json"))["destinations"]
    assert {name: [file["messages"] for file in spool["files"]] for name, spool in found.items()} == {
        "first destination": [1],
        "purview": [2],
        "console": [],
    }
    alone = json.loads(printed(capsys, "spool", "list", "--json", "--destination", "purview"))
    assert alone == found["purview"]


def test_spool_replay_delivers_to_each_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "spool", "replay")
    assert text == (
        "first destination: 1 message delivered, 0 dropped, 0 rejected, 0 left\n"
        "purview: 2 messages delivered, 0 dropped, 0 rejected, 0 left\n"
    )
    assert len((conf / "first.jsonl").read_text().splitlines()) == 1
    assert len((conf / "purview.jsonl").read_text().splitlines()) == 2


def test_spool_replay_delivers_to_one_destination_only(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "spool", "replay", "--destination", "purview")
    assert text == "purview: 2 messages delivered, 0 dropped, 0 rejected, 0 left\n"
    assert not (conf / "first.jsonl").exists()
    assert len(kept(conf / "spool")) == 1


def test_messages_for_others_are_sent_to_a_named_destination_only(
    conf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spool", "replay", "--any-destination"]) == 2
    assert "choose the one that all messages are for: --destination NAME" in capsys.readouterr().err
    arguments = ("--any-destination", "--destination", "purview", "--dir", str(conf / "spool"))
    assert "1 message delivered" in printed(capsys, "spool", "replay", *arguments)
    assert (conf / "purview.jsonl").read_text() == '{"message":{"n":1}}\n'


def test_spool_show_and_purge_state_the_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = [json.loads(line) for line in printed(capsys, "spool", "show").splitlines()]
    assert [(each["destination"], each["values"][0]["message"]["n"]) for each in shown] == [
        ("first destination", 1),
        ("purview", 2),
        ("purview", 2),
    ]
    assert main(["spool", "purge"]) == 2
    assert (
        "first destination: 1 message in 1 file, purview: 2 messages in 1 file would be lost" in capsys.readouterr().err
    )
    assert "purview: removed 2 messages in 1 file" in printed(capsys, "spool", "purge", "--yes", shown[1]["file"])
    assert len(kept(conf / "spool")) == 1
    assert main(["spool", "purge", "--yes", "x.avro"]) == 2
    assert "has no spool file x.avro" in capsys.readouterr().err


def test_config_states_every_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "config")
    assert f"\nalso purview: file {conf}/purview.jsonl, names @copy, spool {conf}/spool/also-purview\n" in text
    assert "\nalso console: console" in text
    found = json.loads(printed(capsys, "config", "--json"))
    assert (found["destination"], sorted(found["also"])) == ("", ["console", "purview"])


def test_config_prints_the_settings_of_one_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "config", "--destination", "purview")
    assert f"\npurview: file {conf}/purview.jsonl, names @copy" in text
    assert "atlas.metadata.namespace = copy    [line 8, atlas.also.purview.metadata.namespace]" in text
    assert f"atlas.hook.spool.dir = {conf}/spool/also-purview    [below the first destination's, atlas.also]" in text
    assert "atlas.also" not in text.partition("Settings")[2].replace(", atlas.also", "")
    found = json.loads(printed(capsys, "config", "--json", "--destination", "console"))
    assert {each["key"]: each["value"] for each in found["settings"]}["atlas.client.type"] == "console"


def test_config_checks_every_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--conf", "atlas.also.purview.client.type=kafka"]) == 2
    assert "atlas.kafka.bootstrap.servers is not set" in capsys.readouterr().err


def test_doctor_checks_every_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    steps = [(step["step"], step["text"]) for step in json.loads(capsys.readouterr().out)["steps"]]
    assert [text.partition(":")[0] for step, text in steps if step == "sink"] == [
        "first destination",
        "purview",
        "console",
    ]
    assert ("names", "purview: end in @copy") in steps
    main(["doctor", "--json", "--destination", "purview"])
    steps = [(step["step"], step["text"]) for step in json.loads(capsys.readouterr().out)["steps"]]
    assert any(step == "configuration" and text.endswith(", destination purview") for step, text in steps)
    assert [text for step, text in steps if step == "sink"] == [f"file {conf}/purview.jsonl"]


def test_doctor_reports_the_destination_that_is_wrong(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = (
        "--conf",
        "atlas.also.purview.client.type=rest",
        "--conf",
        "atlas.also.purview.rest.address=http://127.0.0.1:9",
    )
    assert main(["doctor", "--json", "--timeout", "5", *wrong]) == 1
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [
        step["text"].partition(":")[0] for step in steps if step["verdict"] == "fail" and "127" in step["text"]
    ] == ["purview"]


@pytest.mark.parametrize(
    "command", [("config",), ("doctor",), ("spool", "list"), ("spool", "replay"), ("verify", "spool")]
)
def test_unknown_destination_is_one_clear_error(
    command: tuple[str, ...], conf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--destination", "x"]) != 0
    told = capsys.readouterr()
    assert "--destination x: atlas.also has no such name (it has: purview, console)" in told.err + told.out


def test_commands_of_the_page_run(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    commands = [shlex.split(line)[1:] for line in block.splitlines()]
    assert len(commands) == 4
    for command in commands:
        text = printed(capsys, *command)
        assert "purview" in text, command
    assert (conf / "purview.jsonl").exists()


def test_properties_of_the_page_have_two_catalogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PURVIEW_SECRET", "not a secret")
    (block,) = re.findall(r"```properties\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "x.properties").write_text(block)
    settings = Settings.of(read_configuration(Places(option=str(tmp_path / "x.properties")), {}))
    (_, first), (name, purview) = name_destinations(settings)
    assert (first.sink.client_type, name, purview.sink.client_type) == (ClientType.KAFKA, "purview", ClientType.PURVIEW)
    assert (is_purview(first), is_purview(purview)) == (False, True)
    assert (first.rest.address, purview.rest.address) != (purview.rest.address, first.rest.address)
    assert purview.names.namespace == first.names.namespace == "prod"
    check_dialect(purview)
    sink_of(purview).make(purview, None).close(0)
