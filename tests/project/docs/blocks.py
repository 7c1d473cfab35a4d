"""The fenced blocks of the pages, and the comments before them (CONTRIBUTING.md, "Examples in pages")."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
LANGUAGES = ("sh", "console", "python", "sql", "properties", "toml", "json", "yaml", "text")
NEED_A_MARK = ("sh", "console", "python", "sql")
"""Blocks that can be run need a comment on how they are run; parsers check the others, and `text` is a picture."""

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+)(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=indent)(?P=fence) *$", re.M | re.S
)
_MARK = re.compile(r"<!-- (?P<kind>runs in Spark|runs|not run|file)(?:: (?P<argument>[^>]+))? -->$")
_INLINE = re.compile(r"`(sac-kafka [^`]+|make [a-z][^`]*)`")


@dataclass(frozen=True, slots=True)
class Mark:
    """`runs` (in a separate folder, or by the named test), `runs in Spark`, `not run` and why, `file` and its name."""

    kind: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where it begins, its language, its text without indentation, and its mark, None without one."""

    page: Path
    line: int
    language: str
    text: str
    mark: Mark | None

    @property
    def place(self) -> str:
        """Where it stands, as an editor takes it."""
        return f"{self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page.name}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """Give the blocks of a page, in order."""
    text = page.read_text("utf-8")
    for found in _FENCE.finditer(text):
        before = text[: found.start()].rstrip("\n").rpartition("\n")[2].strip()
        mark = _MARK.search(before)
        yield Block(
            page,
            text.count("\n", 0, found.start()) + 1,
            found["language"].strip(),
            textwrap.dedent(found["text"]),
            Mark(mark["kind"], (mark["argument"] or "").strip()) if mark else None,
        )


def inline_commands(page: Path) -> Iterator[str]:
    """Give the commands that sentences mention."""
    return (found[1] for found in _INLINE.finditer(_FENCE.sub("", page.read_text("utf-8"))))


def all_blocks() -> list[Block]:
    """Give those of all pages."""
    return [block for page in PAGES for block in blocks(page)]
