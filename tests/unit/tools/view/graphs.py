"""Graphs for tests of pictures."""

from __future__ import annotations

from pathlib import Path

from sac_kafka.atlas.wire.reader import read
from sac_kafka.tools.graph.graph import LineageGraph, graph_of, label_graph
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn, LineageProcess
from sac_kafka.tools.messages.state import ServerState

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
    messages = (read(line).notification for line in DEMO.read_text("utf-8").splitlines())
    return label_graph(graph_of(ServerState(messages).items()))


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


def nine() -> LineageGraph:
    """Return 9 datasets of 5 columns in 5 layers, with 6 processes of one job."""
    names = ("id", "customer", "amount", "country", "day")

    def step(inputs: str, output: str) -> LineageProcess:
        flows = [
            ColumnFlow(
                LineageColumn(output, name), tuple(LineageColumn(each, name) for each in inputs.split()), "", kind
            )
            for name in names
            for kind in ((False, True) if name == "amount" else (False,))
        ]
        return process(f"daily: {output}", inputs, output, *flows, job="daily")

    return graph_of(
        [
            step("raw.orders", "stage.orders"),
            step("raw.customers", "stage.customers"),
            step("stage.orders stage.customers", "mart.order_lines"),
            step("mart.order_lines", "mart.customer_totals"),
            step("mart.order_lines", "mart.country_totals"),
            step("mart.customer_totals", "report.top_customers"),
            step("mart.country_totals stage.customers", "report.countries"),
        ]
    )


def two_hundred() -> LineageGraph:
    """Return 200 tables: 10 chains of 20, two jobs and schemas, in each chain a column and, in every fifth step, a condition."""

    def step(chain: int, at: int) -> LineageProcess:
        source, target = (f"s{chain % 2}.t{chain}_{n}" for n in (at, at + 1))
        beside = f"s{(chain + 1) % 2}.t{(chain + 1) % 10}_{at}"
        flows = [ColumnFlow(LineageColumn(target, "v"), (LineageColumn(source, "v"),), "v + 1")]
        if at % 5 == 0:
            flows.append(
                ColumnFlow(LineageColumn(target, "v"), (LineageColumn(source, "v"),), "v > 1", influences=True)
            )
        return process(f"p{chain}_{at}", f"{source} {beside}", target, *flows, job=f"job{chain % 2}")

    return graph_of(step(chain, at) for chain in range(10) for at in range(19))


def many(number: int = 500) -> LineageGraph:
    """Return too many cards to read at once: adjacent chains of 25 tables, each process with two inputs."""
    return graph_of(process(f"p{n}", f"t{n} t{n - n % 25}", f"t{n + 25}") for n in range(number))
