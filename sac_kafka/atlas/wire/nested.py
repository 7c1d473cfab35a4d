"""Find the entities nested in the values of a V1 entity, which other hooks send in place of references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_WHOLE = "$_Reference"


def nested_v1(given: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the entities nested in the values of an entity, at any depth."""
    waiting: list[Mapping[str, Any]] = [given]
    while waiting:
        values = waiting.pop().get("values")
        for value in values.values() if isinstance(values, dict) else ():
            found = [each for each in (value if isinstance(value, list) else [value]) if is_nested_v1(each)]
            yield from found
            waiting += found


def is_nested_v1(value: object) -> bool:
    """Return True if a value is a whole entity, not only a reference."""
    if not isinstance(value, dict) or "typeName" not in value:
        return False
    return isinstance(value.get("values"), dict) or str(value.get("jsonClass")).endswith(_WHOLE)
