"""Globs that name parts: `landing/{system}/{rest**}`.

`*` is anything within a part of a name, `**` any parts, `?` one character, `{word}` as `*`, but not nothing, and `{word**}`
as `**`: what these two stand for is given the word.

Nothing that a name may hold makes a pattern slower than linear: behind a star the nearest place is taken for good, which
finds a match wherever there is one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

LONGEST = 1_000
"""Characters of a glob."""

OURS = "_"
"""What names of groups begin with that are no words."""

_PIECE = re.compile(r"(?P<stars>\*+)|(?P<one>\?)|\{(?P<word>[^{}]*)\}|(?P<brace>[{}])|(?P<text>[^*?{}]+)")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MANY = "**"


def words(glob: str) -> tuple[str, ...]:
    """Return the words that a glob assigns to parts of a name, in order.

    >>> words("landing/{system}/{rest**}")
    ('system', 'rest')
    """
    return tuple(found["word"].removesuffix(_MANY) for found in _PIECE.finditer(glob) if found["word"] is not None)


def is_plain(glob: str) -> bool:
    """Return True if the glob has no wildcards."""
    return not re.search(r"[*?{}]", glob)


def problem(glob: str, *, has_parts: bool) -> str | None:
    """Return the problem of a glob, worded to follow the glob; None if it is valid.

    Args:
        glob: The glob.
        has_parts: It is one of paths, where `{word**}` may stand for several parts.
    """
    if len(glob) > LONGEST:
        return f"has {len(glob):,} characters; it may have {LONGEST:,}"
    if not glob.isprintable():
        return "has a character that cannot be seen; leave it out"
    if any(found["brace"] for found in _PIECE.finditer(glob)):
        return "has a brace without its other one; {word} gives a part of a name a word"
    many = {part for part in glob.split("/") if _many(part)} if has_parts else set()
    for found in _PIECE.finditer(glob):
        word = found["word"]
        if word is not None and not _WORD.fullmatch(word.removesuffix(_MANY)):
            return f"gives the word {word!r}; write letters, digits and _, as in {{system}}"
        if word is not None and word.endswith(_MANY) and found[0] not in many:
            where = "alone between two slashes" if has_parts else "in paths alone"
            return f"has {found[0]}, which may stand {where}; without ** it is anything within a part"
    given = words(glob)
    twice = next((word for word in given if given.count(word) > 1), None)
    return f"gives the word {twice!r} twice; take another one" if twice else None


def flat(glob: str) -> re.Pattern[str]:
    """Compile a glob of a name without parts: a star matches anything, case-insensitively."""
    return re.compile(f"(?si:{_part(glob, '.', itertools.count())})")


def in_parts(glob: str) -> re.Pattern[str]:
    """Compile a glob of a path, to be matched with a path that ends with a slash and does not begin with one."""
    numbers = itertools.count()
    pattern, block, given = "", "", ""
    is_open = False  # whether a ** waits for what is behind it
    for part in [*filter(None, glob.split("/")), None]:
        many = None if part is None else _many(part)
        if many is None and part is not None:
            block += f"{_part(part, '[^/]', numbers)}/"
            continue
        if is_open and part is None:  # the last: what is behind it has to be the end
            pattern += f"{given}{block}"
        elif is_open:
            pattern += _nearest(f"{given}{block}", numbers)
        else:
            pattern += block
        block, is_open = "", True
        given = f"(?P<{many}>(?:[^/]*/)*?)" if many else "(?:[^/]*/)*?"
    return re.compile(f"(?s:{pattern})")


def _many(part: str) -> str | None:
    """Return the word of a part `{word**}`, "" for `**`, None for any other part."""
    if part == _MANY:
        return ""
    return part[1:-3] if part.startswith("{") and part.endswith("**}") and part.count("{") == 1 else None


def _part(glob: str, other: str, numbers: Iterator[int]) -> str:
    """Return the pattern of a glob within one part; `other` is the class of its characters."""
    stars: list[str] = []
    texts = [""]
    for found in _PIECE.finditer(glob):
        if found["stars"] or found["word"] is not None:
            stars.append(f"(?P<{found['word']}>{other}+" if found["word"] is not None else f"(?:{other}*")
            texts.append("")
        else:
            texts[-1] += other if found["one"] else re.escape(found["text"] or found["brace"])
    pattern = texts[0]
    for star, text in zip(stars[:-1], texts[1:-1], strict=True):
        pattern += _nearest(f"{star}?){text}", numbers)
    return f"{pattern}{stars[-1]}){texts[-1]}" if stars else pattern


def _nearest(pattern: str, numbers: Iterator[int]) -> str:
    """Return the pattern limited to its first match."""
    name = f"{OURS}{next(numbers)}"
    return f"(?=(?P<{name}>{pattern}))(?P={name})"
