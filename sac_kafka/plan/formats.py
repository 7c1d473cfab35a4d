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


_FORMATS = {
    0: "date_part date_trunc extract time_diff time_trunc",
    1: """
        date_format from_unixtime from_utc_timestamp next_day to_date to_time to_timestamp to_timestamp_ltz
        to_timestamp_ntz to_unix_timestamp to_utc_timestamp trunc try_to_date try_to_time try_to_timestamp unix_timestamp
        encode format_number to_binary to_char to_number to_varchar try_to_binary try_to_number
        get_json_object variant_get try_variant_get
    """,
}
"""Functions by the position of a format or unit."""
_MARKS = {
    0: "concat_ws",
    1: "array_join listagg mask split split_part str_to_map string_agg substring_index",
    2: "lpad mask rpad str_to_map",
    3: "mask",
    4: "mask",
}
"""Functions by the position of a separator or padding."""

RAISED = "'USER_RAISED_EXCEPTION'"
"""The error class of `raise_error(message)`."""

NOT_TRUE = "' is not true!"
"""End of the message that Spark creates for `assert_true(condition)`."""

FORMATS: tuple[Format, ...] = (
    Format("raise_error", 0, arity=2),  # the error class; a single argument is the message
    Format("assert_true", 1, ending=NOT_TRUE),
    *(Format("convert_timezone", position) for position in (0, 1)),
    Format("decode", 1, arity=2),  # with more arguments, these are values
    *(Format(function, position) for position, names in _FORMATS.items() for function in names.split()),
    *(Format(function, position, is_mark=True) for position, names in _MARKS.items() for function in names.split()),
)
"""The arguments, by the SQL name of the function."""
