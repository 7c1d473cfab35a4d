"""Print how many branches of each room the pure tests take, and compare with `.ci/coverage.toml`: a room may not fall.

`python -m dev.branches REPORT` reads the JSON report of coverage.py; with `--update` it raises the file's figures to today's.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FLOORS = Path(__file__).resolve().parents[1] / ".ci" / "coverage.toml"
SLACK = 1
"""Percent that a room may be below its floor: threads take some branches in some runs only."""


def rooms(report: Mapping[str, Any]) -> dict[str, int]:
    """Return the percentage of branches, rounded down, of each folder of the package, and of all of it."""
    known, taken = Counter[str](), Counter[str]()
    for name, file in report["files"].items():
        place = name.rpartition("site-packages/")[2].removeprefix("sac_kafka/")
        room = place.partition("/")[0] if "/" in place else "root"
        for each in (room, "all"):
            known[each] += file["summary"]["num_branches"]
            taken[each] += file["summary"]["covered_branches"]
    return {room: taken[room] * 100 // number for room, number in sorted(known.items()) if number}


def too_low(floors: Mapping[str, int], today: Mapping[str, int]) -> Iterator[str]:
    """Yield a line per room that is below its floor, or has none."""
    for room, percent in today.items():
        floor = floors.get(room)
        if floor is None:
            yield f"{room}: no floor; run python -m dev.branches REPORT --update"
        elif percent < floor - SLACK:
            yield f"{room}: {percent} % of the branches are below the floor of {floor} %; test what was added"


def raise_floors(floors: Mapping[str, int], today: Mapping[str, int]) -> Iterable[str]:
    """Yield the lines of the file with today's figures where they are higher."""
    yield "# Percent of the branches of each room that the pure tests take, checked in .ci/run (dev/branches.py). They only rise."
    yield from (f"{room} = {max(percent, floors.get(room, 0))}" for room, percent in today.items())


def main() -> int:
    """Print the figures; return 1 if a room is below its floor."""
    path, *options = sys.argv[1:]
    today = rooms(json.loads(Path(path).read_text("utf-8")))
    floors = tomllib.loads(FLOORS.read_text("utf-8")) if FLOORS.exists() else {}
    if options == ["--update"]:
        FLOORS.write_text("\n".join([*raise_floors(floors, today), ""]), "utf-8")
        floors = today
    sys.stdout.write("branches taken: " + ", ".join(f"{room} {percent} %" for room, percent in today.items()) + "\n")
    problems = [*too_low(floors, today)]
    sys.stderr.writelines(f"{line}\n" for line in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
