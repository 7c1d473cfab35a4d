"""Graphs for tests of pictures."""

from __future__ import annotations

from pathlib import Path

from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.graph.labelling import labelled
from sac_kafka.tools.messages.lineage import parse_message
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn, LineageProcess

DEMO = Path(__file__).parents[3] / "fixtures" / "demo.jsonl"
"""The messages of `make demo` on ATLAS_HOOK; its folder is /srv/demo."""
HOSTILE = (
    '</script><script>document.title="owned"</script>',
    "<img src=x onerror='document.title=\"owned\"'>",
    "a\"b'c`d\\e{{f}}#g;h%i&amp;j|k[l]m",
    "line\nof\r\u2028two\u2029\u0085",
    "\u202egnp.exe\u2066\u200f",
    "\x00\x07\x1b[31m",
    "\ud800 half of a pair",
    "__proto__",
    "x" * 5_000,
    "表.列",
    "",
)


def demo() -> LineageGraph:
    return labelled(graph_of(each for line in DEMO.read_text("utf-8").splitlines() for each in parse_message(line)))


def process(id_: str, inputs: str, outputs: str, *columns: ColumnFlow, **about: str) -> LineageProcess:
    """Return a process between tables, whose names are separated by blanks."""
    ends = (*inputs.split(), *outputs.split())
    types = dict.fromkeys(ends, "spark_table")
    return LineageProcess(id_, id_, tuple(inputs.split()), tuple(outputs.split()), columns, types=types, **about)


def hostile() -> LineageGraph:
    """Return a graph with one process per hostile name in all its attributes; each reads what the previous one writes."""
    processes = []
    for before, name in zip(("start", *HOSTILE), HOSTILE, strict=False):
        flow = ColumnFlow(LineageColumn(name, name), (LineageColumn(before, before),), name)
        influence = ColumnFlow(LineageColumn(name, name), (LineageColumn(before, before),), name, influences=True)
        about = {name: name, "query": name, "lineage": f"partial: {name}"}
        processes.append(
            LineageProcess(
                name,
                name,
                (before,),
                (name,),
                (flow, influence),
                rows=name,
                types={name: name},
                job=name,
                attributes=about,
            )
        )
    return graph_of(processes)
