"""`sac-kafka tail`: messages one by one, of files and of a followed topic."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.atlas.wire.message import parts
from sac_kafka.settings import Settings
from sac_kafka.tools.cli.arguments import since
from sac_kafka.tools.doctor.checks import trial_message
from tests.unit.tools.cli.conftest import Cli
from tests.unit.tools.cli.mock_topics import configured, put
from tests.unit.tools.cli.other_hooks import query, topic

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"
FIRST = json.loads((GOLDEN / "first_sight.json").read_text())
COLUMNS = "spark_column_lineage"
BLOCK = """\
2026-11-20T09:11:42Z  daily load (alice)  ENTITY_CREATE_V2  {} bytes, line {}
    daily load: sales.orders -> data/totals
    sales.orders ──▶ hdfs://nn1/data/totals
        2 column flows

"""


def at(time_ms: int, **changes: str) -> str:
    """Return the first message with another time and changed names."""
    text = json.dumps({**FIRST, "msgCreationTime": time_ms})
    for old, new in changes.items():
        text = text.replace(old, json.dumps(new)[1:-1])
    return text


Tail = Callable[..., tuple[str, str]]


@pytest.fixture
def tail(tmp_path: Path, cli: Cli) -> Tail:
    """Return a function that runs `sac-kafka tail` on a file of these lines, and returns output and errors."""

    def run(lines: list[str], *options: str) -> tuple[str, str]:
        (tmp_path / "messages.jsonl").write_text("".join(f"{line}\n" for line in lines))
        status, out, err = cli("tail", tmp_path / "messages.jsonl", *options)
        assert status == 0
        return out, err

    return run


def test_a_block_a_message(tail: Tail) -> None:
    text = json.dumps(FIRST)
    assert tail([text]) == (BLOCK.format(len(text), 1), "")


def test_columns_are_drawn_on_request(tail: Tail) -> None:
    out, _ = tail([json.dumps(FIRST)], "--columns")
    assert "        total ◀─ orders.amount" in out.replace("sales.", "")
    assert "sum(amount)" in out


def test_a_message_in_parts_is_one_block(tail: Tail) -> None:
    text = json.dumps(FIRST)
    cut = parts(text, max_bytes=2000, compresses=True)
    assert tail([each.decode() for each in cut]) == (BLOCK.format(sum(map(len, cut)), len(cut)), "")


def test_the_newest_ten_of_one_partition_of_time(tail: Tail) -> None:
    out, _ = tail([at(1000 * number) for number in range(12)])
    assert out.count("ENTITY_CREATE_V2") == 10
    assert "line 2\n" not in out
    assert "line 3\n" in out
    out, _ = tail([at(1000 * number) for number in range(12)], "-n", "1")
    assert "line 12\n" in out
    assert out.count("ENTITY_CREATE_V2") == 1


def test_since_a_time(tail: Tail) -> None:
    lines = [at(1_000_000_000_000 + 1000 * number) for number in range(20)]
    out, _ = tail(lines, "--since", "2001-09-09T01:46:45Z")
    assert [f"line {number}\n" in out for number in (5, 6, 20)] == [False, True, True]


@pytest.mark.parametrize("text", ["Größen", "GRÖSSEN", "sales.größen"])
def test_grep_finds_letters_that_json_writes_as_numbers(tail: Tail, text: str) -> None:
    out, _ = tail([at(1, orders="größen"), at(2)], "--grep", text)
    assert "sales.größen ──▶" in out
    assert out.count("ENTITY_CREATE_V2") == 1


def test_raw_is_the_message_itself(tail: Tail) -> None:
    text = json.dumps(FIRST, ensure_ascii=False).replace("alice", "älice")
    out, err = tail([text, "no message"], "--raw")
    first, second = out.splitlines()
    assert json.loads(first) == json.loads(text)
    assert (first.isascii(), second, err) == (True, "no message", "")


def test_json_is_an_object_a_line(tail: Tail) -> None:
    out, _ = tail([json.dumps(FIRST)], "--json")
    found = json.loads(out)
    assert {key: found[key] for key in ("place", "time_ms", "type", "user", "job", "records", "changes")} == {
        "place": "line 1",
        "time_ms": 1795165902386,
        "type": "ENTITY_CREATE_V2",
        "user": "alice",
        "job": "daily load",
        "records": 1,
        "changes": [],
    }
    (process,) = found["processes"]
    assert (process["inputs"], process["outputs"]) == (["sales.orders"], ["hdfs://nn1/data/totals"])
    assert process["columns"][1] == {
        "output": "hdfs://nn1/data/totals#total",
        "sources": ["sales.orders.amount"],
        "expression": "sum(amount)",
        "influences": False,
    }


@pytest.mark.parametrize("as_attributes", [False, True])
@pytest.mark.parametrize(("hook", "name"), [("hive", "Hive"), ("impala", "Impala")])
def test_messages_of_other_hooks(tail: Tail, hook: str, name: str, as_attributes: bool) -> None:
    text = query(hook, as_attributes=as_attributes)
    out, err = tail([text], "--columns")
    assert err == ""
    assert out == (
        f"2026-11-20T09:11:42Z  {name} (hive)  ENTITY_CREATE_V2  {len(text)} bytes, line 1\n"
        "    create table totals\n    default.orders ──▶ default.totals\n        n ◀─ default.orders.id   count(1)\n\n"
    )


def test_a_message_without_lineage_is_counted_by_types(tail: Tail) -> None:
    out, _ = tail([topic()])
    assert out.startswith("unknown time  Kafka (kafka)  ENTITY_CREATE_V2  ")
    assert "\n    1 entity: 1 kafka_topic\n" in out


@pytest.mark.bad_messages
def test_message_of_the_doctor_has_no_lineage(tail: Tail) -> None:
    out, err = tail([trial_message(Settings())])
    assert (out.splitlines()[1:], err) == (["    no entities", ""], "")


def test_a_change_of_the_catalog_is_a_line(tail: Tail) -> None:
    dropped = {
        "type": "ENTITY_DELETE_V2",
        "user": "eve",
        "entities": [
            {"typeName": "spark_storagedesc", "uniqueAttributes": {"qualifiedName": "db.t@prod_storage"}},
            {"typeName": "spark_table", "uniqueAttributes": {"qualifiedName": "db.t@prod"}},
        ],
    }
    old = {
        "type": "ENTITY_DELETE",
        "user": "eve",
        "typeName": "hive_table",
        "attribute": "qualifiedName",
        "attributeValue": "db.u@prod",
    }
    out, _ = tail([json.dumps({"message": each}) for each in (dropped, old)])
    assert "line 1\n    dropped table db.t\n" in out
    assert "\n    dropped table db.u\n" in out


def test_unreadable_input_is_one_line(tail: Tail) -> None:
    first = parts(json.dumps(FIRST), max_bytes=2000, compresses=False)[0].decode()
    out, err = tail(["{", json.dumps(FIRST), "[]", first, '{"message": {"type": "X\\u001b[31m"}}'])
    assert out.count("ENTITY_CREATE_V2") == 1
    assert err.count("\n") == 1
    assert err.startswith("sac-kafka tail: 4 messages of ")
    assert "could not be read; line 1: the message is not JSON" in err


def test_long_names_lose_their_middle(tail: Tail) -> None:
    wide = "a" * 5000
    long = {"alice": wide, "daily load": wide, "spark_tabel": wide}
    out, _ = tail([at(1, **long), topic().replace("kafka_topic", wide)])
    assert max(map(len, out.splitlines())) < 400
    assert f"({'a' * 50}…{'a' * 49})" in out


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("command", ["cost", "replay", "tail", "validate"])
def test_utf_16_is_reported_with_a_fix(tmp_path: Path, cli: Cli, command: str, encoding: str) -> None:
    (tmp_path / "x").write_text(json.dumps(FIRST), encoding)
    fix = "x: UTF-16 or binary data; convert it with iconv -f UTF-16 -t UTF-8, else name a file"
    cli(command, tmp_path / "x").check(2, "", fix)


def test_a_process_without_datasets_is_itself_and_no_more_columns(tail: Tail) -> None:
    entity = {"typeName": "hive_process", "attributes": {"qualifiedName": "q@c", "name": "truncate"}}
    empty = {"relationshipAttributes": {"inputs": [], "outputs": []}}
    body = {"type": "ENTITY_CREATE_V2", "user": "hive", "entities": {"entities": [{**entity, **empty}]}}
    out, _ = tail([json.dumps({"message": body})])
    assert out.splitlines()[1:] == ["    truncate: no dataset on either side", ""]
    lineage = next(each for each in FIRST["message"]["entities"]["entities"] if each["typeName"] == COLUMNS)
    process = {"typeName": "spark_process", "uniqueAttributes": {"qualifiedName": "load@prod"}}
    more = copy.deepcopy(lineage)
    more["relationshipAttributes"] |= {
        "process": process,
        "inputs": [],
        "outputs": [{"typeName": "spark_column", "uniqueAttributes": {"qualifiedName": "db.t.c@prod"}}],
    }
    body = {"type": "ENTITY_CREATE_V2", "user": "x", "entities": {"entities": [more]}}
    out, _ = tail([json.dumps({"message": body})])
    assert out.splitlines()[1:] == ["    more columns of load", "        1 column flow", ""]


def test_file_cannot_be_followed(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "x").write_text("")
    cli("tail", tmp_path / "x", "--follow").check(2, "", "--follow works with topic only; pipe a growing file")


@pytest.mark.parametrize(("text", "ago"), [("30s", 30), ("5m", 300), ("2h", 7200), ("7d", 604_800)])
def test_so_long_ago(text: str, ago: int) -> None:
    assert since(text, clock=lambda: 1_800_000_000.25) == (1_800_000_000 - ago) * 1000 + 250


def test_a_date_with_and_without_a_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert since("2026-11-20T09:11:42Z") == since("2026-11-20T10:11:42+01:00") == 1_795_165_902_000
    monkeypatch.setenv("TZ", "UTC-2")
    time.tzset()
    try:
        assert since("2026-11-20 11:11:42") == 1_795_165_902_000
    finally:
        monkeypatch.undo()
        time.tzset()


def started(*options: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "COLUMNS": "60", "NO_COLOR": "1", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "sac_kafka.tools.cli.main", "tail", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdout=pipe, stderr=pipe, stdin=subprocess.DEVNULL, env=environment, preexec_fn=_hearing_the_keyboard
    )


def _hearing_the_keyboard() -> None:
    """Restore SIGINT: processes that a shell starts in the background ignore Ctrl-C, and so do their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.kafka
