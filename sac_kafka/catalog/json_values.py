"""Read JSON of unknown form: values of another type than expected count as empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def as_object(value: object) -> Mapping[str, Any]:
    """Return an object, {} for another value."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return a list, [] for another value."""
    return value if isinstance(value, list) else []


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a list."""
    return [each for each in as_list(value) if isinstance(each, dict)]


def details_of(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object that the attribute `details` of a process has as text."""
    try:
        return as_object(json.loads(str(attributes.get("details") or "{}")))
    except (ValueError, RecursionError):
        return {}
