"""The page in a real browser: its content, the effects of clicks and keys, and no network access."""

from __future__ import annotations

import json

import pytest

from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn
from tests.unit.tools.view.browsers import IN_BROWSER
from tests.unit.tools.view.graphs import DEMO, HOSTILE, demo, hostile, many, process

pytestmark = IN_BROWSER
_EDGES = "model.edges.map(e => e.slice(0, 2).map(k => lineage.nameOf({ node: k })))"
_FLOWS = "model.flows.map(f => [f.source, f.target].map(c => lineage.nameOf({ column: c })))"


def two_kinds() -> LineageGraph:
    """Return a graph in which orders.amount flows into totals.total and report.total, and orders.status only decides."""
    total = LineageColumn("s.totals", "total")
    return graph_of(
        [
            process(
                "make totals",
                "s.orders",
                "s.totals",
                ColumnFlow(total, (LineageColumn("s.orders", "amount"),), "sum(amount)"),
                ColumnFlow(total, (LineageColumn("s.orders", "status"),), "CASE WHEN status", influences=True),
                ColumnFlow(LineageColumn("s.totals", "day"), (LineageColumn("s.orders", "day"),)),
                job="totals",
                rows="Rows filtered by day > ?.",
                attributes={"lineage": "partial: a UDF", "started": "2026-11-23T04:08:59.128Z", "user": "ann"},
            ),
            process(
                "report",
                "s.totals",
                "s.report",
                ColumnFlow(LineageColumn("s.report", "total"), (total,)),
                attributes={"lineage": "complete", "failure": "SparkException"},
            ),
        ]
    )


def test_nodes_and_edges_match_the_messages(show) -> None:
    entities = [
        entity
        for line in DEMO.read_text("utf-8").splitlines()
        for entity in json.loads(line)["message"]["entities"]["entities"]
    ]

    def ends(entity: dict, side: str) -> list[str]:
        named = entity["relationshipAttributes"].get(side, ())
        return [each["uniqueAttributes"]["qualifiedName"].rpartition("@")[0] for each in named]

    processes = {e["attributes"]["qualifiedName"]: e for e in entities if e["typeName"] == "spark_process"}
    edges = {(name, id_) for id_, e in processes.items() for name in ends(e, "inputs")}
    edges |= {(id_, name) for id_, e in processes.items() for name in ends(e, "outputs")}
    columns = {
        (source, output)
        for e in entities
        if e["typeName"] == "spark_column_lineage"
        for source in ends(e, "inputs")
        for output in ends(e, "outputs")
    }
    opened = show(demo())
    datasets = {name for edge in edges for name in edge} - {*processes}
    assert opened.tab.evaluate("model.nodes.size") == len(processes) + len(datasets)
    assert set(map(tuple, opened.tab.evaluate(_EDGES))) == edges
    assert set(map(tuple, opened.tab.evaluate(_FLOWS))) == columns
    assert len(opened.rows(".card")) == len(processes) + 12
    assert opened.tab.locator("path.edge").count() == len(edges)
    opened.screenshot("demo")


def test_a_click_on_a_column_lights_its_path_both_ways(show) -> None:
    opened = show(two_kinds())
    opened.head("totals").click()
    assert opened.rows(".card.chosen .name") == ["total", "day"]
    opened.column("totals", "total").click()
    assert opened.lit_flows() == {
        ("s.orders.amount", "s.totals.total", True),
        ("s.orders.status", "s.totals.total", False),
        ("s.totals.total", "s.report.total", True),
    }
    assert sorted(opened.rows(".column.lit .name")) == ["amount", "status", "total", "total"]
    assert opened.tab.locator(".flow.indirect").evaluate("each => getComputedStyle(each).strokeDasharray") != "none"
    strokes = [
        opened.tab.locator(kind).first.evaluate("each => getComputedStyle(each).stroke")
        for kind in (".flow.direct", ".flow.indirect")
    ]
    assert strokes[0] != strokes[1]
    opened.screenshot("column")
    opened.tab.locator("#indirect").uncheck()
    assert opened.lit_flows() == {
        ("s.orders.amount", "s.totals.total", True),
        ("s.totals.total", "s.report.total", True),
    }