def test_following_ends_when_the_pipe_is_closed(cluster: str, tmp_path: Path) -> None:
    put(cluster, "FOLLOWED", "{", at(1, orders="größen"))
    with started("--follow", *configured(tmp_path, cluster, "FOLLOWED")) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        first = [running.stdout.readline() for _ in range(3)]
        assert first[2] == b"    sales.gr??en --> hdfs://nn1/data/totals\n"
        running.stdout.close()  # as `| head -3` does; there is no further output
        running.wait()
        assert running.stderr.read().count(b"\n") == 1


@pytest.mark.kafka
def test_following_ends_by_the_keyboard(cluster: str, tmp_path: Path) -> None:
    put(cluster, "ENDED", at(1), at(2))
    with started("-f", "-n", "1", "--json", *configured(tmp_path, cluster, "ENDED")) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        found = json.loads(running.stdout.readline())
        assert (found["created_ms"], found["key"], found["place"][-9:]) == (2, "app", " offset 1")
        running.send_signal(signal.SIGINT)
        assert (running.wait(), running.stderr.read()) == (130, b"")


@pytest.mark.kafka
def test_unreadable_topic_is_one_line(tmp_path: Path) -> None:
    given = configured(tmp_path, "127.0.0.1:1", "NOWHERE")
    with started("--timeout", "2", *given) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        errors = running.stderr.read().decode()
        assert (running.wait(), running.stdout.read(), errors.count("\n")) == (2, b"", 1)
    assert errors.startswith(
        "sac-kafka tail: nothing listens on the broker's port; check atlas.kafka.bootstrap.servers"
    )


