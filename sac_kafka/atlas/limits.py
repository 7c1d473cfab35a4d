"""What a server can store of a text, and how longer ones are cut; `config.server_limits` has what settings need too.

Two ways: `shortened` for names, where two different texts must stay different, and `bounded` for prose, where the
beginning matters. A "character" of a limit is a UTF-16 unit, as Java counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sac_kafka.config.server_limits import CUSTOM_VALUE_LIMIT

INDEXED_LIMIT = 32_766
"""The longest indexed string (qualifiedName, name, queryText, owner …): a server trims what reaches
`atlas.graphstore.indexed.string.safe.length`, 32,767 (R22). The limits below all stay under it."""

DATASET_LIMIT = 8_000
"""Longest name of a dataset, in code points: with its columns' names it stays below INDEXED_LIMIT in any script."""

COLUMN_LIMIT = 4_000
"""Longest name of a column, in code points. Spark names a column without alias by its whole expression."""

PART_LIMIT = 400
"""Longest job, output or column within the name of a process, in code points: every column lineage repeats it."""

LABEL_LIMIT = 80
"""Longest job or dataset within the name of a process, in code points: that name is read in lists."""

COMMENT_LIMIT = 2_000
"""Longest comment, expression or Spark type: these are repeated for every column."""

VIEW_TEXT_LIMIT = 8_000
"""Longest definition of a view: it is in every message that uses the view."""

PARAMETERS_LIMIT = 4_000
"""Most UTF-16 units of keys and values of a table's or database's properties, for the same reason."""

DETAILS_LIMIT = 8_000
"""Longest `details` of a process: they are in every message of it."""

CUSTOM_VALUES = 4
"""Most custom attributes that one list of names fills: what a run adds to a message must stay small."""

_SEPARATOR = ", "


def bounded(text: str, limit: int) -> str:
    """The text, cut at `limit` UTF-16 units with an ellipsis where it is longer."""
    if len(text) * 2 <= limit:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= limit * 2:
        return text
    return units[: (limit - 1) * 2].decode("utf-16-le", "ignore") + "…"


def shortened(text: str, limit: int) -> str:
    """The text, its middle replaced by a digest of the whole where it has more than `limit` code points.

    >>> shortened("a" * 30 + "b" * 30, 30)
    'aaaaaaaaaa~d1d54f81~bbbbbbbbbb'
    """
    if len(text) <= limit:
        return text
    kept = (limit - 10) // 2
    return f"{text[:kept]}~{digest(text, 8)}~{text[-kept:]}"


def digest(text: str, length: int) -> str:
    """The first `length` hexadecimal digits of the text's SHA-256, the same in every run."""
    # surrogatepass: Java's strings may hold half a pair, and a name must never be the reason of an error.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def bounded_map(entries: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The entries as a map: each value at most CUSTOM_VALUE_LIMIT units, and as many of the first as PARAMETERS_LIMIT holds.

    What is left out is counted under the key `…`.

    >>> bounded_map([("quality", "gold")])
    {'quality': 'gold'}
    """
    result: dict[str, str] = {}
    room, left_out = PARAMETERS_LIMIT, 0
    for key, value in entries:
        short = bounded(value, CUSTOM_VALUE_LIMIT)
        room -= units(key) + units(short)
        if room < 0:
            left_out += 1
        else:
            result[key] = short
    if left_out:
        result["…"] = f"{left_out} more"
    return result


def listed(key: str, names: Iterable[str]) -> dict[str, str]:
    """Names as custom attributes `key`, `key_2` … of at most CUSTOM_VALUE_LIMIT units each; `key_more` counts what is left out.

    >>> listed("read", ["db.a", "db.b"])
    {'read': 'db.a, db.b'}
    """
    values: list[str] = []
    left_out = 0
    for name in names:
        # A quarter of the limit in code points is within it in any script.
        text = name if len(name) * 2 <= CUSTOM_VALUE_LIMIT else shortened(name, CUSTOM_VALUE_LIMIT // 2)
        if values and units(values[-1]) + len(_SEPARATOR) + units(text) <= CUSTOM_VALUE_LIMIT:
            values[-1] += _SEPARATOR + text
        elif len(values) < CUSTOM_VALUES:
            values.append(text)
        else:
            left_out += 1
    result = {key if i == 1 else f"{key}_{i}": value for i, value in enumerate(values, start=1)}
    if left_out:
        result[f"{key}_more"] = str(left_out)
    return result


def fitting(names: Iterable[str], limit: int) -> tuple[list[str], int]:
    """The first of the names that have at most `limit` UTF-16 units in all, and how many are left out.

    The first name is always there, cut where it is longer.
    """
    shown: list[str] = []
    room, left_out = limit, 0
    for name in names:
        text = bounded(name, limit)
        room -= units(text) + len(_SEPARATOR)
        if left_out or (shown and room < 0):
            left_out += 1
        else:
            shown.append(text)
    return shown, left_out


def counted(names: Iterable[str], limit: int) -> str:
    """The names as one text of about `limit` UTF-16 units at most, which ends with how many are left out.

    >>> counted(["db.a", "db.b", "db.c"], 12)
    'db.a, db.b, +1'
    """
    shown, left_out = fitting(names, limit)
    return _SEPARATOR.join([*shown, f"+{left_out}"] if left_out else shown)


def units(text: str) -> int:
    """The length of a text as Java counts it: in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)