def test_details_show_all_attributes(show) -> None:
    opened = show(two_kinds(), "s.totals.total")
    text = opened.tab.locator("#details").inner_text()
    heading = "column\ntotal\nof s.totals\nShow only this path\n×\n"
    assert f"{heading}Sources (1)\norders.amount\nsum(amount)" in text.replace("\n\n", "\n")
    assert "Influenced by (1)\norders.status\nCASE WHEN status\nby totals" in text.replace("\n\n", "\n")
    assert "Targets (1)\nreport.total" in text.replace("\n\n", "\n")
    assert opened.tab.locator("#announcement").inner_text() == (
        "column s.totals.total: sources 1, influenced by 1, targets 1, influences 0"
    )
    opened.tab.locator("#details").get_by_text("totals", exact=True).last.click()
    text = opened.tab.locator("#details").inner_text()
    for part in (
        "process",
        "make totals",
        "job totals",
        "Incomplete lineage",
        "Inputs",
        "Outputs",
        "Qualified name",
        "a UDF",
        "Rows filtered by day > ?.",
        "s.orders",
        "ann",
        "2026-11-23T04",
    ):
        assert part in text
    opened.screenshot("process")
    opened.tab.evaluate("lineage.choosing.choose({ node: 'p1' })")
    text = opened.tab.locator("#details").inner_text()
    assert "Failure\nSparkException" in text.replace("\n\n", "\n")
    assert "Incomplete lineage" not in text


def test_search_finds_and_shows(show) -> None:
    opened = show(demo())
    opened.tab.keyboard.press("/")
    opened.tab.keyboard.type("customer_id sales")
    assert opened.rows("#found .title") == ["customer_id"] * 2
    opened.screenshot("search")
    opened.tab.keyboard.press("ArrowDown")
    opened.tab.keyboard.press("Enter")
    chosen = opened.tab.evaluate("lineage.nameOf(lineage.choosing.get())")
    assert chosen.startswith("sales.") and chosen.endswith(".customer_id")
    assert opened.rows(".column.chosen .name") == ["customer_id"]
    opened.tab.keyboard.press("/")
    opened.tab.keyboard.type("no such thing")
    assert opened.rows("#found li") == ["no matches"]


@pytest.mark.parametrize(
    ("link", "chosen"),
    [
        ("sales.order_lines", {"node": "sales.order_lines"}),
        ("sales.order_lines.amount", {"column": "sales.order_lines.amount"}),
        ("file:/srv/demo/lake/orders#quantity", {"column": "file:/srv/demo/lake/orders#quantity"}),
        ("not.there", None),
    ],
)
def test_a_link_shows_what_it_names(show, link: str, chosen: dict[str, str] | None) -> None:
    opened = show(demo(), link)
    found = opened.tab.evaluate("lineage.choosing.get()")
    assert found is None if chosen is None else list(found) == list(chosen)
    if chosen:
        assert opened.tab.evaluate("lineage.nameOf(lineage.choosing.get())") == link
        assert opened.tab.locator(".card.chosen").count() == 1


def test_address_follows_the_selection_and_the_history(show) -> None:
    opened = show(demo())
    opened.head("order_lines").click()
    assert opened.tab.url.endswith("#sales.order_lines")
    opened.column("order_lines", "amount").click()
    assert opened.tab.url.endswith("#sales.order_lines.amount")
    opened.tab.go_back()
    opened.until("lineage.choosing.get().node")
    assert opened.tab.evaluate("lineage.nameOf(lineage.choosing.get())") == "sales.order_lines"


def test_keys_follow_edges_and_columns_and_go_back(show) -> None:
    opened = show(two_kinds())

    def after(*keys: str) -> str | None:
        for key in keys:
            opened.tab.keyboard.press(key)
        return opened.tab.evaluate("lineage.choosing.get() && lineage.nameOf(lineage.choosing.get())")

    assert after("ArrowRight") == "s.orders"
    assert after("ArrowRight", "ArrowRight") == "s.totals"
    assert after("ArrowDown") == "s.totals.total"
    assert after("ArrowDown") == "s.totals.day"
    assert after("ArrowUp", "ArrowLeft") == "s.orders.amount"
    assert "s.orders.amount" in opened.tab.locator("#announcement").inner_text()
    assert after("Escape") == "s.orders"
    assert after("Escape") is None
    assert after("ArrowRight", "Enter") == "s.orders"
    assert opened.rows(".card.chosen .column") == []
    after("Enter")
    assert opened.rows(".card.chosen .name") == ["amount", "status", "day"]
    after("c")
    assert opened.rows(".column") == []
    after("c")
    assert len(opened.rows(".column")) == 6
    zoom = opened.zoom()
    after("+")
    assert opened.zoom() > zoom
    after("0")
    assert opened.zoom() <= 1
    after("?")
    assert opened.tab.locator("#keys").is_visible()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_dark_by_the_system_and_by_choice(show, scheme: str) -> None:
    opened = show(demo(), "sales.order_lines.amount", scheme=scheme)

    def is_dark() -> bool:
        ground = opened.tab.evaluate("getComputedStyle(document.body).backgroundColor")
        return int(ground.split("(")[1].split(",")[0]) < 60

    assert is_dark() is (scheme == "dark")
    opened.screenshot(scheme)
    if scheme == "dark":
        opened.tab.locator("#theme").click()
    else:
        opened.tab.keyboard.press("t")
    assert is_dark() is (scheme != "dark")


