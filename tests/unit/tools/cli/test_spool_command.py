"""`sac-kafka spool` on the directory that a driver left; delivered messages go to a file.

The examples of docs/spool.md are run here.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from sac_kafka.settings import Settings
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, MessageKind, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.spooled import kept, spool_files
from tests.unit.atlas.flows import messages_for, process, table
from tests.unit.tools.cli.conftest import Cli

SECRET = "hunter2secret"


class Failing(MemoryTransport):
    """A transport that rejects marked messages and fails all others."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        is_refused = b"refused" in record.values[0]
        outcome(Failure(FailureKind.REJECTED if is_refused else FailureKind.TRANSIENT, "no broker"))


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    (tmp_path / "atlas-application.properties").write_text(
        f"atlas.client.type=file\natlas.client.file.path={tmp_path}/out.jsonl\natlas.hook.spool.dir={tmp_path}/spool\n"
    )
    return tmp_path


def settings_of(conf: Path, **more: str) -> Settings:
    lines = (conf / "atlas-application.properties").read_text().splitlines()
    return Settings.read({**dict(line.split("=", 1) for line in lines), **more}, "test")


def leave(conf: Path, *texts: str, is_alive: bool = False, topic: str = "ATLAS_HOOK", **more: str) -> Spool:
    """Let a driver leave messages and end."""
    spool = Spool(Failing(), options_of(settings_of(conf, **more)), "application_7")
    for number, text in enumerate(texts):
        value = json.dumps({"spooled": False, "message": {"n": number, "text": text}}).encode()
        spool.send(
            Record(topic, b"k", (value.replace(b" ", b""),), MessageKind.FLOW, 1_800_000_000_000), lambda _: None
        )
    if not is_alive:
        spool.close(0)
    return spool


@pytest.fixture
def run(conf: Path, cli: Cli) -> Cli:
    """Return a function that runs `sac-kafka spool …` with this configuration."""
    return lambda action, *words: cli("spool", action, "--conf-dir", conf, *words)


def delivered(conf: Path) -> list[str]:
    file = conf / "out.jsonl"
    return [json.loads(line)["message"]["text"] for line in file.read_text().splitlines()] if file.exists() else []


TYPO = "--dir typo: no such directory"


