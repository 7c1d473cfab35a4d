"""The commands that read lineage: `impact` of a process of 3,000 x 3,000 datasets, and the page of 200 tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.table import Row
from sac_kafka.tools.view.page import page
from tests.unit.tools.view.browsers import CHROMIUM, OPTIONS
from tests.unit.tools.view.graphs import two_hundred

DATASETS = 3_000
_PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def rows(pairs: int) -> Iterator[Row]:
    """Yield the figures of the commands."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _impact(Path(folder), pairs)
        yield from _page(Path(folder), pairs)


def _impact(folder: Path, rounds: int) -> Iterator[Row]:
    messages = folder / "messages.jsonl"
    messages.write_text(_wide_message(DATASETS), "utf-8")
    command = [sys.executable, "-m", "sac_kafka.tools.cli.main", "impact", str(messages), "in.t0"]
    runs = [_run(command) for _ in range(rounds)]
    name = f"`sac-kafka impact`, a process with {DATASETS:,} inputs and as many outputs"
    yield Row(f"{name}, CPU", "s", [cpu for cpu, _ in runs])
    yield Row("… most memory", "MB", [memory for _, memory in runs])


def _wide_message(number: int) -> str:
    """Return the message of a process that writes so many tables out of as many others."""

    def tables(side: str) -> list[dict[str, object]]:
        return [_entity("spark_table", f"{side}.t{n}") for n in range(number)]

    inputs, outputs = tables("in"), tables("out")
    process = _entity("spark_process", "wide")
    process["relationshipAttributes"] = {"inputs": inputs, "outputs": outputs}
    entities = {"entities": [process, *inputs, *outputs]}
    message = {"type": "ENTITY_CREATE_V2", "user": "bench", "entities": entities}
    return json.dumps({"version": {"version": "1.0.0"}, "msgCreationTime": 0, "message": message}) + "\n"


def _entity(type_name: str, name: str) -> dict[str, object]:
    names = {"qualifiedName": f"{name}@bench"}
    return {"typeName": type_name, "uniqueAttributes": names, "attributes": {**names, "name": name}}


def _run(command: list[str]) -> tuple[float, float]:
    """Return the CPU seconds and the most memory, in MB, of a command."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: status {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def _page(folder: Path, rounds: int) -> Iterator[Row]:
    shown, file, writing, opening, clicking = two_hundred(), folder / "page.html", [], [], []
    for _ in range(rounds):
        since = time.process_time()
        file.write_text(page(shown, "200 tables"), "utf-8")
        writing.append(1000 * (time.process_time() - since))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS))
        for _ in range(rounds):
            tab = browser.new_page(viewport={"width": 1440, "height": 900})
            since = time.monotonic()
            tab.goto(file.as_uri())
            tab.evaluate(_PAINTED)
            opening.append(time.monotonic() - since)
            tab.goto(f"{file.as_uri()}#s0.t0_10")
            tab.wait_for_selector(".card.chosen")
            tab.wait_for_timeout(400)
            if not tab.locator(".card.chosen .column").count():
                tab.locator(".card.chosen .head").click()
                tab.wait_for_selector(".card.chosen .column")
            since = time.monotonic()
            tab.locator(".card.chosen .column").first.click()
            tab.evaluate(_PAINTED)
            clicking.append(time.monotonic() - since)
            tab.close()
        browser.close()
    yield Row("the page of 200 tables: writing it, CPU", "ms", writing)
    yield Row("… opening it, to the first picture, wall", "s", opening)
    yield Row("… a click on a column, to the picture of its path, wall", "s", clicking)
