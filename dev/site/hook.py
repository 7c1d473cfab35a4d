"""mkdocs' hook (mkdocs.yml): pages that lie outside of docs/, the page of the API, and links between all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

from dev.site.api import API_PAGE, api_page
from dev.site.links import for_the_site

ROOT = Path(__file__).resolve().parents[2]
MIRRORED = {
    "README.md": "project/overview.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
    "benchmarks/README.md": "project/benchmarks.md",
}
"""Pages of the site by their files in the repository, where GitHub looks for them."""
_SOURCES = {page: source for source, page in MIRRORED.items()}


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401 mkdocs' own
    """Add what does not lie in docs/."""
    for source, page in MIRRORED.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    files.append(File.generated(config, API_PAGE, content=api_page()))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:  # noqa: ANN401 as above
    """Give a page with the links of the site."""
    path = page.file.src_uri
    return for_the_site(markdown, _SOURCES.get(path, f"docs/{path}"), path, MIRRORED)