@pytest.mark.parametrize(
    ("words", "status", "out", "err"),
    [
        ("list", 0, "{conf}/spool\nthe spool is empty\n", ""),
        ("list --json", 0, '{{\n  "directory": "{conf}/spool",\n  "files": []\n}}\n', ""),
        ("show", 0, "", ""),
        ("replay", 0, "0 messages delivered, 0 dropped, 0 rejected, 0 left", ""),
        ("purge --yes", 0, "nothing to delete\n", ""),
        ("show nothing.avro", 2, "", "has no spool file nothing.avro"),
        ("list --dir file", 2, "", "file: not a readable directory"),
        *((f"{action} --dir typo", 2, "", TYPO) for action in ("list", "show", "purge", "replay")),
    ],
)
def test_empty_spool(
    words: str, status: int, out: str, err: str, conf: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(conf)
    (conf / "file").write_text("")
    action, *more = words.split()
    cli("spool", action, "--conf-dir", conf, *more).check(status, out.format(conf=conf), err)


def test_a_directory_is_shown_on_a_stream_without_its_letters(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", stream)
    (conf / "größe").mkdir()
    assert main(["spool", "list", "--conf-dir", str(conf), "--dir", str(conf / "größe")]) == 0
    stream.flush()
    assert b"/gr??e\n" in stream.buffer.getvalue()  # type: ignore[attr-defined]


OTHER = {"atlas.notification.hook.topic.name": "OTHER_HOOK"}
ELSEWHERE = {"atlas.client.file.path": "/elsewhere"}


def test_list_shows_pending_messages(conf: Path, run: Cli, cli: Cli) -> None:
    alive = leave(conf, "d", is_alive=True)
    leave(conf, "refused", "a", "b")
    leave(conf, "c", topic="OTHER_HOOK", **OTHER)
    head, titles, *rows, total, others = run("list").out.splitlines()
    assert (head, total) == (f"{conf}/spool", "5 messages in 4 files")
    assert titles.split() == ["MESSAGES", "DAMAGED", "BYTES", "AGE", "STATE", "TOPIC", "FILE"]
    assert others == (
        f"another destination: other servers or another topic than file {conf}/out.jsonl; to deliver them here, run "
        "sac-kafka spool replay --any-destination"
    )
    assert [(row.split()[0], row[38:48].strip(), row[50:60], "another destination" in row) for row in rows] == [
        ("1", "in use", "ATLAS_HOOK", False),
        ("2", "waiting", "ATLAS_HOOK", False),
        ("1", "waiting", "OTHER_HOOK", True),
        ("1", "rejected", "ATLAS_HOOK", False),
    ]
    assert rows[3].split()[-1].startswith("rejected/application_7-")
    found = run("list", "--json").json(0)
    assert found["directory"] == f"{conf}/spool"
    shown = [(each["messages"], each["state"], each["topic"], each["is_for_another"]) for each in found["files"]]
    assert shown[1:3] == [(2, "waiting", "ATLAS_HOOK", False), (1, "waiting", "OTHER_HOOK", True)]
    assert all((conf / "spool" / each["file"]).stat().st_size == each["bytes"] for each in found["files"])
    assert all(each["started_ms"] > 1_700_000_000_000 for each in found["files"])  # not measured
    alive.close(0)


def test_show_masks_what_is_secret(conf: Path, run: Cli) -> None:
    leave(conf, "refused", f"jdbc:postgresql://me:{SECRET}@db/x", "plain")
    out = run("show").out
    first, second = map(json.loads, out.splitlines())
    assert SECRET not in out
    assert first["values"][0]["message"]["text"] == "jdbc:postgresql://********@db/x"
    assert (second["id"], second["topic"], second["key"], second["kind"]) == (3, "ATLAS_HOOK", "k", "flow")
    assert (second["reason"], second["created"]) == ("no broker", "2027-01-15T08:00:00.000+00:00")
    assert run("show", "--rejected").json(0)["file"].startswith("rejected/")
    assert len(run("show", first["file"]).out.splitlines()) == 2


def test_replay_delivers_in_order(conf: Path, run: Cli) -> None:
    leave(conf, "refused", "a", "b")
    leave(conf, "c", "d")
    run("replay").check(0, "4 messages delivered, 0 dropped, 0 rejected, 0 left\n")
    assert delivered(conf) == ["a", "b", "c", "d"]
    assert b'"spooled":true' in (conf / "out.jsonl").read_bytes()
    assert [each.name for each in (conf / "spool").iterdir()] == ["rejected"]
    assert run("replay", "--rejected").status == 0
    assert delivered(conf)[-1] == "refused"


def test_replay_shows_remaining_messages_once(conf: Path, run: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sac_kafka.tools.cli.spool_replay._PROGRESS_SECONDS", 0.1)
    leave(conf, "a", "b")
    (conf / "out.jsonl").symlink_to(conf / "no" / "such")
    result = run("replay", "--timeout", "1")
    result.check(1, "make it writable, or set atlas.client.file.path")
    assert result.out.startswith("0 messages delivered, 0 dropped, 0 rejected, 2 left\n")
    assert "delivered," not in result.err
    (conf / "out.jsonl").unlink()
    assert run("replay").out.startswith("2 messages delivered, ")
    assert delivered(conf) == ["a", "b"]


def test_replay_skips_the_files_of_running_drivers(conf: Path, run: Cli) -> None:
    alive = leave(conf, "a", is_alive=True)
    in_use = "1 message in 1 file in use by other processes, which deliver them\n"
    run("replay").check(1, f"0 messages delivered, 0 dropped, 0 rejected, 0 left\n{in_use}")
    assert delivered(conf) == []
    alive.close(0)


def test_replay_to_another_destination_needs_confirmation(conf: Path, run: Cli) -> None:
    alive = leave(conf, "c", is_alive=True, **ELSEWHERE)
    leave(conf, "a", "b", topic="OTHER_HOOK", **ELSEWHERE)
    assert run("replay").out.splitlines()[:2] == [
        "0 messages delivered, 0 dropped, 0 rejected, 0 left",
        f"2 messages in 1 file for another destination than file {conf}/out.jsonl (topic OTHER_HOOK) were not delivered; "
        "to deliver them here, run sac-kafka spool replay --any-destination",
    ]
    assert delivered(conf) == []
    result = run("replay", "--any-destination")  # one is in use
    assert (result.status, "another destination" in result.out, delivered(conf)) == (1, False, ["a", "b"])
    alive.close(0)
    assert run("replay", "--any-destination").status == 0
    assert delivered(conf) == ["a", "b", "c"]


def test_purge_needs_confirmation(conf: Path, run: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    alive = leave(conf, "c", is_alive=True)
    leave(conf, "refused", "a", "b")
    for option in ((), ("--json",)):
        run("purge", *option).check(2, "", "2 messages in 1 file would be lost: pass --yes")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    assert run("purge").status == 1
    assert len(kept(conf / "spool")) == 3
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert run("purge").status == 0
    assert len(kept(conf / "spool")) == 1  # the living driver's
    assert len(kept(conf / "spool" / "rejected")) == 1
    nothing = {"messages": 0, "files": 0}
    for removed in ({"messages": 1, "files": 1}, nothing):
        assert run("purge", "--rejected", "--json", "--yes").json(0) == {"removed": removed, "left": nothing}
    assert kept(conf / "spool" / "rejected") == []
    alive.close(0)


INVALID = "atlas.client.type=console\natlas.hook.spark.spool.max.bytes=much\n"
EVERY = ("list", "show", "purge", "replay")


@pytest.mark.parametrize(
    ("text", "conf_dir", "words", "status", "out", "err"),
    [
        (None, None, "list --dir {spool}", 0, "1 message in 1 file", ""),
        (None, None, "replay --dir {spool}", 2, "", "atlas-application.properties"),  # where to?
        (None, None, "list", 0, "the spool is empty", "no configuration found: using the default directory"),
        (None, "/nope", "list --dir {spool}", 0, "1 message in 1 file", "/nope"),
        *((None, "/nope", action, 2, "", "/nope") for action in EVERY),
        *((INVALID, None, action, 2, "", "atlas.hook.spark.spool.max.bytes") for action in EVERY),
        ("# nothing\n", None, "list --dir {spool}", 0, "1 message in 1 file", ""),
        ("# nothing\n", None, "list", 2, "", "no line sets an atlas.… key"),
    ],
)
def test_a_named_directory_needs_no_configuration(
    conf: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch,
    text: str | None, conf_dir: str | None, words: str, status: int, out: str, err: str,
) -> None:  # fmt: skip
    leave(conf, "a")
    monkeypatch.setattr("sac_kafka.transport.spool.directory.tempfile.gettempdir", lambda: str(conf / "no"))
    (conf / "elsewhere").mkdir()
    monkeypatch.chdir(conf / "elsewhere")
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    if text is not None:
        Path("atlas-application.properties").write_text(text)
    if conf_dir is not None:
        monkeypatch.setenv("ATLAS_CONF", conf_dir)
    result = cli("spool", *words.format(spool=conf / "spool").split())
    result.check(status, out, err)


@pytest.mark.parametrize(
    ("options", "topics"),
    [
        ((), {"ATLAS_HOOK": ["b"]}),
        (("--any-destination",), {"ATLAS_HOOK": ["a", "b", "c"]}),
        (("--topic", "RIGHT"), {"RIGHT": ["a", "b", "c"]}),
    ],
)
def test_messages_for_a_misspelt_topic_are_redirected(
    conf: Path, run: Cli, options: tuple[str, ...], topics: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(conf, "a", topic="ATLAS-HOOK", **{"atlas.notification.hook.topic.name": "ATLAS-HOOK"})
    leave(conf, "b")
    leave(conf, "c", topic="ATLAS_HOK", **{"atlas.notification.hook.topic.name": "ATLAS_HOK"})
    transport = MemoryTransport()
    monkeypatch.setattr("sac_kafka.tools.cli.spool_replay.make_transport", lambda settings: transport)
    assert run("replay", *options).status == (0 if options else 1)
    sent: dict[str, list[str]] = {}
    for record in transport.records:
        sent.setdefault(record.topic, []).append(json.loads(record.values[0])["message"]["text"])
    assert sent == topics


@pytest.fixture
def damaged(conf: Path) -> Path:
    """Write a spool of three flows, the first and second damaged on the disk, and a file that belongs to no spool."""
    spool = Spool(Failing(), options_of(settings_of(conf)), "application_7")
    for name in ("first", "second", "third"):
        for message in messages_for(process([table(f"{name}_in", "id")], [table(f"{name}_out", "id")])):
            record = Record("ATLAS_HOOK", b"k", (message.value.encode(),), MessageKind.FLOW, 1_800_000_000_000)
            spool.send(record, lambda _: None)
    spool.close(0)
    (file,) = spool_files(conf / "spool")
    content = file.read_bytes()
    for name in (b"first_in", b"second_in"):
        content = content.replace(name, b"!" * len(name))
    file.write_bytes(content)
    return conf / "spool"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("show {}", 0),
        ("show spool --conf-dir {conf}", 0),
        ("view {} --format mermaid --output {conf}/out.mmd", 0),
        ("impact {} third_in", 0),
        ("coverage {}", 0),
        ("diff {} {}", 0),
        ("cost {}", 0),
        ("validate {}", 1),
        ("spool show --dir {}", 0),
    ],
)
def test_every_command_reports_damaged_messages(words: str, status: int, damaged: Path, cli: Cli) -> None:
    (file,) = spool_files(damaged)
    before = sorted(each.name for each in damaged.iterdir())
    result = cli(*words.format(damaged, damaged, conf=damaged.parent).split())
    assert result.status == status, result
    text = result.out + result.err
    assert "third" in text or words.startswith(("coverage", "cost", "diff", "validate", "view"))
    assert f"{file.name}: " in text
    assert "damaged on the disk" in text
    if not words.startswith("validate"):  # which names each
        (line,) = {each for each in result.err.splitlines() if "damaged" in each}
        assert "2 messages" in line
    assert sorted(each.name for each in damaged.iterdir()) == before


def test_list_counts_damaged_messages(damaged: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(damaged)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    result = cli("spool", "list", "--dir", damaged)
    assert result.out.splitlines()[1].split()[:3] == ["MESSAGES", "DAMAGED", "BYTES"]
    assert result.out.splitlines()[2].split()[:2] == ["1", "2"]
    assert result.out.splitlines()[3] == "1 message in 1 file"
    (listed,) = cli("spool", "list", "--json", "--dir", damaged).json(0)["files"]
    assert (listed["messages"], listed["damaged"], listed["is_for_another"]) == (1, 2, None)


def test_damaged_file_does_not_hide_the_others(conf: Path, run: Cli, cli: Cli) -> None:
    leave(conf, "a")
    (file,) = spool_files(conf / "spool")
    leave(conf, "b")
    file.write_bytes(os.urandom(2000))
    assert f"{file.name}: this is no file of a spool, or may not be read" in cli("show", conf / "spool").err
    run("list").check(0, "unreadable")
    assert run("replay").status == 0
    assert delivered(conf) == ["b"]
    assert (conf / "spool" / "foreign" / file.name).exists()


@pytest.mark.parametrize("sink", ["console", "memory"])
@pytest.mark.parametrize("option", [(), ("--any-destination",), ("--topic", "X")])
def test_a_replay_to_a_sink_that_keeps_nothing_is_refused(
    conf: Path, run: Cli, sink: str, option: tuple[str, ...]
) -> None:
    leave(conf, "a")
    left = kept(conf / "spool")
    remedy = f"sac-kafka spool show --dir {conf}/spool | sac-kafka show -"
    run("replay", *option, "--conf", f"atlas.client.type={sink}").check(2, "", remedy)
    assert kept(conf / "spool") == left != []


def test_replay_for_programs(conf: Path, run: Cli) -> None:
    leave(conf, "a", "b")
    leave(conf, "c", topic="OTHER_HOOK", **OTHER)
    assert run("replay", "--json").json(1) == {
        **dict.fromkeys(("dropped", "rejected", "left"), 0),
        "delivered": 2,
        "reasons": {},
        "problem": "",
        "for_another": {"messages": 1, "files": 1, "topics": ["OTHER_HOOK"]},
        "in_use": {"messages": 0, "files": 0},
        "files_in_use": 0,
    }
