"""How SQL writes Spark's expressions: operators and how strongly they bind, names, and arguments that nobody writes."""

from __future__ import annotations

import re

from sac_kafka.plan.formats import NOT_TRUE

ANY, OR, AND, NOT, PREDICATE, COMPARISON = range(6)
BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, PART, ATOM = range(6, 15)
"""How strongly an operator binds, as in Spark's grammar (`SqlBaseParser.g4`); `PART` is `.field` and `[index]`."""

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
"""Classes of two operands: what stands between them, and how strongly it binds."""

SHIFTS = frozenset({"<<", ">>", ">>>"})
"""Operators since Spark 4, by the name that an expression has where it was written so."""

COMMUTATIVE = frozenset({"AND", "OR"})
"""Operators whose right operand needs no parentheses where it is the same operator again."""

PREDICATES = {"RLike": "RLIKE", "Like": "LIKE", "ILike": "ILIKE"}
"""Classes of two operands with a word between them, which has a form of its own with NOT."""

LISTS = {"LikeAny": "LIKE ANY", "LikeAll": "LIKE ALL", "NotLikeAny": "NOT LIKE ANY", "NotLikeAll": "NOT LIKE ALL"}
"""Classes of one operand whose patterns are no expressions."""

SUFFIXES = {"IsNull": " IS NULL", "IsNotNull": " IS NOT NULL"}
SIGNS = {"UnaryMinus": "-", "BitwiseNot": "~", "UnaryPositive": "+"}
"""Classes of one operand, and what stands behind or before it."""

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
"""What Spark puts around a value without making another one of it."""

METHODS = frozenset({"charTypeWriteSideCheck", "varcharTypeWriteSideCheck", "readSidePadding"})
"""Methods of the JVM that keep a column's length: they are part of its type, not of the expression."""

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
"""By function and position: the argument that Spark adds where the statement has none."""


_NAMES = {"CreateArray": "array", "CreateMap": "map", "PosExplode": "posexplode"}


def function_name(simple_name: str) -> str:
    """`DateAdd` → `date_add`, the usual relation of Spark's classes and function names, where no better is known."""
    return _NAMES.get(simple_name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", simple_name.rstrip("$")).lower()
