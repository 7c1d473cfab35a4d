"""Compile globs with captures: `landing/{system}/{rest**}`.

`*` matches any text within a part of a name, `**` any parts, `?` one character. `{word}` captures a non-empty `*`, `{word**}`
captures a `**`.

Patterns take linear time for every name: each star is matched to the nearest position without backtracking, which finds a
match if there is one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

MAX_LENGTH = 1_000
"""Maximum characters of a glob."""

INTERNAL_PREFIX = "_"
"""Prefix of the names of regex groups that are not captures."""

_PIECE = re.compile(r"(?P<stars>\*+)|(?P<one>\?)|\{(?P<word>[^{}]*)\}|(?P<brace>[{}])|(?P<text>[^*?{}]+)")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MANY = "**"


def words(glob: str) -> tuple[str, ...]:
    """Return the words that a glob captures, in order.

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
        has_parts: It matches paths, in which `{word**}` is allowed.
    """
    if len(glob) > MAX_LENGTH:
        return f"has {len(glob):,} characters; the maximum is {MAX_LENGTH:,}"
    if not glob.isprintable():
        return "contains a non-printable character; remove it"
    if any(found["brace"] for found in _PIECE.finditer(glob)):
        return "has an unbalanced brace; write {word} to capture a part of a name"
    many = {part for part in glob.split("/") if _many(part)} if has_parts else set()
    for found in _PIECE.finditer(glob):
        word = found["word"]
        if word is not None and not _WORD.fullmatch(word.removesuffix(_MANY)):
            return f"captures the invalid word {word!r}; use letters, digits and _, as in {{system}}"
        if word is not None and word.endswith(_MANY) and found[0] not in many:
            where = "as a whole segment of a path" if has_parts else "in paths"
            return f"has {found[0]}, which is allowed only {where}; without ** it matches within one part"
    captured = words(glob)
    twice = next((word for word in captured if captured.count(word) > 1), None)
    return f"captures the word {twice!r} twice; choose distinct words" if twice else None


def flat(glob: str) -> re.Pattern[str]:
    """Compile a glob of a name without parts: a star matches any text; case is ignored."""
    return re.compile(f"(?si:{_part(glob, '.', itertools.count())})")


def in_parts(glob: str) -> re.Pattern[str]:
    """Compile a glob of a path, to be matched with a path that ends with a slash and does not begin with one."""
    numbers = itertools.count()
    # `block` collects the parts after the last `**`; `any_parts` is the pattern of that `**`.
    pattern, block, any_parts = "", "", ""
    is_open = False  # True after a ** whose following parts are not complete
    for part in [*filter(None, glob.split("/")), None]:
        many = None if part is None else _many(part)
        if many is None and part is not None:
            block += f"{_part(part, '[^/]', numbers)}/"
            continue
        if is_open and part is None:  # the last block must match at the end, not at the nearest position
            pattern += f"{any_parts}{block}"
        elif is_open:
            pattern += _nearest(f"{any_parts}{block}", numbers)
        else:
            pattern += block
        block, is_open = "", True
        any_parts = f"(?P<{many}>(?:[^/]*/)*?)" if many else "(?:[^/]*/)*?"
    return re.compile(f"(?s:{pattern})")


def _many(part: str) -> str | None:
    """Return the word of a part `{word**}`, "" for `**`, None for any other part."""
    if part == _MANY:
        return ""
    return part[1:-3] if part.startswith("{") and part.endswith("**}") and part.count("{") == 1 else None


def _part(glob: str, other: str, numbers: Iterator[int]) -> str:
    """Return the regex of a glob within one part; `other` is the regex of one character of it."""
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
    """Return the pattern as an atomic group: limited to its first match, without backtracking."""
    name = f"{INTERNAL_PREFIX}{next(numbers)}"
    return f"(?=(?P<{name}>{pattern}))(?P={name})"