def test_a_drag_moves_the_graph_and_chooses_nothing(show) -> None:
    opened = show(demo())
    before = opened.tab.evaluate("({ ...lineage.view.now })")
    box = opened.head("order_lines").bounding_box()
    opened.tab.mouse.move(box["x"] + 20, box["y"] + 10)
    opened.tab.mouse.down()
    opened.tab.mouse.move(box["x"] + 90, box["y"] + 60, steps=4)
    opened.tab.mouse.up()
    after = opened.tab.evaluate("({ ...lineage.view.now })")
    assert (round(after["x"] - before["x"]), round(after["y"] - before["y"])) == (70, 50)
    assert opened.tab.evaluate("lineage.choosing.get()") is None


def test_wheel_zooms_in_at_the_pointer(show) -> None:
    opened = show(demo())
    x, y = opened.middle("d3")
    before = opened.zoom()
    opened.tab.mouse.move(x, y)
    opened.tab.mouse.wheel(0, -200)
    opened.until(f"lineage.view.now.zoom > {before}")
    assert opened.middle("d3") == pytest.approx((x, y), abs=1)
    larger = opened.zoom()
    opened.tab.mouse.wheel(0, 100_000)
    opened.until(f"lineage.view.now.zoom < {larger}")
    assert opened.zoom() > larger / 2  # one turn of any wheel is a small step


def test_two_fingers_zoom_and_move_the_graph(show) -> None:
    opened = show(demo(), has_touch=True)
    fingers = opened.tab.context.new_cdp_session(opened.tab)

    def touch(kind: str, *points: tuple[int, int]) -> None:
        touched = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    before = opened.tab.evaluate("({ ...lineage.view.now })")
    touch("touchStart", (600, 150), (700, 150))
    touch("touchMove", (600, 150), (720, 150))
    touch("touchMove", (620, 150), (820, 150))
    touch("touchEnd")
    after = opened.tab.evaluate("({ ...lineage.view.now })")
    assert after["zoom"] == pytest.approx(2 * before["zoom"], rel=0.01)
    middle = [(at - each["x"]) / each["zoom"] for at, each in ((650, before), (720, after))]
    assert middle[0] == pytest.approx(middle[1], abs=1)
    assert opened.tab.evaluate("lineage.choosing.get()") is None


def test_from_afar_boxes_have_their_colours_in_light_and_dark(show) -> None:
    opened = show(many())
    assert opened.rows(".card") == []
    x, y = opened.middle("d20")
    left = x - 0.4 * opened.tab.evaluate("lineage.boxes.get('d20').width") * opened.zoom()  # beside its name
    assert opened.ink(left, y) == "219 229 251 255"  # --table-soft
    assert opened.ink(x, 60) == "0 0 0 0"
    x_process, y_process = opened.middle("p20")
    right = x_process + opened.tab.evaluate("lineage.boxes.get('p20').width") * opened.zoom() / 2 + 3
    assert [opened.ink(right, y_process + away) == "0 0 0 0" for away in (-4, 0, 4)] == [True, False, True]  # an edge
    opened.tab.keyboard.press("t")
    opened.until("document.documentElement.dataset.theme === 'dark'")
    opened.tab.evaluate("() => new Promise(requestAnimationFrame)")
    assert opened.ink(left, y) == "35 52 90 255"
    assert opened.rows("#kinds span") == ["table", "process"]


def test_drag_moves_a_small_graph_and_a_click_on_the_background_clears_the_selection(show) -> None:
    opened = show(many())
    x, y = opened.middle("d20")
    opened.tab.mouse.move(x, y)
    opened.tab.mouse.down()
    opened.tab.mouse.move(x + 40, y + 30, steps=3)
    opened.tab.mouse.up()
    assert opened.middle("d20") == pytest.approx((x + 40, y + 30), abs=0.5)
    assert opened.tab.evaluate("lineage.choosing.get()") is None
    opened.tab.evaluate("lineage.choosing.choose({ node: 'd20' })")
    opened.tab.keyboard.press("0")
    opened.tab.mouse.click(700, 60)
    assert opened.tab.evaluate("lineage.choosing.get()") is None


