"""Draws docs/pictures of what `make demo` sends, which the tests keep: `python -m dev.pictures` (`make pictures`).

`page.png` is the page in this machine's Chromium, with the path of a column; `terminal.svg` what `sac-kafka show` prints.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from contextlib import redirect_stdout
from html import escape
from pathlib import Path

from playwright.sync_api import sync_playwright

from sac_kafka.tools.cli.main import main as sac_kafka

ROOT = Path(__file__).parents[1]
MESSAGES = ROOT / "tests" / "fixtures" / "demo.jsonl"
PICTURES = ROOT / "docs" / "pictures"
_COLUMN = "sales.customer_totals.total"
_REPORT = "top_customers.percent"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_COMMANDS = (("show", "orders.jsonl", "--column", _REPORT), ("tail", "orders.jsonl", "-n", "1", "--columns"))
_SIZE, _LINE, _CHARACTER = 13, 20, 7.83
_PROMPT, _TEXT = "#7ea6ff", "#e8edf5"


def main() -> int:
    """Draw both; exit status 2 where there is no browser."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        sys.stderr.write("pictures: no Chromium on this machine: apt-get install chromium\n")
        return 2
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        messages = Path(folder) / "orders.jsonl"
        messages.write_bytes(MESSAGES.read_bytes().replace(b"file:/srv/demo/", b""))
        (PICTURES / "terminal.svg").write_text(terminal(messages), "utf-8")
        draw_page(browser, messages, PICTURES / "page.png")
    return 0


def draw_page(browser: str, messages: Path, picture: Path) -> None:
    """Draw the page of these messages, with the path of a column."""
    file = messages.with_suffix(".html")
    with redirect_stdout(io.StringIO()):
        sac_kafka(["view", str(messages), "--output", str(file), "--title", "orders"])
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        tab = started.new_page(viewport={"width": 1360, "height": 560}, device_scale_factor=1.5)
        tab.goto(f"{file.as_uri()}#{_COLUMN}")
        tab.evaluate(
            "lineage.view.fit(); lineage.view.zoomBy(0.75 / lineage.view.now.zoom); lineage.view.panBy(-10, 6)"
        )
        tab.wait_for_timeout(500)
        tab.screenshot(path=picture)
        started.close()


def terminal(messages: Path) -> str:
    """Give a picture of a terminal in which some commands were given."""
    shown: list[tuple[str, str]] = []
    for command in _COMMANDS:
        printed = io.StringIO()
        with redirect_stdout(printed):
            sac_kafka([str(messages) if word == messages.name else word for word in command])
        shown.append((_PROMPT, f"$ sac-kafka {' '.join(command)}"))
        shown += [
            (_TEXT, line.replace(str(messages.parent), "")) for line in printed.getvalue().rstrip("\n").split("\n")
        ]
        shown.append((_TEXT, ""))
    width = 40 + _CHARACTER * max(len(line) for _, line in shown)
    height = 52 + _LINE * (len(shown) - 1)
    lines = "".join(
        f'<text x="20" y="{54 + _LINE * at}" fill="{colour}" xml:space="preserve">{escape(line)}</text>\n'
        for at, (colour, line) in enumerate(shown)
    )
    dots = "".join(f'<circle cx="{20 + 18 * at}" cy="18" r="5" fill="#36425a"/>' for at in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" '
        f'role="img" aria-label="sac-kafka in a terminal" font-size="{_SIZE}" '
        "font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\">\n"
        f'<rect width="100%" height="100%" rx="10" fill="#10151e"/>{dots}\n{lines}</svg>\n'
    )


if __name__ == "__main__":
    sys.exit(main())
