"""Check a value against the declared type of its attribute (R7).

As lenient as Atlas, which parses strings as numbers.

Source: `org.apache.atlas.type.AtlasBuiltInTypes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sac_kafka.tools.validate.type_model import TypeModel

_DATE = re.compile(r"\d{1,9}-\d{1,4}-\d{1,4}T\d{1,4}:\d{1,4}:\d{1,9}\.\d{1,9}Z", re.ASCII)
"""Format of `AtlasBaseTypeDef.DATE_FORMATTER`, with milliseconds."""
_BITS = {"byte": 8, "short": 16, "int": 32, "long": 64}


def problem_of(value: object, type_name: str, model: TypeModel) -> str:
    """Return the requirement that a value violates; "" if it is valid, None, or not of a value type."""
    if value is None:
        return ""
    if type_name in _SIMPLE:
        is_valid, requirement = _SIMPLE[type_name]
        return "" if is_valid(value) else requirement
    if type_name in _BITS:
        return _integer(value, _BITS[type_name])
    if type_name.startswith("array<"):
        return _of_list(value, type_name[len("array<") : -1], model)
    if type_name.startswith("map<"):
        return _of_map(value, type_name[len("map<") : -1], model)
    allowed = model.enum(type_name)
    if allowed is not None:
        is_allowed = isinstance(value, str) and value.casefold() in {each.casefold() for each in allowed}
        return "" if is_allowed else f"must be one of {', '.join(sorted(allowed)[:8])}"
    struct = model.struct(type_name)
    return "" if struct is None else _of_struct(value, type_name, struct, model)


def entity_type(type_name: str, model: TypeModel) -> tuple[str, bool] | None:
    """Return the entity type that values refer to and whether it is a list; None if they are not references."""
    is_many = type_name.startswith("array<")
    inner = type_name[len("array<") : -1] if is_many else type_name
    return (inner, is_many) if model.has(inner) else None


def _of_list(value: object, inner: str, model: TypeModel) -> str:
    if not isinstance(value, list):
        return "must be a list"
    return next((f"invalid element: {problem}" for each in value if (problem := problem_of(each, inner, model))), "")


def _of_map(value: object, inner: str, model: TypeModel) -> str:
    if not isinstance(value, dict):
        return "must be a map"
    of_values = inner.partition(",")[2].strip()
    return next(
        (
            f"invalid value of key {key[:40]}: {problem}"
            for key, each in value.items()
            if (problem := problem_of(each, of_values, model))
        ),
        "",
    )


def _of_struct(value: object, name: str, attributes: Mapping[str, Mapping[str, object]], model: TypeModel) -> str:
    if not isinstance(value, dict):
        return f"must be an object of type {name}"
    given = value.get("attributes") or value.get("values") or value
    if not isinstance(given, dict):
        return f"must be an object of type {name}"
    for key, each in attributes.items():
        if each.get("isOptional") is False and given.get(key) is None:
            return f"mandatory attribute {key} is missing"
        if problem := problem_of(given.get(key), str(each.get("typeName")), model):
            return f"invalid attribute {key}: {problem}"
    return ""


def _integer(value: object, bits: int) -> str:
    requirement = f"must be a {bits}-bit integer"
    if isinstance(value, bool) or not isinstance(value, (int, str, float)):
        return requirement
    try:
        number = int(value) if not isinstance(value, str) else int(value[:30])
    except (ValueError, OverflowError):
        return requirement
    return "" if -(1 << bits - 1) <= number < 1 << bits - 1 else requirement


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        try:
            float(value[:400])
        except ValueError:
            return False
        return True
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_date(value: object) -> bool:
    if isinstance(value, str):
        return value.isdecimal() or not value or _DATE.match(value) is not None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.casefold() in {"true", "false"})


def _is_text(value: object) -> bool:
    return not isinstance(value, (dict, list))


_NUMBER = (_is_number, "must be a number")
_SIMPLE: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "string": (_is_text, "must be a string"),
    "boolean": (_is_boolean, "must be true or false"),
    "date": (_is_date, "must be epoch milliseconds"),
    "float": _NUMBER,
    "double": _NUMBER,
    "biginteger": _NUMBER,
    "bigdecimal": _NUMBER,
}
