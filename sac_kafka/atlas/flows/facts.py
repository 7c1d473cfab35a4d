"""Encode the facts of a run twice: as custom attributes, and as JSON in the stock attribute `details`.

Custom attributes are displayed well. But a server that consumes in parallel keeps only attributes,
relationshipAttributes and classifications of an entity, and the V1 form has nothing else.

Source: `org.apache.atlas.notification.NotificationPreProcessor` (Atlas 2.6).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

from sac_kafka.atlas.limits import DETAILS_LIMIT, bounded, fitting, listed
from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT

Fact = str | int | float | Mapping[str, str] | tuple[str, ...] | None
"""A text, a number, or several texts; None if unknown."""

Facts = Mapping[str, Fact]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_OMITTED = "omitted"
_ROOM_FOR_OMITTED = 40
_LIST_LIMIT = 1_000


def custom_attributes(facts: Facts) -> dict[str, str]:
    """Return the facts as texts by name; a list that is too long for one attribute fills several."""
    result: dict[str, str] = {}
    for name, fact in facts.items():
        if isinstance(fact, tuple):
            result |= listed(name, fact)
        elif isinstance(fact, Mapping):
            result |= listed(name, (f"{key} = {value}" for key, value in fact.items()))
        elif fact not in (None, ""):
            result[name] = bounded(str(fact), CUSTOM_VALUE_LIMIT)
    return result


def details(facts: Facts) -> str:
    """Return the first facts as JSON of at most DETAILS_LIMIT UTF-16 units; `omitted` counts the others.

    >>> details({"status": "succeeded", "rows_written": 3, "read_locations": ("file:/in/day=1",), "failure": None})
    '{"status": "succeeded", "rows_written": 3, "read_locations": ["file:/in/day=1"]}'
    """
    encoded = (
        f"{json.dumps(name)}: {json.dumps(_bounded(fact), ensure_ascii=False)}"
        for name, fact in facts.items()
        if fact not in (None, "", ()) and fact != {}
    )
    shown, omitted = fitting(encoded, DETAILS_LIMIT - _ROOM_FOR_OMITTED)
    more = [f'"{_OMITTED}": {omitted}'] if omitted else []
    return f"{{{', '.join([*shown, *more])}}}"


def timestamp(epoch_ms: int | None) -> str | None:
    """Return a time in epoch milliseconds in ISO 8601 format."""
    if epoch_ms is None:
        return None
    return (_EPOCH + timedelta(milliseconds=epoch_ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(from_ms: int | None, to_ms: int | None) -> float | None:
    """Return the seconds between two times; None if one is unknown or the clock was set back."""
    if from_ms is None or to_ms is None or to_ms < from_ms:
        return None
    return (to_ms - from_ms) / 1000


def _bounded(fact: Fact) -> object:
    if isinstance(fact, str):
        return bounded(fact, CUSTOM_VALUE_LIMIT)
    if isinstance(fact, tuple):
        shown, omitted = fitting(fact, _LIST_LIMIT)
        return [*shown, f"+{omitted}"] if omitted else shown
    if isinstance(fact, Mapping):
        return {key: bounded(value, CUSTOM_VALUE_LIMIT) for key, value in fact.items()}
    return fact
