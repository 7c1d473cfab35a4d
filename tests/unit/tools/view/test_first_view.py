"""What the page shows at first, and what parts of it: readable texts, open columns, whole paths."""

from __future__ import annotations

import pytest

from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn
from tests.unit.tools.view.browsers import IN_BROWSER
from tests.unit.tools.view.graphs import demo, nine, process, two_hundred

pytestmark = IN_BROWSER
WINDOWS = ((1440, 900), (1024, 700), (390, 844))
READABLE = 11  # pixels
CHAIN = [f"s0.t4_{n}" for n in range(20)]


def text_heights(opened) -> set[float]:
    """Return the heights of the texts of cards on the screen, in CSS pixels."""
    return set(
        opened.tab.evaluate(
            """[...document.querySelectorAll(".card span")].map(
                (each) => Math.round(100 * parseFloat(getComputedStyle(each).fontSize) * lineage.view.now.zoom) / 100)"""
        )
    )


def is_in_sight(opened, selector: str) -> bool:
    """Return whether all these elements are in the window of the graph."""
    frame = opened.tab.locator("#graph").bounding_box()
    found = [each.bounding_box() for each in opened.tab.locator(selector).all()]
    assert found
    return all(
        each["x"] >= frame["x"] - 1
        and each["x"] + each["width"] <= frame["x"] + frame["width"] + 1
        and each["y"] >= frame["y"] - 1
        and each["y"] + each["height"] <= frame["y"] + frame["height"] + 1
        for each in found
    )


def names_shown(opened) -> set[str]:
    """Return the datasets of the part that is shown."""
    return set(
        opened.tab.evaluate(
            """[...lineage.model.nodes.values()]
                .filter((node) => node.isDataset && lineage.boxes.has(node.key)).map((node) => node.name)"""
        )
    )


@pytest.mark.parametrize("size", WINDOWS)
@pytest.mark.parametrize("graph", [nine(), demo()])
def test_texts_can_be_read(show, graph: LineageGraph, size: tuple[int, int]) -> None:
    opened = show(graph, size=size)
    assert min(text_heights(opened)) >= READABLE
    opened.screenshot(f"first-{len(graph.datasets)}-{size[0]}")


@pytest.mark.parametrize("graph", [nine(), demo()])
def test_columns_are_open_while_there_is_room(show, graph: LineageGraph) -> None:
    opened = show(graph, size=(1440, 900))
    assert min(text_heights(opened)) >= 12
    assert len(opened.rows(".column")) == sum(len(each.columns) for each in graph.datasets.values())
    assert is_in_sight(opened, ".card")
    for height in (560, 430):
        lower = show(graph, size=(1440, height))
        assert min(text_heights(lower)) >= READABLE
        assert is_in_sight(lower, ".dataset")
    assert len(opened.rows(".column")) < sum(len(each.columns) for each in graph.datasets.values())


def test_processes_of_one_job_are_marks(show) -> None:
    opened = show(nine())
    assert opened.rows(".process .title") == []
    assert opened.tab.locator(".card.process").count() == 7
    assert opened.tab.locator("#counts").inner_text() == "9 datasets · 7 processes · job daily"
    width = opened.tab.locator(".card.process").first.bounding_box()["width"]
    assert 18 <= width <= 24
    opened.tab.locator(".card.process .head").first.click()
    assert "job daily" in opened.tab.locator("#details").inner_text()


def test_a_rank_of_processes_names_each_job_once(show) -> None:
    graph = graph_of(process(f"p{n}", f"a{n}", f"b{n}", job=("one", "two")[n >= 3]) for n in range(6))
    joined = graph_of([*graph.processes.values(), process("q", " ".join(f"b{n}" for n in range(6)), "c", job="one")])
    assert sorted(show(joined).rows(".process .title")) == ["one", "one", "two"]


