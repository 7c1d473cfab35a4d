"""What Spark's classes of expressions are called in SQL."""

from __future__ import annotations

import re

OPERATORS = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "Remainder": "%",
    "IntegralDivide": "div",
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "And": "AND",
    "Or": "OR",
    "BitwiseAnd": "&",
    "BitwiseOr": "|",
    "BitwiseXor": "^",
    "DateAddInterval": "+",
    "TimestampAddInterval": "+",
    "DateAddYMInterval": "+",
    "TimestampAddYMInterval": "+",
    "SubtractDates": "-",
    "SubtractTimestamps": "-",
    "MultiplyYMInterval": "*",
    "MultiplyDTInterval": "*",
    "DivideYMInterval": "/",
    "DivideDTInterval": "/",
    "RLike": "RLIKE",
}
"""Classes of two operands, and what stands between them."""

NAMES = {
    "ArrayExists": "exists",
    "ArrayForAll": "forall",
    "CallMethodViaReflection": "reflect",
    "CreateArray": "array",
    "CreateMap": "map",
    "CurrentTimestamp": "current_timestamp",
    "DateFormatClass": "date_format",
    "DayOfMonth": "day",
    "FormatNumber": "format_number",
    "JsonToStructs": "from_json",
    "CsvToStructs": "from_csv",
    "XmlToStructs": "from_xml",
    "StructsToJson": "to_json",
    "StructsToCsv": "to_csv",
    "StructsToXml": "to_xml",
    "Length": "length",
    "MonotonicallyIncreasingID": "monotonically_increasing_id",
    "Murmur3Hash": "hash",
    "NaNvl": "nanvl",
    "NTile": "ntile",
    "ListAgg": "listagg",
    "ParseUrl": "parse_url",
    "PosExplode": "posexplode",
    "Pow": "power",
    "RegExpExtract": "regexp_extract",
    "RegExpReplace": "regexp_replace",
    "SparkPartitionID": "spark_partition_id",
    "StringInstr": "instr",
    "StringLPad": "lpad",
    "StringLocate": "locate",
    "StringRPad": "rpad",
    "StringRepeat": "repeat",
    "StringReplace": "replace",
    "StringSpace": "space",
    "StringSplit": "split",
    "StringTranslate": "translate",
    "StringTrim": "trim",
    "StringTrimLeft": "ltrim",
    "StringTrimRight": "rtrim",
    "TruncDate": "trunc",
    "TruncTimestamp": "date_trunc",
    "UnaryPositive": "positive",
    "VariableReference": "variable",
    "XxHash64": "xxhash64",
    "Average": "avg",
    "BitAndAgg": "bit_and",
    "BitOrAgg": "bit_or",
    "BitXorAgg": "bit_xor",
    "BoolAnd": "bool_and",
    "BoolOr": "bool_or",
    "HyperLogLogPlusPlus": "approx_count_distinct",
    "StddevPop": "stddev_pop",
    "StddevSamp": "stddev_samp",
    "VariancePop": "var_pop",
    "VarianceSamp": "var_samp",
}
"""The SQL names of functions whose classes are called otherwise."""

SUFFIXES = {"IsNull": " IS NULL", "IsNotNull": " IS NOT NULL"}
PREFIXES = {"Not": "NOT ", "UnaryMinus": "-", "BitwiseNot": "~"}
"""Classes of one operand, and what stands behind or before it."""
CONVERSIONS = frozenset(
    {
        "CheckOverflow",
        "KnownNotNull",
        "KnownNullable",
        "KnownFloatingPointNormalized",
        "UpCast",
        "AssertNotNull",
        "TempResolvedColumn",
        "Collate",
    }
)
"""What Spark puts around a value without making another one of it."""


def function_name(simple_name: str) -> str:
    """`DateAdd` → `date_add`, the usual relation of Spark's classes and function names."""
    return NAMES.get(simple_name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", simple_name).lower()
