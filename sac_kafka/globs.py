"""Compile globs to regular expressions: `*` matches within a part of a name, `**` any number of parts, `?` one character.

With `placeholders`, a `{word}` among them matches itself and a pattern. Without, `{word}` captures a non-empty `*`, and
`{word**}` a `**`. All other characters are literal.

Matching takes linear time for any name: after a star, the first match of what follows is final, which is correct for globs
(`fnmatch` does the same; its form for Python before 3.11 is used here).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

MANY = "**"
INTERNAL_PREFIX = "_"
"""Prefix of the names of regex groups that are not captures."""
_PIECE = re.compile(r"\*+|\{\w+\}|.", re.DOTALL)


def flat(glob: str, placeholders: Mapping[str, str] | None = None, *, ignores_case: bool = False) -> re.Pattern[str]:
    """Compile the glob of a name without parts, in which a star matches anything. To be matched with the whole name."""
    flags = "si" if ignores_case else "s"
    return re.compile(f"(?{flags}:{_part(glob, '.', placeholders, itertools.count())})")


def in_parts(
    parts: Sequence[str], separator: str, placeholders: Mapping[str, str] | None = None, *, least_below: int = 0
) -> re.Pattern[str]:
    """Compile globs of the parts of a name, `**` for any number of them. To be matched with the whole name.

    Args:
        parts: The globs.
        separator: The character after each part of a name, including the last.
        placeholders: Patterns by `{word}`; one of unbounded length must be non-greedy.
        least_below: Minimum number of parts that a `**` at the end matches.
    """
    end = re.escape(separator)
    other = f"[^{end}]"
    numbers = itertools.count()
    blocks: list[tuple[str, str]] = [("", "")]  # The pattern of each `**`, with that of the parts that follow it.
    for part in parts:
        many, block = blocks[-1]
        word = word_of_many(part)
        if word is None:
            blocks[-1] = many, f"{block}{_part(part, other, placeholders, numbers)}{end}"
        else:
            blocks.append((f"(?P<{word}>" if word else "(?:", ""))
    one = f"{other}*{end}"
    (_, pattern), *middle, last = [*blocks, ("", "")] if len(blocks) == 1 else blocks
    pattern += "".join(_possessive(f"{many}(?:{one})*?){block}", numbers) for many, block in middle)
    many, block = last
    if block:
        pattern += f"{many}(?:{one})*?){block}"
    elif many:
        pattern += f"{many}(?:{one}){{{least_below}}}.*)"
    return re.compile(f"(?s:{pattern})")


def word_of_many(part: str) -> str | None:
    """Return the word of a part `{word**}`, "" for `**`, None for any other part."""
    if part == MANY:
        return ""
    return part[1:-3] if part.startswith("{") and part.endswith("**}") and part.count("{") == 1 else None


def _part(glob: str, other: str, placeholders: Mapping[str, str] | None, numbers: Iterator[int]) -> str:
    """Return the pattern of a glob within one part; `other` is the class of its characters."""
    stars: list[str] = []
    texts = [""]
    is_unbounded = False  # The text before the first star has no fixed length, so its first match must be final, too.
    for piece in _PIECE.findall(glob):
        if piece[0] == "*":
            stars.append(f"(?:{other}*")
            texts.append("")
        elif len(piece) > 1 and placeholders is None:
            stars.append(f"(?P<{piece[1:-1]}>{other}+")
            texts.append("")
        elif placeholders and piece in placeholders:
            texts[-1] += f"(?:{re.escape(piece)}|{placeholders[piece]})"
            is_unbounded |= not stars and "*?" in placeholders[piece]
        else:
            texts[-1] += other if piece == "?" else re.escape(piece)
    if not stars:
        return texts[0]
    first = _possessive(texts[0], numbers) if is_unbounded else texts[0]
    middle = (f"{star}?){text}" for star, text in zip(stars[:-1], texts[1:-1], strict=True))
    return f"{first}{''.join(_possessive(each, numbers) for each in middle)}{stars[-1]}){texts[-1]}"


def _possessive(pattern: str, numbers: Iterator[int]) -> str:
    """Return a pattern that keeps its first match: no backtracking."""
    name = f"{INTERNAL_PREFIX}{next(numbers)}"
    return f"(?=(?P<{name}>{pattern}))(?P={name})"