def test_a_column_in_the_address_is_shown_with_its_whole_path(show) -> None:
    opened = show(demo(), "sales.customer_totals.total", size=(1440, 900))
    assert sorted(opened.rows(".column.lit .name")) == [
        "amount",
        "quantity",
        "quantity",
        "total",
        "total",
        "unit_price",
        "unit_price",
    ]
    assert is_in_sight(opened, ".column.lit")
    assert min(text_heights(opened)) >= READABLE
    opened.screenshot("path-of-a-column")


def test_a_column_of_a_large_graph_is_shown_with_its_path_alone(show) -> None:
    opened = show(two_hundred(), "s0.t4_10.v")
    assert names_shown(opened) == {*CHAIN}
    assert min(text_heights(opened)) >= READABLE
    assert is_in_sight(opened, ".column.chosen")
    assert opened.tab.locator("#part").evaluate("each => each.selectedOptions[0].label") == "Path of s0.t4_10.v"
    opened.screenshot("path-of-200")


@pytest.mark.parametrize("way", ["key", "button", "list"])
def test_one_path_of_200_tables_alone(show, way: str) -> None:
    opened = show(two_hundred())
    assert len(names_shown(opened)) == 200
    opened.tab.keyboard.press("/")
    opened.tab.keyboard.type("t4_19.v")
    opened.tab.keyboard.press("Enter")
    opened.tab.evaluate("lineage.parts.showAll()")
    assert len(names_shown(opened)) == 200
    if way == "key":
        opened.tab.keyboard.press("p")
    elif way == "button":
        opened.tab.get_by_role("button", name="Show only this path").click()
    else:
        opened.tab.locator("#part").select_option(label="Path of s0.t4_19.v")
    assert names_shown(opened) == {*CHAIN}
    assert "20 of 200 datasets" in opened.tab.locator("#counts").inner_text()
    assert min(text_heights(opened)) >= READABLE
    for key in ("Escape", "Escape", "Escape"):
        opened.tab.keyboard.press(key)
    assert len(names_shown(opened)) == 200


def test_what_is_outside_the_part_is_shown_when_it_is_chosen(show) -> None:
    opened = show(two_hundred(), "s0.t4_10.v")
    opened.tab.keyboard.press("/")
    opened.tab.keyboard.type("t7_3.v")
    opened.tab.keyboard.press("Enter")
    assert names_shown(opened) == {f"s1.t7_{n}" for n in range(20)}
    opened.tab.locator("#part").select_option(label="job0")
    opened.tab.evaluate("lineage.choosing.choose({ node: 'd0' }, { isFar: true })")
    assert opened.tab.evaluate("lineage.parts.has('d0')")


def test_one_job_and_one_schema(show) -> None:
    opened = show(two_hundred())
    opened.tab.locator("#part").select_option(label="job1")
    processes = "[...lineage.boxes.keys()].filter((key) => key.startsWith('p'))"
    shown = opened.tab.evaluate(f"{processes}.map((key) => model.nodes.get(key).job)")
    assert (len(shown), set(shown)) == (95, {"job1"})
    opened.tab.locator("#part").select_option(label="s0")
    assert {f"s0.t{chain}_{n}" for chain in range(0, 10, 2) for n in range(20)} <= names_shown(opened)
    opened.tab.locator("#part").select_option(label="Everything")
    assert len(names_shown(opened)) == 200


def test_the_map_is_there_where_something_is_out_of_sight(show) -> None:
    opened = show(two_hundred())
    assert not opened.tab.locator("#map").is_visible()
    opened.tab.keyboard.press("+")
    opened.until("!document.getElementById('map').hidden")
    frame = opened.tab.locator("#map canvas").bounding_box()
    opened.tab.mouse.click(frame["x"] + frame["width"] - 2, frame["y"] + frame["height"] / 2)
    opened.tab.evaluate("() => new Promise(requestAnimationFrame)")
    right = opened.tab.evaluate("Math.max(...[...lineage.boxes.values()].map((box) => box.x + box.width))")
    sight = opened.tab.evaluate("lineage.view.sight()")
    assert sight["x1"] < right < sight["x2"]
    assert opened.tab.evaluate("lineage.choosing.get()") is None
    opened.tab.keyboard.press("0")
    opened.until("document.getElementById('map').hidden")


