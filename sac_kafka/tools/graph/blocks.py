"""Render each message as a block of text: a line with time, job and type, then its lineage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone

from sac_kafka.stats import counted
from sac_kafka.tools.graph.drawing import lines, shortened
from sac_kafka.tools.graph.message_summary import MessageSummary
from sac_kafka.tools.messages.model import CatalogChange, LineageProcess

_MAX_TYPES = 4
_LATEST_MS = 253_402_300_799_000  # the end of the year 9999, the last that datetime supports


def block(message: MessageSummary, place: str, time_ms: int | None, size: int, *, columns: bool) -> Iterator[str]:
    """Yield the lines of a message.

    Args:
        message: The summary of the message.
        place: The line, file or offset that it was read from.
        time_ms: Its time in epoch milliseconds; None if unknown.
        size: Its length in bytes on the wire.
        columns: Whether to list the column flows; else they are counted.
    """
    whose = f"{shortened(message.job or message.hook or '-')} ({shortened(message.user)})"
    yield f"{moment(time_ms)}  {whose}  {message.type}  {counted(size, 'byte')}, {place}"
    if not message.lineage:
        yield f"    {_entities(message)}"
    for each in message.lineage:
        yield from (f"    {line}".rstrip() for line in _lines(each, columns=columns) if line)
    yield ""


def moment(time_ms: int | None) -> str:
    """Return a time (epoch milliseconds) as text, in UTC.

    >>> moment(1795165902386)
    '2026-11-20T09:11:42Z'
    """
    if time_ms is None or not 0 <= time_ms <= _LATEST_MS:
        return "unknown time"
    return f"{datetime.fromtimestamp(time_ms // 1000, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _lines(each: LineageProcess | CatalogChange, *, columns: bool) -> Iterator[str]:
    if isinstance(each, CatalogChange):
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


def _entities(message: MessageSummary) -> str:
    shown = [f"{number} {shortened(name)}" for name, number in list(message.types.items())[:_MAX_TYPES]]
    more = len(message.types) - len(shown)
    shown += [f"{more} more types"] if more > 0 else []
    if not message.entities:
        return "no entities"

    return f"{counted(message.entities, 'entity', 'entities')}: {', '.join(shown)}"
