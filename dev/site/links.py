"""Links of pages, as they have to be on the site: in the repository a page may point at any file, on the site only at pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

_FENCED = re.compile(r"(^ *```.*?^ *```[^\n]*$)", re.M | re.S)
_LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(([^)\s]+)\)")


def for_the_site(text: str, source: str, page: str, mirrored: Mapping[str, str]) -> str:
    """Give a page with links that lead somewhere on the site.

    What is no page there (a test, an example) is named instead of linked.

    Args:
        text: The page, Markdown.
        source: Its file in the repository, as `docs/spool.md`.
        page: What it is on the site, as `spool.md`.
        mirrored: Pages of the site that lie elsewhere in the repository, by their files there.
    """

    def link(found: re.Match[str]) -> str:
        label, target, anchor = found[1], found[2], found[3] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        place = _resolved(source, target)
        on_site = mirrored.get(place) or (place.removeprefix("docs/") if _is_page(place) else None)
        if on_site is None:
            return f"{label}" if place in label else f"{label} (`{place}`)"
        return f"[{label}]({posixpath.relpath(on_site, posixpath.dirname(page) or '.')}{anchor})"

    def image(found: re.Match[str]) -> str:
        place = _resolved(source, found[2])
        if "://" in found[2] or not place.startswith("docs/"):
            return found[0]
        return f"![{found[1]}]({posixpath.relpath(place.removeprefix('docs/'), posixpath.dirname(page) or '.')})"

    parts = _FENCED.split(text)
    return "".join(part if at % 2 else _IMAGE.sub(image, _LINK.sub(link, part)) for at, part in enumerate(parts))


def _resolved(source: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))


def _is_page(place: str) -> bool:
    """Return whether a file is a part of the site by itself: all below docs/ is."""
    return place.startswith("docs/") and posixpath.splitext(place)[1] != ""
