"""Compile globs to regular expressions: `*` matches within a part of a name, `**` any number of parts, `?` one character.

All other characters are literal. Matching takes linear time for any name: after a star, the first match of what follows is
final, which is correct for globs (`fnmatch` does the same; its form for Python before 3.11 is used here).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from sac_kafka.lineage.datasets.paths import PLACEHOLDER_PATTERNS

MANY = "**"
_RUN = "{run}"
_PIECE = re.compile(r"\{date\}|\{uuid\}|\{run\}|.", re.DOTALL)
_STARS = re.compile(r"\*+")


def flat(glob: str) -> re.Pattern[str]:
    """Compile the glob of a name without parts, in which a star matches anything. To be matched with the whole name."""
    return re.compile(f"(?s:{_part(glob, '.', itertools.count())})")


def in_parts(parts: Sequence[str], separator: str, *, least_below: int = 0) -> re.Pattern[str]:
    """Compile globs of the parts of a name, `**` for any number of them. To be matched with the whole name.

    Args:
        parts: The globs.
        separator: The character after each part of a name, including the last.
        least_below: Minimum number of parts that a `**` at the end matches.
    """
    other = f"[^{re.escape(separator)}]"
    one = f"{other}*{re.escape(separator)}"
    numbers = itertools.count()
    *before, last = [
        "".join(_part(part, other, numbers) + re.escape(separator) for part in block) for block in _blocks(parts)
    ]
    found = "".join(
        block if number == 0 else _possessive(f"(?:{one})*?{block}", numbers) for number, block in enumerate(before)
    )
    if not before:
        return re.compile(f"(?s:{last})")
    at_end = f"(?:{one})*?{last}" if last else f"(?:{one}){{{least_below}}}.*"
    return re.compile(f"(?s:{found}{at_end})")


def _blocks(parts: Iterable[str]) -> list[list[str]]:
    """Split globs at those that are `**`."""
    blocks: list[list[str]] = [[]]
    for part in parts:
        if part == MANY:
            blocks.append([])
        else:
            blocks[-1].append(part)
    return blocks


def _part(glob: str, other: str, numbers: Iterator[int]) -> str:
    """Return the pattern of a glob within one part; `other` is the class of its characters."""
    first, *rest = ("".join(_pieces(chunk, other)) for chunk in _STARS.split(glob))
    if not rest:
        return first
    if glob.find(_RUN, 0, glob.index("*")) >= 0:  # {run} matches any length, so the first match must be final here too
        first = _possessive(first, numbers)
    *middle, last = rest
    return first + "".join(_possessive(f"{other}*?{each}", numbers) for each in middle) + f"{other}*{last}"


def _pieces(chunk: str, other: str) -> Iterator[str]:
    for piece in _PIECE.findall(chunk):
        if piece in PLACEHOLDER_PATTERNS:
            yield f"(?:{re.escape(piece)}|{PLACEHOLDER_PATTERNS[piece]})"
        else:
            yield other if piece == "?" else re.escape(piece)


def _possessive(pattern: str, numbers: Iterator[int]) -> str:
    """Return a pattern that keeps its first match: no backtracking."""
    name = f"g{next(numbers)}"
    return f"(?=(?P<{name}>{pattern}))(?P={name})"
