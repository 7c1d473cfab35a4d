"""Names, docstrings, messages and pages use standard terms (docs/glossary.md, CONTRIBUTING.md#writing)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIST = Path(__file__).with_name("words.txt")
PLACES = ("sac_kafka", "docs", "README.md", "CONTRIBUTING.md")
SUFFIXES = {".py", ".java", ".md"}


def _rows() -> tuple[dict[str, str], dict[str, int]]:
    """Return the words with their replacements, and the files that may have some, with how many."""
    words, allowed = {}, {}
    for line in LIST.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, value, *_ = line.split("\t")
            if value.isdecimal():
                allowed[name] = int(value)
            else:
                words[name] = value
    return words, allowed


def test_private_words_are_only_where_there_is_a_reason() -> None:
    words, allowed = _rows()
    longest_first = sorted(words, key=len, reverse=True)
    pattern = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, longest_first))})(?![a-z])")
    found: dict[str, Counter[str]] = {}
    for place in PLACES:
        paths = sorted((ROOT / place).rglob("*")) if (ROOT / place).is_dir() else [ROOT / place]
        for path in paths:
            if path.suffix in SUFFIXES:
                used = Counter(pattern.findall(path.read_text("utf-8")))
                if used:
                    found[path.relative_to(ROOT).as_posix()] = used
    too_many = {
        name: [f"{word}: {words[word]}" for word in used]
        for name, used in found.items()
        if used.total() > allowed.get(name, 0)
    }
    assert too_many == {}, "use the term behind the colon, or give a reason in words.txt"
    assert {name for name in allowed if name not in found} == set(), "take the row out of words.txt"
