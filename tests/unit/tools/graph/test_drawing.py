"""Drawn messages, compared in full."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import Column, TableDefined
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.tools.graph.drawing import lines, origin_lines, text, writable
from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.graph.objects import flows_by_column, other_sources
from sac_kafka.tools.messages.lineage import mark_alterations, parse_message
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess
from tests.unit.atlas.flows import DAY, NOW, ORDERS, messages_for

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"


def flow(name: str, *sources: str, expression: str = "", influences: bool = False) -> ColumnFlow:
    return ColumnFlow(
        LineageColumn("s.out", name), tuple(LineageColumn("s.a", each) for each in sources), expression, influences
    )


def drawn(
    *columns: ColumnFlow, inputs: tuple[str, ...] = ("s.a",), outputs: tuple[str, ...] = ("s.out",), **more: Any
) -> list[str]:
    """Return the lines of a process."""
    return list(lines(LineageProcess("p@x", "p", inputs, outputs, columns, **more)))


def origins(column: str, *processes: LineageProcess) -> list[str]:
    graph = graph_of(processes)
    return list(origin_lines(flows_by_column(graph), LineageColumn("s.out", column), other_sources(graph)))


def test_columns_of_equally_named_folders_are_told_apart() -> None:
    folders = ("s3a://lake/a/orders", "s3a://lake/b/orders", "s3a://lake/people")
    made = ColumnFlow(LineageColumn("s.out", "x"), tuple(LineageColumn(each, "id", "#") for each in folders))
    assert drawn(made, inputs=folders)[3] == "    x ◀─ a/orders.id, b/orders.id, people.id"
    alone = replace(made, sources=made.sources[:1])
    assert drawn(alone, inputs=folders[:1])[1] == "    x ◀─ orders.id"


def test_several_inputs_join_in_the_last_line() -> None:
    assert drawn() == ["s.a ──▶ s.out", ""]
    assert drawn(inputs=("s.a", "file:/in", "s.bc"), outputs=("s.out", "s.more")) == [
        "s.a      ─┐",
        "file:/in ─┤",
        "s.bc     ─┴▶ s.out, s.more",
        "",
    ]


@pytest.mark.parametrize(
    ("custom", "shown"),
    [
        ({}, "(no dataset)"),
        ({"other_sources": "a range of numbers"}, "(a range of numbers)"),
        ({"inputs_excluded": "1"}, "(1 input excluded)"),
        ({"other_sources": "constants", "inputs_excluded": "2"}, "(constants, 2 inputs excluded)"),
    ],
)
def test_source_of_rows_without_an_input(custom: dict[str, str], shown: str) -> None:
    message = json.loads((GOLDEN / "first_sight.json").read_bytes())
    (process,) = (e for e in message["message"]["entities"]["entities"] if e["typeName"] == "spark_process")
    process["attributes"]["inputs"] = process["relationshipAttributes"]["inputs"] = []
    process["customAttributes"] = custom
    assert text([json.dumps(message).encode()]).splitlines()[0] == f"{shown} ──▶ hdfs://nn1/data/totals"


def test_columns_are_aligned_with_their_expressions() -> None:
    assert drawn(flow("id", "id"), flow("total", "amount", "vat", expression="sum(amount + vat)"))[1:] == [
        "    id    ◀─ s.a.id",
        "    total ◀─ s.a.amount, s.a.vat   sum(amount + vat)",
        "",
    ]


def test_influence_is_drawn_unlike_a_flow() -> None:
    assert drawn(flow("is_open", "status", influences=True))[1] == "    is_open ◁┄ s.a.status"


def test_message_with_an_influence_shows_it_apart() -> None:
    """Draw an influence as in messages: its kind precedes the expression, and a copy needs none."""
    message = (GOLDEN / "influence.json").read_text("utf-8")
    assert text([message.encode()]).splitlines()[1:] == [
        "    total ◀─ sales.orders.id       CASE WHEN (amount > 100) THEN id END",
        "    total ◁┄ sales.orders.amount   CASE WHEN (amount > 100) THEN id END",
        "",
    ]


def test_long_expression_is_cut_between_words() -> None:
    frame = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    window = f"sum(orders.amount) OVER (PARTITION BY orders.customer_id ORDER BY orders.created {frame})"
    for long, shown in (
        (window, "sum(orders.amount) OVER (PARTITION BY orders.customer_id ORDER BY orders.created ROWS BETWEEN…"),
        ("x" * 101, "x" * 99 + "…"),
        ("x" * 100, "x" * 100),
    ):
        total = flow("total", "amount", expression=long)
        assert drawn(total)[1] == f"    total ◀─ s.a.amount   {shown}"
        thrice = f"{long} AND {long} AND {long}"
        assert drawn(inputs=(), rows=thrice)[1].removesuffix("…").strip() in thrice
        made = LineageProcess("p@x", "p", ("s.a",), ("s.out",), (total,))
        assert origins("total", made)[1] == f"    ◀─ s.a.amount   {shown}"


def test_wide_processes_are_cut_with_a_count() -> None:
    shown = drawn(*(flow(f"c{i}", "x") for i in range(61)))
    assert shown[-2] == "    … and 11 more columns"
    assert len(shown) == 1 + 50 + 2


def test_only_a_failed_run_is_marked() -> None:
    assert drawn(run_status={"status": "failed", "failure": "X"})[0].endswith("   (failed: X)")
    assert drawn(run_status={"status": "succeeded", "rows_written": "3"})[0].endswith("(rows written 3)")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (CatalogChange("dropped", "spark_table", "s.t"), "dropped table s.t"),
        (CatalogChange("altered", "spark_table", "s.t", "is now s.u"), "altered table s.t: is now s.u"),
        (CatalogChange("defined", "spark_db", "s"), "defined database s"),
    ],
)
def test_changes_of_a_catalog_are_a_line(change: CatalogChange, line: str) -> None:
    assert list(lines(change)) == [line]


@pytest.mark.parametrize("form", MessageForm)
def test_altered_table_shows_its_changes(form: MessageForm) -> None:
    remembered = Remembered(max_age_ms=DAY)

    def defined(**changed: object) -> list[LineageProcess | CatalogChange]:
        messages = messages_for(TableDefined(table=replace(ORDERS, **changed)), remembered, message_form=form)  # type: ignore[arg-type]
        for message in messages:
            remembered.confirm(message.tokens, NOW, remembered.epoch)
        return [each for message in messages for each in parse_message(message.value)]

    wider = (*ORDERS.columns, Column(name="note", type="string"))
    changes = [
        *defined(),
        *defined(comment="open ones"),
        *defined(properties=(("a", "1"),), comment=None),
        *defined(columns=wider),
    ]
    shown = [line for each in mark_alterations(changes) for line in lines(each) if "database" not in line]
    assert shown == [
        "defined table sales.orders: columns id, amount",
        "altered table sales.orders: comment open ones, owner etl",
        "altered table sales.orders: properties a, owner etl",
        "altered table sales.orders: columns id, amount, note",
    ]


def test_a_table_that_a_run_wrote_is_altered_and_one_that_was_dropped_is_new() -> None:
    process, again = (
        LineageProcess("p@x", "p", (), ("s.t",)),
        CatalogChange("defined", "spark_table", "s.t", "columns a"),
    )
    dropped = CatalogChange("dropped", "spark_table", "s.t")
    verbs = [
        each.verb for each in mark_alterations([process, again, dropped, again]) if isinstance(each, CatalogChange)
    ]
    assert verbs == ["altered", "dropped", "defined"]


def test_a_message_as_it_is_sent_is_drawn() -> None:
    value = (GOLDEN / "first_sight.json").read_bytes()
    assert text([value]).splitlines()[:3] == [
        "sales.orders ──▶ hdfs://nn1/data/totals",
        "    id    ◀─ sales.orders.id",
        "    total ◀─ sales.orders.amount   sum(amount)",
    ]


def test_unreadable_message_is_a_line_and_no_error() -> None:
    assert text([b"no message"]).startswith("a message that cannot be displayed: ")
    assert "2 parts" in text([b"{", b"}"])


def test_console_without_box_characters_gets_ascii() -> None:
    assert writable("a ─┴▶ b … é", "ascii") == "a -'> b ~ ?"
    assert writable("│   ├┄▷ c, └◁┄ d → e", "cp1252") == "|   |.> c, `<. d -> e"
    assert writable("a ─┴▶ b", "utf-8") == "a ─┴▶ b"


def test_control_characters_are_escaped() -> None:
    assert writable("a\x1b[2J\r\n\t\u202eb é", "utf-8") == "a\\x1b[2J\\r\\n\\t\\u202eb é"
    message = json.loads((GOLDEN / "first_sight.json").read_text())
    drawn = text([json.dumps(message).replace("sales.orders", "sales\\u001b\\nx.orders").encode()], "utf-8")
    assert drawn.startswith("sales\\x1b\\nx.orders ──▶ ")


def test_compressed_message_is_marked() -> None:
    value = json.dumps({"msgCompressionKind": "GZIP", "msgSplitCount": 1, "message": "x"})
    assert "compressed" in text([value.encode()])


def test_constants_and_row_clauses_are_shown() -> None:
    shown = drawn(constants="n = count(*)", rows="Rows filtered by x > 1.")
    assert shown[1:] == ["    n = count(*)", "    Rows filtered by x > 1.", ""]


def test_path_to_origin_shows_expressions_and_influences() -> None:
    raw = ColumnFlow(LineageColumn("s.a", "amount"), (LineageColumn("s.raw", "amount"),))
    assert origins(
        "total",
        LineageProcess("o@x", "o", (), (), (flow("total", "amount", expression="sum(amount)"),)),
        LineageProcess("p@x", "p", (), (), (flow("total", "status", expression="CASE …", influences=True),)),
        LineageProcess("q@x", "q", (), (), (raw,)),
    ) == [
        "s.out.total",
        "    ◁┄ s.a.status   CASE …",
        "    ◀─ s.a.amount   sum(amount)",
        "        ◀─ s.raw.amount",
    ]
    only = LineageProcess("p@x", "p", (), (), (flow("tier", "amount", expression="CASE …", influences=True),))
    assert origins("tier", only) == ["s.out.tier", "    ◁┄ s.a.amount   CASE …"]


def test_column_with_several_origins_is_drawn_once_with_its_row_clauses() -> None:
    made = tuple(ColumnFlow(LineageColumn("s.a", name), ()) for name in ("price", "quantity"))
    assert origins(
        "total",
        LineageProcess("p@x", "p", (), (), (flow("total", "price", "quantity", expression="sum(…)"),)),
        LineageProcess("q@x", "q", (), ("s.a",), constant_columns=made, other_sources="rows of the driver"),
    ) == [
        "s.out.total",
        "    ◀─ s.a.price   sum(…)",
        "        price: rows of the driver, no source column",
        "    ◀─ s.a.quantity   sum(…)",
        "        quantity: rows of the driver, no source column",
    ]


def test_names_that_a_terminal_shows_wide_keep_the_arrows_below_each_other() -> None:
    shown = drawn(flow("日本語", "a"), flow("id", "a"), inputs=("受注.表", "s.a"))
    assert shown[:2] == ["受注.表 ─┐", "s.a     ─┴▶ s.out"]
    assert shown[2:4] == ["    日本語 ◀─ s.a.a", "    id     ◀─ s.a.a"]
