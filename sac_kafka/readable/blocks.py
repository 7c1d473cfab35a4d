"""Draws messages one by one for a terminal, as they come: a line of whose and when, then what each says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone

from sac_kafka.figures import counted
from sac_kafka.readable.drawing import lines, shortened
from sac_kafka.readable.heard import HeardMessage
from sac_kafka.readable.told import ToldChange, ToldProcess

_MAX_TYPES = 4
_LATEST_MS = 253_402_300_799_000  # the year 9999: what datetime can say


def block(message: HeardMessage, place: str, time_ms: int | None, size: int, *, columns: bool) -> Iterator[str]:
    """Draw a message.

    Args:
        message: What it says.
        place: Where it was found.
        time_ms: When it was, epoch milliseconds; None where nobody says.
        size: Its length in bytes on the wire.
        columns: Whether to draw what each column is made of; else columns are counted.
    """
    whose = f"{shortened(message.job or message.hook or '-')} ({shortened(message.user)})"
    yield f"{moment(time_ms)}  {whose}  {message.type}  {counted(size, 'byte')}, {place}"
    if not message.says:
        yield f"    {_entities(message)}"
    for each in message.says:
        yield from (f"    {line}".rstrip() for line in _lines(each, columns=columns) if line)
    yield ""


def moment(time_ms: int | None) -> str:
    """Give a time as text, in UTC.

    >>> moment(1795165902386)
    '2026-11-20T09:11:42Z'
    """
    if time_ms is None or not 0 <= time_ms <= _LATEST_MS:
        return "at no known time"
    return f"{datetime.fromtimestamp(time_ms // 1000, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _lines(each: ToldProcess | ToldChange, *, columns: bool) -> Iterator[str]:
    if isinstance(each, ToldChange):
        yield from lines(each)
        return
    if each.inputs or each.outputs:
        yield shortened(each.name)
    if columns:
        yield from lines(each)
        return
    yield from lines(replace(each, columns=(), constants="", rows=""))
    if each.columns:
        yield f"    {counted(len(each.columns), 'column flow')}"


def _entities(message: HeardMessage) -> str:
    shown = [f"{number} {shortened(name)}" for name, number in list(message.types.items())[:_MAX_TYPES]]
    more = len(message.types) - len(shown)
    shown += [f"{more} more types"] if more > 0 else []
    if not message.entities:
        return "no entity: it says nothing"
    return f"{counted(message.entities, 'entity', 'entities')}: {', '.join(shown)}"
