"""Times of the page of a large graph: 2,000 datasets and processes, 10,000 edges between columns.

    python -m benchmarks.page

Measured in the Chromium of this machine, headless: from opening the file to the first picture, and from a click on a column to
the picture of its path.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn, LineageProcess
from sac_kafka.tools.view.page import page
from tests.unit.tools.view.browsers import CHROMIUM, OPTIONS

NODES, COLUMN_EDGES = 2_000, 10_000
_LAYERS, _COLUMNS, _ROUNDS = 12, 10, 5
_PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def large(nodes: int = NODES, column_edges: int = COLUMN_EDGES, seed: int = 7) -> LineageGraph:
    """Return a graph of about that size: tables in layers, each of one to three of the layer before, ten columns each."""
    drawn = random.Random(seed)
    number = nodes // 2
    layers = [[f"layer_{at}.table_{i}" for i in range(number // _LAYERS)] for at in range(_LAYERS)]
    layers[0] += [f"layer_0.more_{i}" for i in range(number - sum(map(len, layers)))]
    tables = [(at, name) for at, names in enumerate(layers) for name in names]
    made = [each for each in tables if each[0]]
    made += drawn.sample(made, nodes - number - len(made))
    processes, edges = [], 0
    for i, (at, name) in enumerate(made):
        inputs = drawn.sample(layers[at - 1], drawn.choice((1, 1, 2, 3)))
        share = (column_edges - edges) // (len(made) - i)
        flows = tuple(
            ColumnFlow(
                LineageColumn(name, f"column_{at_column}"),
                (LineageColumn(drawn.choice(inputs), f"column_{drawn.randrange(_COLUMNS)}"),),
                "sum(amount)" if at_column % 3 else "",
                influences=at_column % 5 == 0,
            )
            for at_column in range(share)
        )
        edges += share
        types = dict.fromkeys((*inputs, name), "spark_table")
        processes.append(LineageProcess(f"job_{i}@large", f"job_{i}", tuple(inputs), (name,), flows, types=types))
    return graph_of(processes)


def main() -> None:
    """Print the figures."""
    shown = large()
    edges = sum(1 for _ in shown.column_edges())
    print(f"{len(shown.datasets) + len(shown.processes):,} datasets and processes, {edges:,} edges between columns")
    started = time.monotonic()
    text = page(shown, "large")
    print(f"written in {time.monotonic() - started:.2f} s, {len(text) / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "large.html"
        file.write_text(text, "utf-8")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS))
        opened, clicked, moved = [], [], []
        opening, clicking = [], []  # CPU
        for _ in range(_ROUNDS):
            tab = browser.new_page(viewport={"width": 1440, "height": 900})
            watched = tab.context.new_cdp_session(tab)
            watched.send("Performance.enable", {"timeDomain": "threadTicks"})
            opened.append(_timed(lambda tab=tab: (tab.goto(file.as_uri()), tab.evaluate(_PAINTED))))
            opening.append(_busy(watched))
            _open_a_table(tab)
            before = _busy(watched)
            clicked.append(_timed(lambda tab=tab: (tab.locator(".column").nth(3).click(), tab.evaluate(_PAINTED))))
            clicking.append(_busy(watched) - before)
            moved.append(_frame(tab))
            tab.close()
        browser.close()
    print(
        f"opens in {_middle(opened):.2f} s (slowest of {_ROUNDS}: {max(opened):.2f}), {_middle(opening):.2f} s of CPU"
    )
    print(
        f"answers a click on a column in {_middle(clicked):.2f} s (slowest: {max(clicked):.2f}), {_middle(clicking):.2f} s of CPU"
    )
    print(f"a frame while the whole graph is moved: {_middle(moved) * 1000:.0f} ms (slowest: {max(moved) * 1000:.0f})")


def _busy(watched: CDPSession) -> float:
    """Return the seconds of CPU that the page's thread has taken: what would be left of the time on an idle machine."""
    return next(
        each["value"] for each in watched.send("Performance.getMetrics")["metrics"] if each["name"] == "TaskDuration"
    )


def _open_a_table(tab: Page) -> None:
    tab.goto(f"{tab.url}#layer_6.table_3")
    tab.wait_for_selector(".card")
    tab.wait_for_timeout(400)
    tab.locator(".card.chosen .head").click()
    tab.wait_for_selector(".column")


def _frame(tab: Page) -> float:
    """Return the mean time of a frame, in seconds, while the whole graph is dragged."""
    tab.keyboard.press("Escape")
    tab.keyboard.press("Escape")
    tab.keyboard.press("0")
    tab.evaluate(_PAINTED)
    took = tab.evaluate(
        """() => new Promise(done => {
            const started = performance.now();
            let left = 30;
            const step = () => {
                lineage.view.panBy(left % 2 ? 6 : -6, 2);
                left -= 1;
                if (left) requestAnimationFrame(step);
                else done((performance.now() - started) / 30);
            };
            requestAnimationFrame(step);
        })"""
    )
    return float(took) / 1000


def _timed(action) -> float:
    started = time.monotonic()
    action()
    return time.monotonic() - started


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


if __name__ == "__main__":
    main()
