"""A real browser for the tests of the page, and what a test does with an opened page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.view.page import page
from tests.helpers.waiting import until
from tests.unit.tools.view.browsers import CHROMIUM, OPTIONS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SCREENSHOTS = Path(__file__).parents[4] / "build" / "screenshots"


@dataclass
class Opened:
    """A tab with a page, its network requests and its errors."""

    tab: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def hear(self) -> None:
        """Record requests and errors of the page from now on."""
        self._hearing = {
            "request": lambda request: self.requests.append(request.url),
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
        }
        for event, take in self._hearing.items():
            self.tab.on(event, take)

    def leave(self) -> None:
        """Leave the tab as it was."""
        for event, take in self._hearing.items():
            self.tab.remove_listener(event, take)
        if self.tab.url.startswith("file:"):
            self.tab.evaluate("localStorage.clear()")
            self.tab.goto("about:blank")

    def rows(self, selector: str) -> list[str]:
        return self.tab.locator(selector).all_inner_texts()

    def head(self, title: str) -> Locator:
        return self.tab.locator(f".dataset .head:has(.title:text-is('{title}'))").first

    def column(self, title: str, name: str) -> Locator:
        """Return the row of a column in the card with this title."""
        card = self.tab.locator(f".dataset:has(.title:text-is('{title}'))").first
        return card.locator(f".column:has(.name:text-is('{name}'))")

    def until(self, expression: str) -> None:
        """Wait until the condition is true; Playwright's own method evaluates text in the page, which the page forbids."""
        until(lambda: self.tab.evaluate(expression), lambda: expression)

    def lit_flows(self) -> set[tuple[str, str, bool]]:
        """Return the lit edges between columns: from, to, and whether they are direct."""
        found = self.tab.evaluate(
            "[...document.querySelectorAll('.flow.lit')].map(e => [e.textContent, e.classList.contains('direct')])"
        )
        return {(*title.partition("\n")[0].split(" → "), is_direct) for title, is_direct in found}

    def middle(self, key: str) -> tuple[float, float]:
        """Return the middle of a dataset or process on the screen."""
        frame = self.tab.locator("#graph").bounding_box()
        at = self.tab.evaluate(
            """key => {
                const [{ zoom, x, y }, box] = [lineage.view.now, lineage.boxes.get(key)];
                return [x + zoom * (box.x + box.width / 2), y + zoom * (box.y + box.height / 2)];
            }""",
            key,
        )
        return frame["x"] + at[0], frame["y"] + at[1]

    def zoom(self) -> float:
        return self.tab.evaluate("lineage.view.now.zoom")

    def ink(self, x: float, y: float) -> str:
        """Return the colour of the canvas at a point of the screen as in CSS; 0 0 0 0 where nothing is drawn."""
        frame = self.tab.locator("#graph").bounding_box()
        return self.tab.evaluate(
            """([x, y]) => {
                const ink = new OffscreenCanvas(1, 1).getContext("2d");
                ink.drawImage(document.getElementById("far"), -x, -y);
                return ink.getImageData(0, 0, 1, 1).data.join(" ");
            }""",
            [round(x - frame["x"]), round(y - frame["y"])],
        )

    def screenshot(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.tab.screenshot(path=SCREENSHOTS / f"{name}.png")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with pytest.importorskip("playwright.sync_api").sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS), timeout=120_000)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def shared(browser) -> Page:
    """Return a tab for all tests that need no separate one, because creating one takes longer than most tests."""
    return browser.new_context().new_page()


@pytest.fixture
def show(browser, shared, tmp_path):
    """Return a function that opens the page of a graph; at the end of the test, check that it had no requests and no errors."""
    opened: list[Opened] = []

    def opening(
        graph: LineageGraph, link: str = "", size: tuple[int, int] = (1440, 820), scheme: str = "light", **context
    ) -> Opened:
        file = tmp_path / "lineage.html"
        file.write_text(page(graph, "lineage of the test"), "utf-8")
        tab = browser.new_context(**context).new_page() if context else shared
        tab.set_viewport_size({"width": size[0], "height": size[1]})
        tab.emulate_media(color_scheme=scheme)
        tab.set_default_timeout(60_000)
        result = Opened(tab)
        opened.append(result)
        result.hear()
        tab.goto(f"{file.as_uri()}{link and '#' + quote(link, safe='')}")
        return result

    yield opening
    for each in opened:
        file = (tmp_path / "lineage.html").as_uri()
        assert {url.partition("#")[0] for url in each.requests if url != "data:,"} == {file}
        assert each.complaints == []
        each.leave()
        if each.tab is not shared:
            each.tab.context.close()
