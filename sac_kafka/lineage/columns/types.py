"""Compare column types by their catalog names."""

from __future__ import annotations

import re

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


def is_wider(type_: str, *, than: str) -> bool:
    """Return True if a type can hold every value of another one, as in Spark's `Cast.canUpCast`; a conversion to text does not.

    >>> is_wider("bigint", than="int"), is_wider("decimal(12,2)", than="int"), is_wider("int", than="double")
    (True, True, False)
    """
    if type_ in _NUMBERS and than in _NUMBERS:
        return _NUMBERS.index(type_) >= _NUMBERS.index(than)
    to, of = _DECIMAL.fullmatch(type_), _DECIMAL.fullmatch(than)
    if to is not None:
        precision, scale = map(int, to.groups())
        digits, fraction = map(int, of.groups()) if of is not None else (_DIGITS.get(than, 100), 0)
        return scale >= fraction and precision - scale >= digits - fraction
    return (type_, than) in {("timestamp", "date"), ("timestamp_ntz", "date")} or than == "void"
