"""The recorded batches: one on the oldest Spark and on the newest of every case, on those between only what is new."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

BATCHES = Path(__file__).resolve().parents[1] / "fixtures" / "batches"
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")


def versions(folder: Path = BATCHES) -> list[str]:
    """Return the Sparks that batches were recorded on, the oldest first."""
    return sorted((each.name for each in folder.iterdir()), key=number)


def owed() -> tuple[str, str]:
    """Return the Sparks that every case is recorded on."""
    known = versions()
    return known[0], known[-1]


def number(version: str) -> tuple[int, ...]:
    """Return a version that can be compared."""
    return tuple(map(int, version.split(".")))


def is_between(version: str) -> bool:
    """Return whether there are recordings on an older Spark and on a newer one."""
    known = versions()
    return number(known[0]) < number(version) < number(known[-1])


def adds_nothing(text: str, others: Iterable[str]) -> bool:
    """Return whether other batches have every event of a batch."""
    return set(events(text)) <= {event for other in others for event in events(other)}


def events(text: str) -> list[str]:
    """The lines of a batch without what differs from run to run: ids, times, counts, the order of class declarations."""
    return [_event(line) for line in text.splitlines() if line]


def _event(line: str) -> str:
    kind, *content = json.loads(line)
    if kind != "event":
        return _ID.sub("0", line)
    classes = [record for record in content[1] if record[0] == "c"]
    attributes: dict[int, int] = {}

    def same(value: Any) -> Any:
        match value:
            case str():
                return _ID.sub("0", value)
            case list():
                return [same(each) for each in value]
            case dict():
                return {key: same(each) for key, each in value.items()}
            case int() if value < 0:  # a column by its expression id; from zero on it is a record of this event
                return attributes.setdefault(value, -1 - len(attributes))
        return value

    notes = [record for record in content[1] if record[0] == "n"]
    objects = [
        [kind, classes[number][1:], *map(same, values)]
        for kind, number, *values in content[1]
        if kind not in ("c", "n")
    ]
    return json.dumps([notes, objects])


def keep(name: str, version: str, text: str) -> bool:
    """Write the batch of a case, unless this Spark is between others with the same events; return whether it was kept."""
    file = BATCHES / version / f"{name}.txt"
    others = [each for each in (BATCHES / of / file.name for of in owed()) if each.exists()]
    if is_between(version) and adds_nothing(text, (each.read_text("utf-8") for each in others)):
        file.unlink(missing_ok=True)
        return False
    file.write_text(text, "utf-8")
    return True
