"""`sac-kafka show`: messages of a file or a pipe, drawn."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import REPLACED, ColumnLineage, ColumnSource, Dependency
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.tools.cli.main import main
from tests.unit.atlas.flows import DAY, NOW, messages_for, path, process, table
from tests.unit.tools.cli.conftest import Cli

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"
FIRST = json.loads((GOLDEN / "first_sight.json").read_text())


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write two messages, one per line."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "lineage.jsonl"
    paths = json.loads((GOLDEN / "between_paths.json").read_text())
    file.write_text(f"{json.dumps(FIRST)}\n\n{json.dumps(paths)}\n")
    return file


WAY = "hdfs://nn1/data/totals#total\n    ◀─ sales.orders.amount   sum(amount)\n"
COLUMN = "show lineage.jsonl --column"


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("words", "status", "out", "err"),
    [
        ("show lineage.jsonl", 0, "sales.orders ──▶ hdfs://nn1/data/totals\n    ", ""),
        ("show lineage.jsonl", 0, "file:/in ──▶ file:/out\n    x ◀─ in.x", ""),
        (f"{COLUMN} hdfs://nn1/data/totals.total", 0, WAY, ""),
        (f"{COLUMN} totals.total", 0, WAY, ""),
        (f"{COLUMN} data/totals.total", 0, WAY, ""),
        (f"{COLUMN} total", 0, WAY, ""),
        (
            f"{COLUMN} sales.total",
            2,
            "",
            "--column sales.total: no lineage of this column; did you mean hdfs://nn1/data/totals#total?",
        ),
        (
            f"{COLUMN} orders.amount",
            2,
            "",
            "--column orders.amount: sales.orders.amount is only read here, no process writes it; sac-kafka impact lists what",
        ),
        (
            "show absent --all",  # it does not support servers
            2,
            "",
            "sac-kafka show: absent: No such file or directory; name a file of messages, a spool directory, topic or spool\n",
        ),
    ],
)
def test_output(words: str, status: int, out: str, err: str, cli: Cli) -> None:
    cli(*words.split()).check(status, out, err)


@pytest.mark.parametrize("form", MessageForm)
def test_column_with_a_new_source_is_drawn_from_that_one(tmp_path: Path, cli: Cli, form: MessageForm) -> None:
    """Delete superseded column lineage, as a statement does that replaces all of its output."""
    orders, report = table("orders", "id", "emp_id"), table("report", "id")
    remembered, sent = Remembered(max_age_ms=DAY), []
    for source in ("id", "emp_id"):
        made = ColumnLineage(
            dataset=report.key, column="id", sources=(ColumnSource(orders.key, source, Dependency.IDENTITY),)
        )
        flow = replace(process([orders], [report], [made]), extent=REPLACED)
        for message in messages_for(flow, remembered, message_form=form):
            sent.append(message.value)
            remembered.confirm(message.tokens, NOW, remembered.epoch)
    (tmp_path / "x.jsonl").write_text("\n".join(sent))

    shown = cli("show", tmp_path / "x.jsonl", "--column", "report.id")
    assert shown.text(0) == "sales.report.id\n    ◀─ sales.orders.emp_id\n"


@pytest.mark.parametrize("form", MessageForm)
def test_column_without_a_source_is_shown_with_its_expression(tmp_path: Path, cli: Cli, form: MessageForm) -> None:
    orders, report, totals = table("orders", "id"), table("report", "n"), path("file:/totals", "k", "m")
    made = [
        (report, ColumnLineage(dataset=report.key, column="n", sources=(), expression="concat(?, ?)")),
        (totals, ColumnLineage(dataset=totals.key, column="k", sources=())),
    ]
    sent = [m.value for to, each in made for m in messages_for(process([orders], [to], [each]), message_form=form)]
    copied = ColumnLineage(
        dataset=totals.key, column="m", sources=(ColumnSource(report.key, "n", Dependency.IDENTITY),)
    )
    sent += [m.value for m in messages_for(process([report], [totals], [copied]), message_form=form)]
    (tmp_path / "x.jsonl").write_text("\n".join(sent))

    for column, shown in (
        ("report.n", "sales.report.n\n    = concat(?, ?)\n"),
        ("totals.k", "file:/totals#k\n    k: no source column\n"),
        ("totals.m", "file:/totals#m\n    ◀─ sales.report.n\n        = concat(?, ?)\n"),
    ):
        assert cli("show", tmp_path / "x.jsonl", "--column", column).text(0) == shown


def test_number_of_omitted_columns_is_no_column(tmp_path: Path, cli: Cli) -> None:
    report = table("report", "n")
    made = [ColumnLineage(dataset=report.key, column=f"n{i}", sources=(), expression="count(*)" * 9) for i in range(99)]
    (message,) = messages_for(process([], [report], made))
    (left_out,) = re.findall(r'\\"(\+\d+)\\"', message.value)
    (tmp_path / "x.jsonl").write_text(message.value)
    for name, status in (("n0", 0), (left_out, 2)):
        assert cli("show", tmp_path / "x.jsonl", "--column", name).status == status


def test_lines_that_are_no_messages_are_counted(file: Path, cli: Cli) -> None:
    file.write_text("INFO nothing\n" + file.read_text())
    errors = cli("show", file).err
    assert "1 message of" in errors and "line 1: the message is not JSON" in errors


def _foreign(**changes: object) -> str:
    """Return the first message with other facts in its process."""
    message = json.loads(json.dumps(FIRST))
    (process,) = [each for each in message["message"]["entities"]["entities"] if each["typeName"] == "spark_process"]
    for key, value in changes.items():
        (process["attributes"] if key in process["attributes"] else process)[key] = value
    return json.dumps(message)


_NO_PROCESS = json.loads(json.dumps(FIRST))
for _each in _NO_PROCESS["message"]["entities"]["entities"]:
    if _each["typeName"] == "spark_column_lineage":
        del _each["relationshipAttributes"]["process"]


@pytest.mark.bad_messages("they are foreign")
@pytest.mark.parametrize(
    "line",
    [
        '{"message":' + "[" * 200_000,
        '{"values":["reason"' + "[" * 200_000,
        json.dumps(_NO_PROCESS),
    ],
    ids=range(3),
)
def test_lines_after_an_invalid_one_are_read(line: str, file: Path, cli: Cli) -> None:
    file.write_text(f"{file.read_text()}{line}\n{json.dumps(FIRST)}\n")
    shown = cli("show", file, "--all")
    assert shown.status == 0
    assert shown.out.count("sales.orders ──▶ hdfs://nn1/data/totals\n") == 2
    assert shown.err.count("\n") == 1
    assert "1 message of" in shown.err
    assert "line 4: " in shown.err


@pytest.mark.bad_messages("they are foreign")
@pytest.mark.parametrize(
    "line",
    [
        _foreign(typeName=None),
        _foreign(typeName=5),
        _foreign(typeName=[]),
        _foreign(qualifiedName=5),
        _foreign(customAttributes=5),
    ],
    ids=range(5),
)
def test_entities_after_an_invalid_one_are_read(line: str, file: Path, cli: Cli) -> None:
    text = file.read_text()
    before = len(cli("show", file, "--all").out.splitlines())
    file.write_text(f"{text}{line}\n")
    shown = cli("show", file, "--all")
    assert shown.status == 0
    assert len(shown.out.splitlines()) > before  # its columns are read all the same
    assert shown.err.count("\n") == 1
    assert "1 entity in messages of" in shown.err
    assert "line 4: " in shown.err


@pytest.mark.bad_messages("they are foreign")
def test_an_entity_without_a_qualified_name_is_known_by_its_guid(file: Path, cli: Cli) -> None:
    file.write_text(f"{file.read_text()}{_foreign(qualifiedName=None)}\n")
    shown = cli("show", file)
    assert (shown.status, shown.err) == (0, "")


def test_a_pipe_may_hold_any_bytes(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    lines = b"\xff\xfe\x9b\n" + json.dumps(FIRST, ensure_ascii=False).encode() + b"\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines), "ascii"))
    shown = cli("show", "-")
    assert shown.status == 0
    assert shown.out.startswith("sales.orders ──▶ hdfs://nn1/data/totals\n")
    assert "1 message of standard input could not be read" in shown.err


def test_as_json_each_process_and_change_is_a_line(file: Path, cli: Cli) -> None:
    dropped = {
        "type": "ENTITY_DELETE_V2",
        "user": "u",
        "entities": [{"typeName": "spark_table", "uniqueAttributes": {"qualifiedName": "sales.orders@prod"}}],
    }
    file.write_text(f"{file.read_text()}{json.dumps({'message': dropped})}\n")
    first, *_, last = map(json.loads, cli("show", file, "--json").text(0).splitlines())
    assert first["process"]["inputs"] == ["sales.orders"]
    assert {"id", "name", "inputs", "outputs", "columns", "rows", "attributes"} == set(first["process"])
    assert {
        "output": "hdfs://nn1/data/totals#total",
        "sources": ["sales.orders.amount"],
        "expression": "sum(amount)",
        "influences": False,
    } in first["process"]["columns"]
    assert last == {"change": {"verb": "dropped", "type": "spark_table", "name": "sales.orders", "details": ""}}


def test_as_json_the_ways_back_from_a_column_are_one_object(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(file), "--json", "--column", "totals.total"]) == 0
    total = {"dataset": "hdfs://nn1/data/totals", "column": "total"}
    found = json.loads(capsys.readouterr().out)
    assert (found["column"], found["paths"]) == (total, [[total, {"dataset": "sales.orders", "column": "amount"}]])
    assert [each["expression"] for each in found["columns"] if not each["influences"]] == ["sum(amount)"]


def test_the_jobs_of_a_dataset_are_listed_also_one_that_reads_nothing(tmp_path: Path, cli: Cli) -> None:
    orders, report = table("orders", "id"), table("report", "n")
    seed = process([], [orders], [], job="seed")
    daily = process([orders], [report], [], job="daily")
    failed = replace(daily, run=replace(daily.run, failure="DIVIDE_BY_ZERO"))
    remembered, sent = Remembered(max_age_ms=DAY), []
    for each in (seed, daily, failed):
        for message in messages_for(each, remembered):
            sent.append(message.value)
            remembered.confirm(message.tokens, NOW, remembered.epoch)
    (tmp_path / "x.jsonl").write_text("\n".join(sent))

    name, head, *rows = cli("show", tmp_path / "x.jsonl", "--dataset", "orders").text(0).splitlines()
    assert name == "sales.orders"
    assert head.split() == ["access", "job", "last", "run", "status", "rows", "written", "process"]
    assert [each.split()[:2] for each in rows] == [["writes", "seed"], ["reads", "daily"]]
    assert "succeeded" in rows[0]
    assert "failed: DIVIDE_BY_ZERO" in rows[1]

    found = cli("show", tmp_path / "x.jsonl", "--dataset", "sales.orders", "--json").json(0)
    assert found["dataset"] == "sales.orders"
    assert [each["job"] for each in found["writers"]] == ["seed"]
    assert [(each["job"], each["status"], each["failure"]) for each in found["readers"]] == [
        ("daily", "failed", "DIVIDE_BY_ZERO")
    ]
    cli("show", tmp_path / "x.jsonl", "--dataset", "order").check(
        2, "", "--dataset order: no dataset has this name or ends with it; did you mean"
    )
