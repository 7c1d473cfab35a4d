"""Check globs with captures: `landing/{system}/{rest**}`, and list what they capture; `sac_kafka.globs` compiles them."""

from __future__ import annotations

import re

from sac_kafka.globs import MANY, word_of_many

MAX_LENGTH = 1_000
"""Maximum characters of a glob."""

_PIECE = re.compile(r"(?P<stars>\*+)|(?P<one>\?)|\{(?P<word>[^{}]*)\}|(?P<brace>[{}])|(?P<text>[^*?{}]+)")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def words(glob: str) -> tuple[str, ...]:
    """Return the words that a glob captures, in order.

    >>> words("landing/{system}/{rest**}")
    ('system', 'rest')
    """
    return tuple(found["word"].removesuffix(MANY) for found in _PIECE.finditer(glob) if found["word"] is not None)


def is_plain(glob: str) -> bool:
    """Return True if the glob has no wildcards."""
    return not re.search(r"[*?{}]", glob)


def problem(glob: str, *, has_parts: bool) -> str | None:
    """Return the problem of a glob, worded to follow the glob; None if it is valid.

    `has_parts` is True if it matches paths, in which `{word**}` is allowed.
    """
    if len(glob) > MAX_LENGTH:
        return f"has {len(glob):,} characters; the maximum is {MAX_LENGTH:,}"
    if not glob.isprintable():
        return "contains a non-printable character; remove it"
    if any(found["brace"] for found in _PIECE.finditer(glob)):
        return "has an unbalanced brace; write {word} to capture a part of a name"
    many = {part for part in glob.split("/") if word_of_many(part)} if has_parts else set()
    for found in _PIECE.finditer(glob):
        word = found["word"]
        if word is not None and not _WORD.fullmatch(word.removesuffix(MANY)):
            return f"captures the invalid word {word!r}; use letters, digits and _, as in {{system}}"
        if word is not None and word.endswith(MANY) and found[0] not in many:
            where = "as a whole segment of a path" if has_parts else "in paths"
            return f"has {found[0]}, which is allowed only {where}; without ** it matches within one part"
    captured = words(glob)
    twice = next((word for word in captured if captured.count(word) > 1), None)
    return f"captures the word {twice!r} twice; choose distinct words" if twice else None
