"""The site of docs/: every page is in its navigation, links lead to pages, and its own check finds what it looks for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dev.site.checking import faults
from dev.site.links import for_the_site
from tests.project.docs.blocks import ROOT

NAV = re.findall(r"^ +- (?:.+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2], re.M)
MIRRORED = {"CONTRIBUTING.md": "project/contributing.md", "README.md": "project/overview.md"}


def test_every_page_is_in_the_navigation() -> None:
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert pages - {*NAV} == set(), "add a line to nav in mkdocs.yml"
    assert len(NAV) == len({*NAV})
    assert {name for name in {*NAV} - pages if not name.startswith("project/")} == {"reference.md"}


@pytest.mark.parametrize(
    ("source", "page", "text", "on_site"),
    [
        ("docs/spool.md", "spool.md", "[a](troubles.md#x)", "[a](troubles.md#x)"),
        ("docs/purview/types.md", "purview/types.md", "[a](../spool.md)", "[a](../spool.md)"),
        ("docs/spool.md", "spool.md", "[a](../CONTRIBUTING.md#y)", "[a](project/contributing.md#y)"),
        ("docs/purview/types.md", "purview/types.md", "[a](../../README.md)", "[a](../project/overview.md)"),
        ("README.md", "project/overview.md", "[a](docs/platforms/README.md)", "[a](../platforms/README.md)"),
        ("README.md", "project/overview.md", "![a](docs/pictures/x.png)", "![a](../pictures/x.png)"),
        ("README.md", "project/overview.md", "[tested](tests/x.py)", "tested (`tests/x.py`)"),
        ("docs/a.md", "a.md", "[`tests/x.py`](../tests/x.py)", "`tests/x.py`"),
        ("docs/a.md", "a.md", "[a](https://x.example/y) [b](#here)", "[a](https://x.example/y) [b](#here)"),
        ("docs/a.md", "a.md", "```sh\n[a](../tests/x.py)\n```", "```sh\n[a](../tests/x.py)\n```"),
    ],
)
def test_links_of_the_repository_become_links_of_the_site(source: str, page: str, text: str, on_site: str) -> None:
    assert for_the_site(text, source, page, MIRRORED) == on_site


def test_what_is_loaded_from_elsewhere_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "search_index.json").write_text(json.dumps({"docs": [{"location": "a.html#x"}]}))
    (tmp_path / "a.html").write_text('<a href="https://x.example">x</a><script src="a.js"></script>')
    assert [*faults(tmp_path)] == []

    (tmp_path / "b.html").write_text('<link rel="stylesheet" href="//fonts.example/x.css">')
    (tmp_path / "c.css").write_text("@import 'https://x.example/y.css'")
    assert [*faults(tmp_path)] == [
        "b.html loads //fonts.example/x.css",
        "c.css loads https://x.example/y.css",
        "b.html is not found by the search",
    ]