def test_names_can_be_read_from_afar(show) -> None:
    opened = show(two_hundred())
    assert opened.rows(".card") == []
    written = opened.tab.evaluate(
        """() => new Promise((done) => {
            const written = [];
            const write = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
                written.push([text, parseFloat(this.font.match(/([0-9.]+)px/)[1]) * this.getTransform().d / devicePixelRatio]);
                write.call(this, text, ...rest);
            };
            lineage.view.panBy(1, 0);
            requestAnimationFrame(() => requestAnimationFrame(() => done(written)));
        })"""
    )
    assert len(written) > 100
    assert {"t0_0", "t4_10"} <= {text for text, _ in written}
    assert min(height for _, height in written) >= READABLE


_POINTS = """[...document.querySelectorAll(".flow")].map((path) => {
    const length = path.getTotalLength();
    return Array.from({ length: 60 }, (_, at) => path.getPointAtLength((length * at) / 59)).map(({ x, y }) => [x, y]);
})"""


def test_lines_between_the_same_columns_do_not_overlap(show) -> None:
    pair = (LineageColumn("s.b", "v"), (LineageColumn("s.a", "v"),))
    both = (ColumnFlow(*pair, "v + 1"), ColumnFlow(*pair, "v > 1", influences=True))
    steps = [
        process("p", "s.a", "s.b", *both),
        process("again", "s.a", "s.b", ColumnFlow(*pair, "v + 2")),
        process("q", "s.b", "s.c", ColumnFlow(LineageColumn("s.c", "v"), (LineageColumn("s.b", "v"),))),
        process(
            "far",
            "s.a s.c",
            "s.d",
            *(ColumnFlow(LineageColumn("s.d", "v"), (LineageColumn("s.a", "v"),), "v", kind) for kind in (False, True)),
        ),
        process(
            "back",
            "s.d",
            "s.b",
            *(ColumnFlow(LineageColumn("s.b", "v"), (LineageColumn("s.d", "v"),), "v", kind) for kind in (False, True)),
        ),
    ]
    opened = show(graph_of(steps))
    lines = opened.tab.evaluate(_POINTS)
    assert len(lines) == 8
    titles = opened.tab.evaluate(
        "[...document.querySelectorAll('.flow')].map((each) => each.textContent.split('\\n')[0])"
    )
    for at, one in enumerate(lines):
        for other in range(at):
            if titles[at] == titles[other]:
                apart = [min(((x - x2) ** 2 + (y - y2) ** 2) ** 0.5 for x2, y2 in lines[other]) for x, y in one]
                assert min(apart) >= 2, titles[at]
    opened.screenshot("both-kinds")


def test_columns_have_their_types_beside_their_names(show) -> None:
    opened = show(demo())
    assert [
        opened.column("customer_totals", name).inner_text().split() for name in ("customer", "total", "orders")
    ] == [
        ["customer", "string"],
        ["total", "decimal(30,2)"],
        ["orders", "bigint"],
    ]
    opened.column("customer_totals", "total").click()
    assert opened.tab.locator("#details").inner_text().startswith("column, decimal(30,2)")


def test_a_type_takes_no_room_from_a_name(show) -> None:
    opened = show(demo(), "sales.order_lines.amount")
    shown = opened.tab.locator(".column")
    assert shown.count() == 10
    assert [each.inner_text() for each in shown.locator(".name").all()] == [
        each.get_attribute("title").partition(":")[0] for each in shown.all()
    ]


def test_names_have_no_namespace_where_there_is_one(show) -> None:
    opened = show(demo())
    assert "@demo" not in opened.tab.locator("body").inner_text()
