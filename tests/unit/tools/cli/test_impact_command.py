"""`sac-kafka impact` and `sac-kafka diff` on messages as they are sent."""

from __future__ import annotations

import io
import json
import shlex
from pathlib import Path

import pytest

from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, RowClause
from sac_kafka.tools.cli.main import main
from tests.unit.atlas.flows import messages_for, path, process, table
from tests.unit.tools.cli.conftest import Cli

ORDERS, TOTALS = table("orders", "id", "amount", "país"), table("totals", "total")
REPORT = path("file:/out/report", "flag", "total")
EVIL = path("file:/in/\x1b[2J\u202e名\nx", "a")


def _messages(file: Path, made_by: str = "sum(amount)", source: str = "amount") -> Path:
    """Write messages of orders → totals → report, with an expression, a filter and a condition."""

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
    file.write_text("\n".join(m.value for each in (load, weekly) for m in messages_for(each)), "utf-8")
    return file


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the messages, and variants: a sum that is now an average, one of another column, and none."""
    monkeypatch.chdir(tmp_path)
    _messages(Path("avg"), "avg(amount)")
    _messages(Path("id"), source="id")
    Path("none").write_text("")
    return str(_messages(Path("sum")))


TREE = """\
sales.orders.amount
└─▶ sales.totals.total   sum(amount)   by daily load: sales.orders, in/\\x1b[2J\\u202e名\\nx -> sales.totals
    ├┄▷ file:/out/report#flag   decides the value: CASE WHEN total > 100 THEN 1 END   by weekly report: sales.totals -> out/report
    └─▶ file:/out/report#total   by weekly report: sales.totals -> out/report

3 columns of 2 datasets downstream, through 2 processes
"""
DIFFERENCE = """\
Changed columns
  ~ sales.totals.total ◀─ sales.orders.amount: sum(amount) is now avg(amount)
1 difference: 1 changed.
"""
MOVED = "* `sales.orders.amount` ──▶ `sales.totals.total`"

PRINTED: list[tuple[str, int, str, str]] = [
    ("impact sum orders.amount", 0, TREE, ""),
    ("impact sum país", 0, "└┄▷ rows of sales.totals   decides rows: filter   by ", ""),
    ("impact sum report#total --upstream", 0, "    └◁┄ sales.orders.país   decides rows: filter   by ", ""),
    ("impact sum totals --upstream", 0, "file:/in/\\x1b[2J\\u202e名\\nx", ""),
    ("impact sum report", 1, "nothing downstream of file:/out/report\n", ""),
    ("impact sum total", 2, "", "total: matches 2 names, give one in full: file:/out/report#total, sales.totals.total"),
    ("impact sum totl", 2, "", "totl: no dataset or column has this name or ends with it; did you mean "),
    ("impact sum ''", 2, "", ": no dataset or column has this name"),
    ("diff none none", 2, "", "sac-kafka diff: none has no lineage; --allow-empty accepts that\n"),
    ("diff none none --allow-empty", 0, "The lineage is the same.\n", ""),
    ("diff sum avg", 0, DIFFERENCE, ""),
    ("diff sum id --markdown --fail-on=removed-edge", 0, MOVED, ""),
    (
        "diff sum id --markdown --fail-on=new-source --fail-on=removed-column-edge",
        1,
        MOVED,
        "sac-kafka diff: fails on 1 removed-column-edge\n",
    ),
    ("diff sum id --markdown --fail-on=any", 1, MOVED, "sac-kafka diff: fails on 1 new-column-edge, 1 removed-column-edge\n"),
    ("diff none sum --allow-empty --fail-on new-process", 1, "──▶", "sac-kafka diff: fails on 2 new-processes\n"),
    ("diff - -", 2, "", "sac-kafka diff: standard input can be read once only; name a file as OLD or as NEW\n"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(("words", "status", "out", "err"), PRINTED)
def test_output(words: str, status: int, out: str, err: str, cli: Cli) -> None:
    result = cli(*shlex.split(words))
    result.check(status, out, err)
    assert not {"\x1b", "\u202e"} & set(result.out)


def test_json(file: str, cli: Cli) -> None:
    output = cli("impact", file, "report#flag", "--upstream", "--depth", "1", "--json").text(0)
    assert output.isascii()
    document = json.loads(output)
    assert (document["start"], document["direction"], document["is_cut"]) == (
        {"dataset": "file:/out/report", "column": "flag"},
        "upstream",
        True,
    )
    assert document["places"] == [
        {"dataset": "sales.totals", "column": "total", "type": "spark_table", "is_dropped": False, "depth": 1}
    ]
    (edge,) = document["edges"]
    assert (edge["from"]["dataset"], edge["to"]["column"], edge["kind"]) == ("sales.totals", "flag", "indirect")


@pytest.mark.usefixtures("file")
def test_differences_for_programs(cli: Cli) -> None:
    result = cli("diff", "sum", "avg", "--json")
    assert (result.status, json.loads(result.out)) == (
        0,
        {
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
        },
    )


def test_standard_input_as_one_of_the_sources(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(Path(file).read_text("utf-8")))
    assert main(["diff", file, "-"]) == 0


@pytest.mark.slow
def test_a_diff_of_many_columns_is_bounded_and_fails_as_it_should(tmp_path: Path, cli: Cli) -> None:
    def reference(type_name: str, name: str) -> dict[str, object]:
        return {"typeName": type_name, "uniqueAttributes": {"qualifiedName": f"{name}@prod"}}

    def entity(type_name: str, name: str, **ends: object) -> dict[str, object]:
        attributes = {"qualifiedName": f"{name}@prod", "name": name}
        return {"typeName": type_name, "attributes": attributes, "relationshipAttributes": ends}

    sources = [reference("spark_column", f"db.a.s{number}") for number in range(40)]
    words = ["diff"]
    for target in ("db.b", "db.c"):
        ends = {"inputs": [reference("spark_table", "db.a")], "outputs": [reference("spark_table", target)]}
        columns = [
            entity(
                "spark_column_lineage",
                f"l{number}",
                process=reference("spark_process", "p"),
                inputs=sources,
                outputs=[reference("spark_column", f"{target}.t{number}")],
            )
            for number in range(40)
        ]
        body = {"type": "ENTITY_CREATE_V2", "entities": {"entities": [entity("spark_process", "p", **ends), *columns]}}
        (tmp_path / target).write_text(json.dumps({"message": body}))
        words.append(str(tmp_path / target))
    failing = [*words, "--fail-on", "new-column-edge"]
    for options, lines in (([], 20), (["--all"], 3300), (["--markdown"], 40)):
        result = cli(*failing, *options)
        assert (result.status, result.err) == (1, "sac-kafka diff: fails on 1600 new-column-edges\n")
        assert ("3,200 of them are summarized by dataset; --all lists each." in result.out) == ("--all" not in options)
        assert lines / 3 < result.out.count("\n") < lines
    found = cli(*failing, "--json").json(1)["differences"]
    assert {"kind": "new-column-edge", "name": "db.c", "source": "db.a", "number": 1600} in found
    assert cli(*words, "--fail-on", "changed-column").status == 0
