"""The recorded batches: one on the oldest Spark and on the newest of every case, on those between only what differs."""

from __future__ import annotations

import re
from pathlib import Path

BATCHES = Path(__file__).resolve().parent / "fixtures" / "batches"
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")


def versions(folder: Path = BATCHES) -> list[str]:
    """The Sparks that batches were recorded on, the oldest first."""
    return sorted((each.name for each in folder.iterdir()), key=number)


def owed() -> tuple[str, str]:
    """The Sparks that every case is recorded on."""
    known = versions()
    return known[0], known[-1]


def number(version: str) -> tuple[int, ...]:
    """A version that can be compared."""
    return tuple(map(int, version.split(".")))


def is_between(version: str) -> bool:
    """Whether there are recordings on an older Spark and on a newer one."""
    known = versions()
    return number(known[0]) < number(version) < number(known[-1])


def says_the_same(one: str, other: str) -> bool:
    """Whether batches are the same but for ids, times and counts."""
    return _ID.sub("0", one) == _ID.sub("0", other)


def keep(name: str, version: str, text: str) -> bool:
    """Write the batch of a case, unless the one of the newest Spark says the same; tells whether it was kept."""
    file = BATCHES / version / f"{name}.txt"
    newest = BATCHES / versions()[-1] / file.name
    if is_between(version) and newest.exists() and says_the_same(text, newest.read_text("utf-8")):
        file.unlink(missing_ok=True)
        return False
    file.write_text(text, "utf-8")
    return True
