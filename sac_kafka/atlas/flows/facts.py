"""What is known of a run, said twice: as custom attributes, and as JSON in the stock attribute `details`.

A server shows custom attributes well; but one that consumes in parallel keeps of an entity only its attributes,
relationshipAttributes and classifications, and the V1 form has nothing else either.

Source: `org.apache.atlas.notification.NotificationPreProcessor` (Atlas 2.6).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

from sac_kafka.atlas.limits import DETAILS_LIMIT, bounded, fitting, listed, units
from sac_kafka.config.server_limits import CUSTOM_VALUE_LIMIT

Fact = str | int | float | Mapping[str, str] | tuple[str, ...] | None
"""A text, a number, or several texts; None where it is not known."""

Facts = Mapping[str, Fact]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LEFT_OUT = "left_out"
_ROOM_FOR_LEFT_OUT = 40
_LIST_LIMIT = 1_000


def custom_attributes(facts: Facts) -> dict[str, str]:
    """The facts as texts under their names; a list that is longer than one may be fills several."""
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
    """The facts as one JSON object of at most DETAILS_LIMIT UTF-16 units: the first ones, `left_out` counts the others.

    >>> details({"status": "succeeded", "rows_written": 3, "read_locations": ("file:/in/day=1",), "failure": None})
    '{"status": "succeeded", "rows_written": 3, "read_locations": ["file:/in/day=1"]}'
    """
    said: list[str] = []
    room, left_out = DETAILS_LIMIT - _ROOM_FOR_LEFT_OUT, 0
    for name, fact in facts.items():
        if fact in (None, "", ()) or fact == {}:
            continue
        text = f"{json.dumps(name)}: {json.dumps(_bounded(fact), ensure_ascii=False)}"
        room -= units(text) + len(", ")
        if room < 0:
            left_out += 1
        else:
            said.append(text)
    if left_out:
        said.append(f'"{_LEFT_OUT}": {left_out}')
    return f"{{{', '.join(said)}}}"


def timestamp(epoch_ms: int | None) -> str | None:
    """A point of time as a person reads it."""
    if epoch_ms is None:
        return None
    return (_EPOCH + timedelta(milliseconds=epoch_ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(from_ms: int | None, to_ms: int | None) -> float | None:
    """The time between two points of time; None where one is not known, or the clock was set back between them."""
    if from_ms is None or to_ms is None or to_ms < from_ms:
        return None
    return (to_ms - from_ms) / 1000


def _bounded(fact: Fact) -> object:
    if isinstance(fact, str):
        return bounded(fact, CUSTOM_VALUE_LIMIT)
    if isinstance(fact, tuple):
        shown, left_out = fitting(fact, _LIST_LIMIT)
        return [*shown, f"+{left_out}"] if left_out else shown
    if isinstance(fact, Mapping):
        return {key: bounded(value, CUSTOM_VALUE_LIMIT) for key, value in fact.items()}
    return fact
