"""Commands with several destinations (`atlas.also`): they handle all of them, or the one of `--destination`.

The examples of docs/two-catalogs.md are run here.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.deadlines import Deadline
from sac_kafka.hook.dialects import check_dialect
from sac_kafka.hook.recording import recorded_application
from sac_kafka.settings import Settings
from sac_kafka.settings.files.finding import FILE_NAME, Places
from sac_kafka.settings.files.reading import read_configuration
from sac_kafka.settings.sinks import ClientType
from sac_kafka.settings.suspicious_keys import suspicious_keys
from sac_kafka.tools.cli import doctor
from sac_kafka.tools.cli.configured import Configured, pair, read_with_options
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.doctor import checks
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.reader import is_purview
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.options import destination_of, name_destinations, options_of
from sac_kafka.transport.spool.spool import Spool
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION
from tests.helpers.spool_options import options_in
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


def test_messages_of_a_sink_that_would_lose_them_are_not_replayed(
    conf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (conf / "spool" / "also-purview").rename(conf / "spool" / "also-console")
    assert main(["spool", "replay"]) == 1
    captured = capsys.readouterr()
    assert "console: not replayed; see sac-kafka spool replay --destination console" in captured.err
    assert "first destination: 1 message delivered" in captured.out
    assert main(["spool", "replay", "--destination", "console"]) == 2
    assert "would lose the messages" in capsys.readouterr().err


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
    assert "atlas.also.purview.kafka.bootstrap.servers is not set" in capsys.readouterr().err


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
    captured = capsys.readouterr()
    assert "--destination x: atlas.also has no such name (it has: purview, console)" in captured.err + captured.out


def test_commands_of_the_page_run(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    commands = [shlex.split(line)[1:] for line in block.splitlines()]
    assert len(commands) == 4
    for command in commands:
        text = printed(capsys, *command)
        assert "purview" in text, command
    assert (conf / "purview.jsonl").exists()


def page_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """Write the properties of the page, before and after the switch, to before.properties and after.properties."""
    monkeypatch.setenv("PURVIEW_SECRET", "not a secret")
    monkeypatch.chdir(folder)
    settings = []
    for name, block in zip(("before", "after"), _BLOCKS.findall(PAGE.read_text("utf-8")), strict=True):
        (folder / f"{name}.properties").write_text(block)
        configuration = read_configuration(Places(option=f"{name}.properties"), {})
        assert not suspicious_keys(configuration)
        settings.append(Settings.of(configuration))
    return settings


_BLOCKS = re.compile(r"```properties\n(.*?)```", re.DOTALL)


def test_properties_of_the_page_have_two_catalogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, _ = page_settings(tmp_path, monkeypatch)
    (_, first), (name, purview) = name_destinations(settings)
    assert (first.sink.client_type, name, purview.sink.client_type) == (ClientType.KAFKA, "purview", ClientType.PURVIEW)
    assert (is_purview(first), is_purview(purview)) == (False, True)
    assert (first.rest.address, purview.rest.address) != (purview.rest.address, first.rest.address)
    assert purview.names.namespace == first.names.namespace == "prod"
    check_dialect(purview)
    sink_of(purview).make(purview, None).close(0)


def test_after_the_switch_of_the_page_the_hook_goes_on_as_its_further_destination(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = page_settings(tmp_path, monkeypatch)
    purview = dict(name_destinations(before))["purview"]
    assert "purview" in printed(capsys, "config", "--conf-file", "after.properties")
    assert (destination_of(after), after.names, after.entra) == (destination_of(purview), purview.names, purview.entra)
    assert Path(after.spool.dir or "").absolute() == Path(purview.spool.dir or "").absolute()
    assert not after.kafka.properties
    assert not tuple(after.further())


def test_names_are_explained_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page_settings(tmp_path, monkeypatch)
    uri = "abfss://c@a.dfs.core.windows.net/x"
    text = printed(capsys, "map", "explain", uri, "--conf-file", "before.properties", "--destination", "purview")
    assert "https://a.dfs.core.windows.net/c/x" in text


MESSAGE = json.dumps(json.loads((PAGE.parents[1] / "tests/unit/atlas/golden/first_sight.json").read_text()))


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    file = tmp_path / "batch.txt"
    text = (BATCHES / owed()[1] / "join.txt").read_text("utf-8")
    file.write_text(f"{recorded_application(APPLICATION)}\n{text}", "utf-8")
    return file


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_messages_are_resent_to_the_named_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (conf / "x.jsonl").write_text(f"{MESSAGE}\n")
    resend = ("replay", "x.jsonl", "--to", "file", "--destination")
    assert main([*resend, "purview"]) == 0
    assert (lines_of(conf / "first.jsonl"), lines_of(conf / "purview.jsonl")) == (0, 1)
    assert main([*resend, "purview", "--to-conf", f"atlas.client.file.path={conf}/other.jsonl"]) == 0
    assert (lines_of(conf / "purview.jsonl"), lines_of(conf / "other.jsonl")) == (1, 1)
    (conf / "other.properties").write_text(f"atlas.also=file\natlas.also.file.client.file.path={conf}/third.jsonl\n")
    assert main([*resend, "file", "--to-conf-file", "other.properties"]) == 0
    assert lines_of(conf / "third.jsonl") == 1
    assert main([*resend, "zzz"]) == 2
    assert "--destination zzz: atlas.also has no such name" in capsys.readouterr().err
    assert not (conf / "first.jsonl").exists()


@pytest.mark.parametrize("to", [(), ("--to", "console")])
def test_a_recording_reaches_no_other_sink_than_the_given_one(to: tuple[str, ...], conf: Path, recording: Path) -> None:
    assert main(["replay", str(recording), *to, "--destination", "purview"]) == 0
    assert not (conf / "purview.jsonl").exists()
    assert main(["replay", str(recording), "--to", "file", "--destination", "purview"]) == 0
    assert "@copy" in (conf / "purview.jsonl").read_text()


def test_messages_of_other_sinks_than_kafka_are_in_no_topic(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("tail", "show"):
        assert main([command, "topic", "--destination", "purview"]) == 2
        assert "--destination purview: its messages go to file, not to a topic" in capsys.readouterr().err


def test_a_wrong_destination_is_an_error_with_a_directory_too(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spool", "list", "--dir", str(conf / "spool"), "--destination", "zzz"]) == 2
    assert "--destination zzz: atlas.also has no such name" in capsys.readouterr().err


def test_spool_replay_goes_on_after_a_destination_with_an_error(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = ("--conf", "atlas.client.type=kafka")  # has no bootstrap servers
    assert main(["spool", "replay", *wrong]) == 1
    captured = capsys.readouterr()
    assert "first destination: " in captured.err
    assert "atlas.kafka.bootstrap.servers is not set" in captured.err
    assert captured.out == "purview: 2 messages delivered, 0 dropped, 0 rejected, 0 left\n"
    assert main(["spool", "replay", "--json", *wrong]) == 1
    results = json.loads(capsys.readouterr().out)["destinations"]
    assert "is not set" in results["first destination"]["problem"]
    assert (results["first destination"]["left"], results["purview"]["left"]) == (1, 0)
    assert set(results["first destination"]) == set(results["purview"])


@pytest.mark.parametrize("name", ["first destination", "purview"])
def test_the_command_for_messages_of_others_runs(name: str, conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = "also.purview." if name == "purview" else ""
    elsewhere = ("--conf", f"atlas.{own}client.file.path={conf}/elsewhere.jsonl")
    main(["spool", "replay", *elsewhere])
    (command,) = re.findall(rf"{name}: .*to deliver them here, run sac-kafka (.*)", capsys.readouterr().out)
    assert main([*shlex.split(command), *elsewhere]) == 0
    assert lines_of(conf / "elsewhere.jsonl") == (2 if own else 1)
    settings = name_destinations(Settings.of(read_configuration(Places(option=str(conf / FILE_NAME)), {})))
    own_settings = dict(settings)["purview" if own else ""]
    assert options_of(own_settings).replay == f"sac-kafka {command}"


def test_doctor_goes_on_after_an_invalid_destination(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--conf", "atlas.also.purview.client.type=rest"]) == 1
    steps = json.loads(capsys.readouterr().out)["steps"]
    (error,) = [step["text"] for step in steps if step["verdict"] == "fail" and step["step"] == "configuration"]
    assert error.startswith("purview: ")
    assert "atlas.also.purview.rest.address is not set" in error
    assert [step["text"] for step in steps if step["step"] == "sink"][1:] == ["console: console"]


def test_a_slow_destination_takes_no_time_of_the_others(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, given = [0.0], []

    def examine(settings: Settings, seconds: float, driver: object) -> Iterator[Finding]:
        given.append(seconds)
        now[0] += seconds
        yield Finding(Verdict.GOOD, "sink", "slow")

    monkeypatch.setattr(checks, "sink_of", lambda settings: replace(sink_of(settings), examine=examine))
    settings = Settings.of(read_configuration(Places(option=str(conf / FILE_NAME)), {}))
    configured = Configured(settings, read_configuration(Places(option=str(conf / FILE_NAME)), {}))
    tuple(checks.run_checks(lambda _: configured, Deadline(12, lambda: now[0]), None, sends=False))
    assert given == [4, 4, 4]


def test_a_test_message_decides_for_its_own_destination_only() -> None:
    steps = [Finding(Verdict.UNKNOWN, "login", ""), Finding(Verdict.GOOD, "send", "")]
    assert doctor._verdict(steps) is Verdict.GOOD
    assert doctor._verdict([*steps, Finding(Verdict.UNKNOWN, "login", "", "copy")]) is Verdict.UNKNOWN


def test_a_password_is_in_no_repr(conf: Path) -> None:
    secret = ("atlas.kafka.sasl.password=hunter2", "atlas.also.purview.hook.spark.rest.token=hunter2")
    for name in (None, "purview", "console"):
        arguments = argparse.Namespace(
            conf=[pair(each) for each in secret], conf_dir=None, conf_file=str(conf / FILE_NAME), destination=name
        )
        configured = read_with_options(arguments)
        for part in (configured, configured.configuration, configured.settings, configured.settings.source):
            assert "hunter2" not in repr(part)


def test_config_prints_the_effective_value_of_a_key_set_twice(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (conf / FILE_NAME).open("a") as file:
        file.write("atlas.hook.spark.rest.timeout.seconds=1\natlas.hook.spark.rest.timeout.seconds=2\n")
        file.write("atlas.also.purview.hook.spark.rest.timeout.seconds=3\n")
    found = json.loads(printed(capsys, "config", "--json", "--destination", "purview"))
    assert {row["key"]: row["value"] for row in found["settings"]}["atlas.hook.spark.rest.timeout.seconds"] == "3"


def test_a_shared_path_is_reported_once(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "config", "--conf", f"atlas.hook.spark.metrics.prometheus.path={conf}/none/x.prom")
    assert text.count("the directory does not exist") == 1


def test_a_blank_list_leaves_the_first_destination_only(conf: Path) -> None:
    text = ("--conf", "atlas.also=", "--conf", "atlas.client.type=console")
    assert main(["config", *text]) == 0
    settings = Settings.of(
        read_configuration(Places(option=str(conf / FILE_NAME), spark_conf={"spark.atlas.also": ""}), {})
    )
    assert [name for name, _ in name_destinations(settings)] == [""]


def test_a_topic_does_not_steer_the_terminal(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spool = Spool(Down(), options_in(conf / "other"), "application_8")
    spool.send(Record("A\x1b[2J\u202eB", b"k", (b'{"message":{}}',)), lambda _: None)
    spool.close(0)
    for command in ("list", "show"):
        text = printed(capsys, "spool", command, "--dir", str(conf / "other"))
        assert not {"\x1b", "\u202e"} & set(text)
