"""The graph as SVG, PNG, Mermaid and DOT: what is in it, and that names stay names."""

from __future__ import annotations

import re
import struct
import sys
from xml.etree import ElementTree as ET

import pytest

from sac_kafka.errors import SacKafkaError
from sac_kafka.pictures.dot import dot
from sac_kafka.pictures.layout import DATASET_WIDTH, PROCESS_WIDTH, layout_of
from sac_kafka.pictures.mermaid import mermaid
from sac_kafka.pictures.png import png
from sac_kafka.pictures.svg import FAR, NEAR, svg
from sac_kafka.readable.graph import LineageGraph, graph_of
from sac_kafka.readable.told import ToldChange
from tests.pictures.graphs import demo, hostile, process

SMALL = graph_of([process("p", "s.a", "s.b"), ToldChange("dropped", "spark_table", "s.b")])
_SVG = "{http://www.w3.org/2000/svg}"
_DOT_TEXT = r'"(?:[^"\\\n]|\\.)*"'
_DOT_LINE = re.compile(
    rf"    (?:\w+ \[(?:\w+=(?:{_DOT_TEXT}|[\w.]+) ?)+\]|[dp]\d+ -> [dp]\d+|\w+ \[rankdir=LR [^\n]*\])|digraph lineage \{{|\}}"
)
_MERMAID_LINE = re.compile(r'    (?:[dp]\d+\W{1,2}"[^"<>`\\\n]*"\W{1,2}|[dp]\d+ --> [dp]\d+)|flowchart LR')


def test_mermaid() -> None:
    assert mermaid(SMALL) == (
        'flowchart LR\n    d0[("s.a")]\n    d1[("s.b")]\n    p0{{"p"}}\n    d0 --> p0\n    p0 --> d1\n'
    )


def test_mermaid_of_hostile_names_has_only_texts() -> None:
    lines = mermaid(hostile()).splitlines()
    assert [line for line in lines if not _MERMAID_LINE.fullmatch(line)] == []
    assert len(lines) == 1 + 12 + 11 * 3
    assert any("#60;/script#62;" in line for line in lines)


def test_dot() -> None:
    (_, _, _, _, a, b, p, into, out_of, _) = dot(SMALL).splitlines()
    assert a == '    d0 [label="s.a" tooltip="spark_table" color="#2456c7"]'
    assert 'style="rounded,filled,dashed"' in b
    assert 'label="p"' in p
    assert (into, out_of) == ("    d0 -> p0", "    p0 -> d1")


def test_dot_of_hostile_names_has_only_texts() -> None:
    lines = dot(hostile()).splitlines()
    assert [line for line in lines if not _DOT_LINE.fullmatch(line)] == []
    assert any(r"\\u202egnp.exe" in line for line in lines)


def test_svg_has_a_card_for_each_and_a_line_for_each_edge() -> None:
    graph = demo()
    root = ET.fromstring(svg(graph, "demo"))
    titles = [each.text for each in root.iter(f"{_SVG}title")]
    assert sorted(titles) == sorted([*graph.datasets, *(each.name for each in graph.processes.values())])
    edges = [each for each in root.iter(f"{_SVG}path") if each.get("class") == "edge"]
    assert len(edges) == sum(len(each.inputs) + len(each.outputs) for each in graph.processes.values())
    assert root.get("aria-label") == "demo"


def test_svg_leads_back_below_a_card_and_around_those_between() -> None:
    graph = graph_of(
        [process("p", "a", "b"), process("q", "b", "c"), process("back", "c", "a"), process("self", "d", "d")]
    )
    boxes = layout_of(graph).boxes
    ways = [each.get("d", "") for each in ET.fromstring(svg(graph)).iter(f"{_SVG}path") if each.get("class") == "edge"]
    (around,) = (each for each in ways if "Q" in each)
    right = boxes["d:a"].x + boxes["d:a"].width
    assert f"{right:.0f}" in re.split(r"[ HC]", around)[-2:]
    below = boxes["d:d"].y + boxes["d:d"].height
    assert len([each for each in ways if each.endswith(f" {below:.0f}")]) == 1


def test_svg_of_hostile_names_is_xml_and_runs_nothing() -> None:
    root = ET.fromstring(svg(hostile(), '"><script>'))
    assert {each.tag.removeprefix(_SVG) for each in root.iter()} == {
        *("svg", "style", "defs", "marker", "path", "rect", "g", "title", "text")
    }


def test_svg_of_nothing_says_so() -> None:
    assert "No lineage" in svg(graph_of([]))


def test_a_long_name_is_shortened_in_its_middle_and_whole_in_its_title() -> None:
    name = f"s.customers_{'of_the_north_' * 5}with_orders"
    drawn = svg(graph_of([process("p", name, "s.b")]))
    assert f"<title>{name}</title>" in drawn
    assert ">customers_o…with_orders<" in drawn


def test_png_has_two_by_two_pixels_for_one() -> None:
    pytest.importorskip("resvg_py")
    drawn = png(SMALL)
    width, height = struct.unpack(">II", drawn[16:24])
    root = ET.fromstring(svg(SMALL))
    assert drawn.startswith(b"\x89PNG")
    assert (width, height) == (2 * float(root.get("width", "")), 2 * float(root.get("height", "")))


def rendered(graph: LineageGraph, monkeypatch: pytest.MonkeyPatch) -> tuple[str, float]:
    """The SVG of which PNG is made, and how large; nothing is rendered."""
    resvg = pytest.importorskip("resvg_py")
    asked: list[tuple[str, float]] = []

    def svg_to_bytes(svg_string: str, zoom: float = 0.0) -> bytes:
        asked.append((svg_string, zoom))
        return svg_string.encode()

    monkeypatch.setattr(resvg, "svg_to_bytes", svg_to_bytes)
    png(graph)
    return asked[-1]


def test_png_of_a_huge_graph_is_no_huge_picture_and_its_names_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text, zoom = rendered(graph_of(process(f"p{n}", f"the_first{n}", f"t{n}") for n in range(2000)), monkeypatch)
    root = ET.fromstring(text)
    pixels = float(root.get("width", "")) * float(root.get("height", "")) * zoom**2
    assert 20e6 < pixels < 24.1e6
    assert f".title{{font-size:{FAR.title}px}}" in text
    assert FAR.title * zoom > 5.5 > NEAR.title * zoom
    assert ">the_fi…t1999<" in text


def test_png_of_a_small_graph_has_the_letters_of_svg(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(SMALL, monkeypatch) == (svg(SMALL), 2.0)


def test_letters_for_a_smaller_picture_leave_no_name_wider_than_its_card() -> None:
    widest = 0.62  # of a letter, for its height, on average in a bold sans serif
    for letters in (NEAR, FAR):
        assert letters.title * letters.title_characters * widest < DATASET_WIDTH - 18
        assert letters.process * letters.process_characters * widest < PROCESS_WIDTH


def test_png_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(SacKafkaError, match=r"pip install 'sac-kafka\[view\]'"):
        png(SMALL)


def test_png_without_a_font_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    resvg = pytest.importorskip("resvg_py")
    monkeypatch.setattr(resvg, "svg_to_bytes", lambda **_: b"blank")
    with pytest.raises(SacKafkaError, match="no font"):
        png(SMALL)
