"""Tables of SQL syntax for Spark's expression classes: operators with their precedence, function names, default arguments."""

from __future__ import annotations

import re

from sac_kafka.plan.formats import NOT_TRUE

ANY, OR, AND, NOT, PREDICATE, COMPARISON = range(6)
BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, PART, ATOM = range(6, 15)
"""Operator precedence, as in Spark's grammar (`SqlBaseParser.g4`); `PART` is `.field` and `[index]`."""

OPERATORS = {
    "Or": ("OR", OR),
    "And": ("AND", AND),
    "EqualTo": ("=", COMPARISON),
    "EqualNullSafe": ("<=>", COMPARISON),
    "GreaterThan": (">", COMPARISON),
    "GreaterThanOrEqual": (">=", COMPARISON),
    "LessThan": ("<", COMPARISON),
    "LessThanOrEqual": ("<=", COMPARISON),
    "BitwiseOr": ("|", BIT_OR),
    "BitwiseXor": ("^", BIT_XOR),
    "BitwiseAnd": ("&", BIT_AND),
    "Add": ("+", SUM),
    "Subtract": ("-", SUM),
    "DateAddInterval": ("+", SUM),
    "TimeAdd": ("+", SUM),
    "TimestampAddInterval": ("+", SUM),
    "DateAddYMInterval": ("+", SUM),
    "TimestampAddYMInterval": ("+", SUM),
    "SubtractDates": ("-", SUM),
    "SubtractTimestamps": ("-", SUM),
    "Multiply": ("*", PRODUCT),
    "Divide": ("/", PRODUCT),
    "Remainder": ("%", PRODUCT),
    "IntegralDivide": ("div", PRODUCT),
    "MultiplyInterval": ("*", PRODUCT),
    "DivideInterval": ("/", PRODUCT),
    "MultiplyYMInterval": ("*", PRODUCT),
    "MultiplyDTInterval": ("*", PRODUCT),
    "DivideYMInterval": ("/", PRODUCT),
    "DivideDTInterval": ("/", PRODUCT),
}
"""Binary operators: symbol and precedence, by class."""

SHIFTS = frozenset({"<<", ">>", ">>>"})
"""Shift operators (since Spark 4): the name of an expression that was written with the operator."""

COMMUTATIVE = frozenset({"AND", "OR"})
"""Operators whose right operand needs no parentheses if it uses the same operator."""

PREDICATES = {"RLike": "RLIKE", "Like": "LIKE", "ILike": "ILIKE"}
"""Binary predicates with a keyword, which are negated by NOT before the keyword."""

LISTS = {"LikeAny": "LIKE ANY", "LikeAll": "LIKE ALL", "NotLikeAny": "NOT LIKE ANY", "NotLikeAll": "NOT LIKE ALL"}
"""Predicates of one operand whose patterns are not expressions."""

SUFFIXES = {"IsNull": " IS NULL", "IsNotNull": " IS NOT NULL"}
"""Unary postfix operators, by class."""
SIGNS = {"UnaryMinus": "-", "BitwiseNot": "~", "UnaryPositive": "+"}
"""Unary prefix operators, by class."""

CONVERSIONS = frozenset(
    {
        "CheckOverflow",
        "CheckOverflowInTableInsert",
        "NormalizeNaNAndZero",
        "PromotePrecision",
        "KnownNotNull",
        "KnownNullable",
        "KnownFloatingPointNormalized",
        "UpCast",
        "AssertNotNull",
        "TempResolvedColumn",
    }
)
"""Classes that Spark adds around a value without changing it."""

METHODS = frozenset({"charTypeWriteSideCheck", "varcharTypeWriteSideCheck", "readSidePadding"})
"""JVM methods that enforce the length of CHAR and VARCHAR columns: part of the type, not of the expression."""

_TIME = "'yyyy-MM-dd HH:mm:ss'"
DEFAULTS: dict[str, dict[int, str]] = {
    "approx_percentile": {2: "10000"},
    "assert_true": {1: NOT_TRUE},
    "bround": {1: "0"},
    "from_unixtime": {1: _TIME},
    "lag": {1: "1", 2: "NULL"},
    "lead": {1: "1", 2: "NULL"},
    "listagg": {1: "NULL"},
    "locate": {2: "1"},
    "lpad": {2: "' '"},
    "mask": {1: "'X'", 2: "'x'", 3: "'n'", 4: "NULL"},
    "months_between": {2: "true"},
    "overlay": {3: "-1"},
    "percentile": {2: "1L"},
    "percentile_approx": {2: "10000"},
    "position": {2: "1"},
    "regexp_extract": {2: "1"},
    "regexp_extract_all": {2: "1"},
    "regexp_instr": {2: "0"},
    "regexp_replace": {3: "1"},
    "round": {1: "0"},
    "rpad": {2: "' '"},
    "sort_array": {1: "true"},
    "split": {2: "-1"},
    "str_to_map": {1: "','", 2: "':'"},
    "string_agg": {1: "NULL"},
    "substr": {2: "2147483647"},
    "substring": {2: "2147483647"},
    "to_unix_timestamp": {1: _TIME},
    "unix_timestamp": {1: _TIME},
}
"""Default arguments that Spark adds, by function and position."""

_NAMES = {"CreateArray": "array", "CreateMap": "map", "PosExplode": "posexplode"}


def function_name(simple_name: str) -> str:
    """Derive a function's name from its class (`DateAdd` → `date_add`), for classes that do not know their name."""
    return _NAMES.get(simple_name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", simple_name.rstrip("$")).lower()
