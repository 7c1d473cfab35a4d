"""Operations of a case over a source: whether it reads it, writes it, changes rows of it, or streams; and its columns."""

from __future__ import annotations

import re
from collections.abc import Iterable

OPERATIONS = ("read", "write", "row-level", "stream")
_STREAM = re.compile(r"stream|foreach_batch|micro_batch")
_ROW_LEVEL = re.compile(r"merge|update|delete|upsert")
_OF_THE_JOB = re.compile(r"path:file:\{work\}/(?:in|out)(?:/|$)")
"""Other files that a case reads or writes, not of its source."""


def operations(name: str, lines: Iterable[str]) -> frozenset[str]:
    """Return the operations of a case, by its name and by what it means."""
    found = set()
    for line in lines:
        if line.startswith((" ", "counted:")) or " <= " not in line:
            continue
        outputs, inputs = (part.removeprefix("view ").split(", ") for part in line.split(" <= ", 1))
        if any(key != "-" and not _OF_THE_JOB.match(key) for key in inputs):
            found.add("read")
        if any(not _OF_THE_JOB.match(key) for key in outputs):
            found.add("row-level" if _ROW_LEVEL.search(name) else "write")
    if found and _STREAM.search(name):
        found.add("stream")
    return frozenset(found)


def has_columns(lines: Iterable[str]) -> bool:
    """Return whether the columns are part of what a case means."""
    return any(re.match(r"  (?!\(rows\))\S.* <- \S+ ", line) for line in lines)
