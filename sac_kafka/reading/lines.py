"""Values out of lines: a message each, or what `sac-kafka spool show` prints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sac_kafka.reading.arrived import FoundValue


def of_lines(lines: Iterable[str]) -> Iterator[FoundValue]:
    """Give the values of the lines, those of a spooled message one by one; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        place = f"line {number}"
        for value in _values(line):
            yield FoundValue(place, value.encode("utf-8", "surrogatepass"))


def _values(line: str) -> Iterator[str]:
    if not line.strip():
        return
    if '"values"' not in line or '"reason"' not in line:
        yield line
        return
    try:
        values = json.loads(line)["values"]
        yield from [value if isinstance(value, str) else json.dumps(value) for value in values]
    except (ValueError, KeyError, TypeError, RecursionError):
        yield line