def test_entity_without_a_name_is_shown_by_its_guid(tail: Tail, tmp_path: Path, cli: Cli) -> None:
    guids = [f"7c8ebc2e-4e0b-4b3f-9b0e-00000000000{number}" for number in range(3)]
    found = json.loads(query())
    process, column = found["message"]["entities"]["entities"][2:]
    process["relationshipAttributes"]["inputs"] = [{"guid": guids[0]}]
    column["relationshipAttributes"]["inputs"] = [{"guid": guids[1]}]
    update = {"type": "ENTITY_PARTIAL_UPDATE_V2", "entityId": {"guid": guids[2]}}
    update["entity"] = {"entity": {"attributes": {"comment": "new"}}}
    lines = [json.dumps(found), json.dumps({"message": update})]
    out, err = tail(lines, "--columns")
    assert err == ""
    assert f"    guid:{guids[0]} ──▶ default.totals\n" in out
    assert f"        n ◀─ unknown dataset.guid:{guids[1]}   count(1)\n" in out
    assert f"    altered unknown type guid:{guids[2]}: comment new\n" in out
    for words in ("show {}", "cost {}", "impact {} totals --upstream", "diff {0} {0}"):
        result = cli(*words.format(tmp_path / "messages.jsonl").split())
        assert (result.status, result.err) == (0, "")


def test_sqoop_is_recognised_by_its_types_although_it_writes_to_hive(tail: Tail) -> None:
    entities = [
        {"typeName": kind, "guid": f"-{number}", "attributes": {"qualifiedName": f"{kind}@cm", "name": kind}}
        for number, kind in enumerate(("hive_table", "sqoop_dbdatastore", "sqoop_process"), 1)
    ]
    body = {"type": "ENTITY_CREATE_V2", "user": "etl", "entities": {"entities": entities}}
    out, _ = tail([json.dumps({"message": body})])
    assert "  Sqoop (etl)  ENTITY_CREATE_V2" in out
