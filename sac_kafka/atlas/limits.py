"""Define the length limits of texts on a server and truncate longer texts; see also `config.server_limits`.

`shorten` is for names, where different texts must remain different; `truncate` is for prose, where the beginning
matters. Limits count UTF-16 units, as Java does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT

INDEXED_LIMIT = 32_766
"""Maximum length of an indexed string (qualifiedName, name, queryText, owner …) in UTF-16 units: Atlas trims strings that
reach `atlas.graphstore.indexed.string.safe.length`, 32,767 (R22). All limits below are smaller."""

DATASET_LIMIT = 8_000
"""Maximum name of a dataset in code points: together with a column's name it is below INDEXED_LIMIT in any script."""

COLUMN_LIMIT = 4_000
"""Maximum name of a column in code points. Spark names a column without alias by its whole expression."""

PART_LIMIT = 400
"""Maximum job, output or column within the qualifiedName of a process in code points: all column lineage repeats it."""

LABEL_LIMIT = 80
"""Maximum job or dataset within the display name of a process in code points, for readable lists."""

COMMENT_LIMIT = 2_000
"""Maximum comment, expression or Spark type in UTF-16 units: these are sent for every column."""

VIEW_TEXT_LIMIT = 8_000
"""Maximum definition of a view in UTF-16 units: every message that uses the view contains it."""

PARAMETERS_LIMIT = 4_000
"""Maximum properties of a table or database, keys and values in UTF-16 units, for the same reason."""

DETAILS_LIMIT = 8_000
"""Maximum `details` of a process in UTF-16 units: every message with the process contains them."""

CUSTOM_VALUES = 4
"""Maximum number of custom attributes for one list of names, to keep the facts of a run small."""

_SEPARATOR = ", "


def truncate(text: str, limit: int) -> str:
    """Truncate a text to `limit` UTF-16 units, ending in an ellipsis."""
    if len(text) * 2 <= limit:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= limit * 2:
        return text
    return units[: (limit - 1) * 2].decode("utf-16-le", "ignore") + "…"


def shorten(text: str, limit: int) -> str:
    """Replace the middle of a text longer than `limit` code points by a digest of the whole.

    >>> shorten("a" * 30 + "b" * 30, 30)
    'aaaaaaaaaa~d1d54f81~bbbbbbbbbb'
    """
    if len(text) <= limit:
        return text
    kept = (limit - 10) // 2
    return f"{text[:kept]}~{digest(text, 8)}~{text[-kept:]}"


def digest(text: str, length: int) -> str:
    """Return the first `length` hexadecimal digits of the text's SHA-256, which is stable between runs."""
    # surrogatepass: Java strings may contain unpaired surrogates, which must not raise an error.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def bounded_map(entries: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the first entries that fit into PARAMETERS_LIMIT, with values truncated to CUSTOM_VALUE_LIMIT units.

    The number of omitted entries is stored under the key `…`.

    >>> bounded_map([("quality", "gold")])
    {'quality': 'gold'}
    """
    result: dict[str, str] = {}
    room, omitted = PARAMETERS_LIMIT, 0
    for key, value in entries:
        short = truncate(value, CUSTOM_VALUE_LIMIT)
        room -= units(key) + units(short)
        if room < 0:
            omitted += 1
        else:
            result[key] = short
    if omitted:
        result["…"] = f"{omitted} more"
    return result


def list_names(key: str, names: Iterable[str]) -> dict[str, str]:
    """Return names as custom attributes `key`, `key_2` … of at most CUSTOM_VALUE_LIMIT units; `key_more` counts omitted ones.

    >>> list_names("read", ["db.a", "db.b"])
    {'read': 'db.a, db.b'}
    """
    values: list[str] = []
    omitted = 0
    for name in names:
        # A quarter of the limit in code points is within it in any script.
        text = name if len(name) * 2 <= CUSTOM_VALUE_LIMIT else shorten(name, CUSTOM_VALUE_LIMIT // 2)
        if values and units(values[-1]) + len(_SEPARATOR) + units(text) <= CUSTOM_VALUE_LIMIT:
            values[-1] += _SEPARATOR + text
        elif len(values) < CUSTOM_VALUES:
            values.append(text)
        else:
            omitted += 1
    result = {key if i == 1 else f"{key}_{i}": value for i, value in enumerate(values, start=1)}
    if omitted:
        result[f"{key}_more"] = str(omitted)
    return result


def fitting(names: Iterable[str], limit: int) -> tuple[list[str], int]:
    """Return the first names that fit into `limit` UTF-16 units, and the number of omitted names.

    The first name is always included, truncated if necessary.
    """
    shown: list[str] = []
    room, omitted = limit, 0
    for name in names:
        text = truncate(name, limit)
        room -= units(text) + len(_SEPARATOR)
        if omitted or (shown and room < 0):
            omitted += 1
        else:
            shown.append(text)
    return shown, omitted


def join_names(names: Iterable[str], limit: int) -> str:
    """Join names to a text of about `limit` UTF-16 units, ending with the number of omitted names.

    >>> join_names(["db.a", "db.b", "db.c"], 12)
    'db.a, db.b, +1'
    """
    shown, omitted = fitting(names, limit)
    return _SEPARATOR.join([*shown, f"+{omitted}"] if omitted else shown)


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units, as Java counts."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)
