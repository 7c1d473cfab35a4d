"""The graph as Mermaid and DOT: complete, and names stay names."""

from __future__ import annotations

import re

from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.messages.model import CatalogChange
from sac_kafka.tools.view.diagrams import dot, mermaid
from tests.unit.tools.view.graphs import hostile, process

SMALL = graph_of([process("p", "s.a", "s.b"), CatalogChange("dropped", "spark_table", "s.b")])
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
