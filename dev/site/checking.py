"""The check of a built site: `python -m dev.site.checking build/site`. Nothing is fetched from elsewhere, search finds."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_LOADED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=\"((?:https?:)?//[^\"]*)\"")
_STYLE = re.compile(r"(?:url\(|@import )['\"]?((?:https?:)?//[^'\")]*)")


def faults(site: Path) -> Iterator[str]:
    """Say what is wrong with it."""
    pages = sorted(site.rglob("*.html"))
    for page in pages:
        for address in _LOADED.findall(page.read_text("utf-8")):
            yield f"{page.relative_to(site)} loads {address}"
    for style in sorted(site.rglob("*.css")):
        for address in _STYLE.findall(style.read_text("utf-8")):
            yield f"{style.relative_to(site)} loads {address}"
    index = site / "search" / "search_index.json"
    found = (
        {each["location"].partition("#")[0] for each in json.loads(index.read_text("utf-8"))["docs"]}
        if index.exists()
        else set()
    )
    for page in pages:
        name = str(page.relative_to(site))
        if name != "404.html" and name not in found:
            yield f"{name} is not found by the search"


def main(site: Path) -> int:
    """Print the faults, or how many pages are well."""
    wrong = [*faults(site)]
    sys.stdout.write("".join(f"{each}\n" for each in wrong) or f"{site}: {len([*site.rglob('*.html')])} pages\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
