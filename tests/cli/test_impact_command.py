"""`sac-kafka impact` and `sac-kafka diff`, over messages as they are sent."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from sac_kafka.cli.main import main
from sac_kafka.lineage.model import ColumnLineage, ColumnSource, Dependency, RowClause
from tests.atlas.flows import path, process, say, table

ROOT = Path(__file__).parents[2]
ORDERS, TOTALS = table("orders", "id", "amount", "país"), table("totals", "total")
REPORT = path("file:/out/report", "flag", "total")
EVIL = path("file:/in/\x1b[2J\u202e名\nx", "a")


def _messages(file: Path, made_by: str = "sum(amount)", source: str = "amount") -> Path:
    """Orders → totals → report, with an expression, a filter and a condition."""

    def column(of: object, name: str, source: tuple[object, str], kind: Dependency, how: str = "") -> ColumnLineage:
        made_of = (ColumnSource(source[0].key, source[1], kind),)
        return ColumnLineage(dataset=of.key, column=name, sources=made_of, expression=how)

    load = process(
        [ORDERS, EVIL],
        [TOTALS],
        [column(TOTALS, "total", (ORDERS, source), Dependency.AGGREGATION, made_by)],
        [ColumnSource(ORDERS.key, "país", Dependency.FILTER)],
        clauses=[RowClause(dependency=Dependency.FILTER, text="país = 'ES'")],
    )
    how = "CASE WHEN total > 100 THEN 1 END"
    weekly = process(
        [TOTALS],
        [REPORT],
        [
            column(REPORT, "flag", (TOTALS, "total"), Dependency.CONDITIONAL, how),
            column(REPORT, "total", (TOTALS, "total"), Dependency.IDENTITY),
        ],
        job="weekly report",
    )
    file.write_text("\n".join(m.value for each in (load, weekly) for m in say(each)), "utf-8")
    return file


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(_messages(tmp_path / "lineage.jsonl"))


def test_what_depends_on_a_column(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "orders.amount", "--in", file]) == 0
    assert capsys.readouterr().out == (
        "sales.orders.amount\n"
        "└─▶ sales.totals.total   sum(amount)   by daily load: sales.orders, in/\\x1b[2J\\u202e名\\nx -> sales.totals\n"
        "    ├┄▷ file:/out/report#flag   decides the value: CASE WHEN total > 100 THEN 1 END   "
        "by weekly report: sales.totals -> out/report\n"
        "    └─▶ file:/out/report#total   by weekly report: sales.totals -> out/report\n"
        "\n"
        "3 columns of 2 datasets downstream, through 2 processes\n"
    )


def test_a_column_that_decides_rows(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "país", "--in", file]) == 0
    assert "└┄▷ rows of sales.totals   decides rows: filter   by " in capsys.readouterr().out
    assert main(["impact", "report#total", "--upstream", "--in", file]) == 0
    assert "    └◁┄ sales.orders.país   decides rows: filter   by " in capsys.readouterr().out


def test_json(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "report#flag", "--upstream", "--depth", "1", "--in", file, "--json"]) == 0
    said = capsys.readouterr().out
    assert said.isascii()
    told = json.loads(said)
    assert (told["asked"], told["direction"], told["is_cut"]) == (
        {"dataset": "file:/out/report", "column": "flag"},
        "upstream",
        True,
    )
    assert told["places"] == [
        {"dataset": "sales.totals", "column": "total", "type": "spark_table", "is_dropped": False, "depth": 1}
    ]
    (edge,) = told["edges"]
    assert (edge["from"]["dataset"], edge["to"]["column"], edge["kind"]) == ("sales.totals", "flag", "indirect")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("total", "total: that could be 2, name one in full: file:/out/report#total, sales.totals.total\n"),
        ("totl", "totl: no dataset or column is called so, or ends so; there is "),
        ("", ": no dataset or column is called so"),
    ],
)
def test_a_name_that_is_several_or_none(file: str, capsys: pytest.CaptureFixture[str], asked: str, said: str) -> None:
    assert main(["impact", asked, "--in", file]) == 2
    assert said in capsys.readouterr().err


def test_nothing_depends_on_it_and_nothing_is_there(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["impact", "report", "--in", file]) == 1
    assert capsys.readouterr().out == "nothing downstream of file:/out/report\n"
    (tmp_path / "empty").write_text("")
    assert main(["impact", "report", "--in", str(tmp_path / "empty")]) == 2
    assert main(["diff", str(tmp_path / "empty"), str(tmp_path / "empty")]) == 0
    assert capsys.readouterr().out == "The lineage is the same.\n"


@pytest.mark.parametrize("depth", ["0", "-1", "x", "1.5", ""])
def test_a_depth_that_is_none(file: str, capsys: pytest.CaptureFixture[str], depth: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["impact", "report", "--in", file, f"--depth={depth}"])
    assert ended.value.code == 2
    assert "is not a number from 1 to 1000000000" in capsys.readouterr().err


def test_names_do_not_steer_the_terminal(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "totals", "--upstream", "--in", file]) == 0
    shown = capsys.readouterr().out
    assert "file:/in/\\x1b[2J\\u202e名\\nx" in shown
    assert not {"\x1b", "\u202e"} & set(shown)


def test_what_differs(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = str(_messages(tmp_path / "new.jsonl", "avg(amount)"))
    assert main(["diff", file, new]) == 0
    assert capsys.readouterr().out == (
        "Columns that are made in another way\n"
        "  ~ sales.totals.total ◀─ sales.orders.amount: sum(amount) is now avg(amount)\n"
        "1 difference: 1 changed.\n"
    )
    assert main(["diff", file, new, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "differences": [
            {
                "kind": "changed-column",
                "name": "sales.totals.total",
                "source": "sales.orders.amount",
                "before": "sum(amount)",
                "after": "avg(amount)",
            }
        ],
        "failed_on": [],
    }


@pytest.mark.parametrize(
    ("kinds", "status", "said"),
    [
        (["removed-edge"], 0, ""),
        (["new-source", "removed-column-edge"], 1, "sac-kafka diff: fails on 1 removed-column-edge\n"),
        (["any"], 1, "sac-kafka diff: fails on 1 new-column-edge, 1 removed-column-edge\n"),
    ],
)
def test_the_exit_status_is_what_was_asked_for(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], kinds: list[str], status: int, said: str
) -> None:
    new = str(_messages(tmp_path / "new.jsonl", source="id"))
    assert main(["diff", file, new, "--markdown", *(f"--fail-on={kind}" for kind in kinds)]) == status
    shown = capsys.readouterr()
    assert "* `sales.orders.amount` ──▶ `sales.totals.total`\n" in shown.out
    assert shown.err == said


def test_one_of_both_may_be_standard_input_and_unknown_kinds_are_named(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(Path(file).read_text("utf-8")))
    assert main(["diff", file, "-"]) == 0
    with pytest.raises(SystemExit):
        main(["diff", file, file, "--fail-on", "removed"])
    assert "removed-edge" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["impact", "sales.orders", "--in"], ["diff", "/dev/null"]])
def test_who_reads_has_seen_enough(file: str, command: list[str]) -> None:
    """As with `| head`: the pipe is closed before the first line, in an encoding that lacks most characters."""
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" | true', "sh", sys.executable, "-m", "sac_kafka.cli.main", *command, file],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "ascii", "COLUMNS": "60", "NO_COLOR": "1"},
    )
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("command", ["impact", "diff"])
def test_the_help_fits_a_narrow_terminal_and_keeps_its_examples(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with pytest.raises(SystemExit):
        main([command, "--help"])
    above, _, below = capsys.readouterr().out.partition("for example:\n")
    assert max(map(len, above.splitlines())) <= 60
    assert all(line.startswith(f"  sac-kafka {command} ") for line in below.strip("\n").splitlines())


def test_a_diff_of_many_columns_is_bounded_and_fails_as_it_should(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def written(name: str, target: str) -> str:
        columns = [
            {
                "typeName": "spark_column_lineage",
                "attributes": {"qualifiedName": f"l{i}@prod"},
                "relationshipAttributes": {
                    "process": reference("spark_process", "p@prod"),
                    "inputs": [reference("spark_column", f"db.a.s{j}@prod") for j in range(40)],
                    "outputs": [reference("spark_column", f"{target}.t{i}@prod")],
                },
            }
            for i in range(40)
        ]
        process = {
            "typeName": "spark_process",
            "attributes": {"qualifiedName": "p@prod", "name": "p"},
            "relationshipAttributes": {
                "inputs": [reference("spark_table", "db.a@prod")],
                "outputs": [reference("spark_table", f"{target}@prod")],
            },
        }
        body = {"type": "ENTITY_CREATE_V2", "entities": {"entities": [process, *columns]}}
        (tmp_path / name).write_text(json.dumps({"message": body}))
        return str(tmp_path / name)

    def reference(type_name: str, name: str) -> dict[str, object]:
        return {"typeName": type_name, "uniqueAttributes": {"qualifiedName": name}}

    asked = ["diff", written("old", "db.b"), written("new", "db.c"), "--fail-on", "new-column-edge"]
    for options, lines in (([], 20), (["--all"], 3300), (["--markdown"], 40)):
        assert main([*asked, *options]) == 1
        said = capsys.readouterr()
        assert said.err == "sac-kafka diff: fails on 1600 new-column-edges\n"
        assert ("3,200 of them are told by their datasets; --all tells each." in said.out) == ("--all" not in options)
        assert lines / 3 < said.out.count("\n") < lines
    assert main([*asked, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["differences"]
    assert {"kind": "new-column-edge", "name": "db.c", "source": "db.a", "number": 1600} in found
    assert main([*asked[:3], "--fail-on", "changed-column"]) == 0


def test_kinds_are_counted_in_the_plural(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (nothing := tmp_path / "nothing.jsonl").write_text("")
    assert main(["diff", str(nothing), file, "--fail-on", "new-process"]) == 1
    assert capsys.readouterr().err == "sac-kafka diff: fails on 2 new-processes\n"


def test_standard_input_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "-", "-"]) == 2
    assert capsys.readouterr().err == "sac-kafka: standard input can be read once only; name a file as OLD or as NEW\n"