def test_a_window_that_becomes_larger_shows_more(show) -> None:
    opened = show(demo(), size=(500, 400))
    opened.tab.set_viewport_size({"width": 1400, "height": 900})
    opened.until("document.getElementById('far').clientWidth === 1400 && lineage.view.size.width === 1400")
    opened.tab.keyboard.press("0")
    x, _ = opened.middle("d0")
    assert x > 0
    opened.until("document.querySelectorAll('.card').length === 20")  # they are drawn with the next frame


def test_hostile_names_stay_names(show) -> None:
    opened = show(hostile())
    assert opened.tab.title() == "lineage of the test · lineage"
    assert opened.tab.evaluate("model.nodes.size") == 2 * len(HOSTILE) + 1
    for key in opened.tab.evaluate("[...lineage.model.nodes.keys()]"):
        opened.tab.evaluate("key => lineage.choosing.choose({ node: key }, { isFar: true })", key)
    for number in range(opened.tab.evaluate("model.columns.length")):
        opened.tab.evaluate("number => lineage.choosing.choose({ column: number }, { isFar: true })", number)
    assert opened.tab.title() == "lineage of the test · lineage"
    assert opened.tab.locator("img, #graph script").count() == 0
    assert not set("\u202e\u2066\u2028") & set(opened.tab.content().partition('id="values"')[0])
    opened.tab.keyboard.press("0")
    opened.screenshot("hostile")


def test_a_column_without_a_name_is_shown_and_found(show) -> None:
    columns = (ColumnFlow(LineageColumn("s.b", ""), (LineageColumn("s.a", " "),)),)
    opened = show(graph_of([process("p", "s.a", "s.b", *columns)]), "s.b.")
    assert opened.rows("#details h2") == ["(no name)"]
    assert opened.rows("#details .link") == ["s.b", "a.(no name)", "p"]
    assert opened.rows(".column.chosen") == ["(no name)"]
    opened.tab.keyboard.press("/")
    opened.tab.keyboard.type("no name")
    assert opened.rows("#found .title") == ["(no name)", "(no name)"]


def test_empty_graph_is_reported(show) -> None:
    opened = show(graph_of([]))
    assert "No lineage" in opened.tab.locator("#empty").inner_text()
    for key in ("ArrowRight", "Enter", "Escape", "0", "+"):
        opened.tab.keyboard.press(key)
    opened.screenshot("empty")


def test_a_card_of_many_columns_shows_some_and_on_demand_all(show) -> None:
    columns = [ColumnFlow(LineageColumn("s.b", f"c{n}"), (LineageColumn("s.a", f"c{n}"),)) for n in range(40)]
    opened = show(graph_of([process("p", "s.a", "s.b", *columns)]))
    opened.head("b").click()
    assert len(opened.rows(".card.chosen .column")) == 14
    opened.tab.locator(".card.chosen .more", has_text="show 26 more").click()
    assert len(opened.rows(".card.chosen .column")) == 40
    opened.tab.evaluate("lineage.choosing.choose({ column: 39 }, { isFar: true })")
    assert opened.rows(".column.chosen") == ["c39"]


def test_large_graph_shows_boxes_and_zooms_to_the_selection(show) -> None:
    opened = show(many())
    edges = opened.tab.evaluate("model.edges.length")
    assert edges > 1000
    assert opened.rows(".card") == []  # too small to read
    x, y = opened.middle("d20")
    name = opened.tab.evaluate("lineage.nameOf({ node: 'd20' })")
    opened.tab.mouse.move(x, y)
    assert opened.tab.locator("#graph").get_attribute("title") == name
    opened.tab.mouse.click(x, y)
    assert opened.tab.evaluate("lineage.nameOf(lineage.choosing.get())") == name
    assert opened.rows(".card.chosen .title") == [name]
    opened.tab.keyboard.press("0")
    opened.until("!document.querySelector('.card')")
    assert opened.ink(*opened.middle("d20")) != "219 229 251 255"  # it is marked
    opened.screenshot("large")


def test_a_very_high_graph_is_all_in_sight(show) -> None:
    opened = show(graph_of(process(f"p{n}", f"a{n} a{n // 7}", f"b{n}") for n in range(500)))
    tops = opened.tab.evaluate("[...lineage.boxes.values()].map(b => b.y * lineage.view.now.zoom + lineage.view.now.y)")
    assert min(tops) > 0
    assert max(tops) < opened.tab.locator("#graph").bounding_box()["height"]


def test_a_narrow_screen(show) -> None:
    opened = show(demo(), "sales.order_lines.amount", size=(420, 800))
    assert opened.tab.evaluate("document.documentElement.scrollWidth") == 420
    opened.screenshot("narrow")
