"""Globs as patterns: `*` is anything within a part of a name, `**` any parts, `?` one character; all else stands for itself.

Nothing that a name may hold makes a pattern slower than linear: behind a star the nearest place is taken for good, which
finds a match wherever there is one (as in `fnmatch`, whose form of it is used until 3.11 is the oldest Python).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from sac_kafka.lineage.datasets.paths import STANDS_FOR

MANY = "**"
_RUN = "{run}"
_PIECE = re.compile(r"\{date\}|\{uuid\}|\{run\}|.", re.DOTALL)
_STARS = re.compile(r"\*+")


def flat(glob: str) -> re.Pattern[str]:
    """A glob of a name without parts: a star is anything. To be matched with the whole name."""
    return re.compile(f"(?s:{_part(glob, '.', itertools.count())})")


def in_parts(parts: Sequence[str], separator: str, *, least_below: int = 0) -> re.Pattern[str]:
    """The globs of the parts of a name, `**` for any number of them. To be matched with the whole name.

    Args:
        parts: The globs.
        separator: The character behind each part of a name, the last one too.
        least_below: How many parts a `**` at the end is at least.
    """
    other = f"[^{re.escape(separator)}]"
    one = f"{other}*{re.escape(separator)}"
    numbers = itertools.count()
    *before, last = [
        "".join(_part(part, other, numbers) + re.escape(separator) for part in block) for block in _blocks(parts)
    ]
    found = "".join(
        block if number == 0 else _nearest(f"(?:{one})*?{block}", numbers) for number, block in enumerate(before)
    )
    if not before:
        return re.compile(f"(?s:{last})")
    at_end = f"(?:{one})*?{last}" if last else f"(?:{one}){{{least_below}}}.*"
    return re.compile(f"(?s:{found}{at_end})")


def _blocks(parts: Iterable[str]) -> list[list[str]]:
    """The parts between those that are `**`."""
    blocks: list[list[str]] = [[]]
    for part in parts:
        if part == MANY:
            blocks.append([])
        else:
            blocks[-1].append(part)
    return blocks


def _part(glob: str, other: str, numbers: Iterator[int]) -> str:
    """A glob within one part; `other` is the class of its characters."""
    first, *rest = ("".join(_pieces(chunk, other)) for chunk in _STARS.split(glob))
    if not rest:
        return first
    if glob.find(_RUN, 0, glob.index("*")) >= 0:  # of any length
        first = _nearest(first, numbers)
    *middle, last = rest
    return first + "".join(_nearest(f"{other}*?{each}", numbers) for each in middle) + f"{other}*{last}"


def _pieces(chunk: str, other: str) -> Iterator[str]:
    for piece in _PIECE.findall(chunk):
        if piece in STANDS_FOR:
            yield f"(?:{re.escape(piece)}|{STANDS_FOR[piece]})"
        else:
            yield other if piece == "?" else re.escape(piece)


def _nearest(pattern: str, numbers: Iterator[int]) -> str:
    """The pattern where it matches first, and nowhere else."""
    name = f"g{next(numbers)}"
    return f"(?=(?P<{name}>{pattern}))(?P={name})"
