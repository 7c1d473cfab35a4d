"""List the arguments of functions that are formats, units and separators: strings that are part of the expression, never data.

They are projected unmasked; any other string only if statements keep theirs (`spark/java/Constants`).
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Format:
    """The argument of a function at a position, counted from 0.

    Attributes:
        is_mark: The argument is a separator or padding: projected only if it has up to three characters without letters and
            digits, or is a single character.
        arity: Number of arguments that the function must have; 0 for any.
        ending: If set, only this is projected, for an argument that ends with it: a text that Spark has added.
    """

    function: str
    position: int
    is_mark: bool = False
    arity: int = 0
    ending: str = ""


_OF_DATES = {
    "date_format": 1,
    "date_part": 0,
    "date_trunc": 0,
    "extract": 0,
    "from_unixtime": 1,
    "from_utc_timestamp": 1,
    "next_day": 1,
    "time_diff": 0,
    "time_trunc": 0,
    "to_date": 1,
    "to_time": 1,
    "to_timestamp": 1,
    "to_timestamp_ltz": 1,
    "to_timestamp_ntz": 1,
    "to_unix_timestamp": 1,
    "to_utc_timestamp": 1,
    "trunc": 1,
    "try_to_date": 1,
    "try_to_time": 1,
    "try_to_timestamp": 1,
    "unix_timestamp": 1,
}
_OF_NUMBERS_AND_BYTES = {
    "encode": 1,
    "format_number": 1,
    "to_binary": 1,
    "to_char": 1,
    "to_number": 1,
    "to_varchar": 1,
    "try_to_binary": 1,
    "try_to_number": 1,
}
_MARKS = {
    "array_join": 1,
    "concat_ws": 0,
    "listagg": 1,
    "lpad": 2,
    "rpad": 2,
    "split": 1,
    "split_part": 1,
    "string_agg": 1,
    "substring_index": 1,
}

RAISED = "'USER_RAISED_EXCEPTION'"
"""The error class of `raise_error(message)`."""

NOT_TRUE = "' is not true!"
"""End of the message that Spark creates for `assert_true(condition)`."""

FORMATS: tuple[Format, ...] = (
    Format("raise_error", 0, arity=2),  # the error class; a single argument is the message
    Format("assert_true", 1, ending=NOT_TRUE),
    *(Format(function, position) for function, position in (_OF_DATES | _OF_NUMBERS_AND_BYTES).items()),
    *(Format("convert_timezone", position) for position in (0, 1)),
    Format("decode", 1, arity=2),  # with more arguments, these are values
    *(Format(function, 1) for function in ("get_json_object", "variant_get", "try_variant_get")),
    *(Format("mask", position, is_mark=True) for position in (1, 2, 3, 4)),
    *(Format(function, position, is_mark=True) for function, position in _MARKS.items()),
    *(Format("str_to_map", position, is_mark=True) for position in (1, 2)),
)
"""The arguments, by the SQL name of the function."""
