"""Fate of a job's messages: what it encoded against what a topic holds. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TopicMessage:
    """A message in the topic: its application, and its content."""

    key: str
    message: str


@dataclass(frozen=True)
class Encoded:
    """A job's record; `is_handed_over` is False where the driver was killed before the delivery had it."""

    messages: tuple[str, ...]
    is_handed_over: bool


@dataclass(frozen=True)
class Verdict:
    """Of one application: messages that are `lost`, disordered, sent by no driver, or repeated."""

    sent: int
    lost: tuple[str, ...]
    disordered: tuple[str, ...]
    strange: tuple[str, ...]
    duplicates: int
    first: int | None
    """Where its first message is in the topic."""
    last: int | None
    """Where the last one is that had not been there before."""


def comparable(value: str | bytes) -> str:
    """Return a message without what differs when it is sent from a spool.

    >>> comparable('{"spooled":true,"message":{"a":1}}') == comparable('{"message": {"a": 1}, "spooled": false}')
    True
    """
    envelope = json.loads(value)
    envelope.pop("spooled", None)
    return json.dumps(envelope, sort_keys=True)


def judge(application: str, encoded: Sequence[Encoded], topic: Sequence[TopicMessage]) -> Verdict:
    """Compare what an application has encoded with what arrived under its key."""
    sent = {message: number for number, message in enumerate(m for record in encoded for m in record.messages)}
    assert len(sent) == sum(len(record.messages) for record in encoded), "two messages of the job are equal"
    own = [(place, arrived.message) for place, arrived in enumerate(topic) if arrived.key == application]
    first_places: dict[str, int] = {}
    for place, message in own:
        first_places.setdefault(message, place)
    return Verdict(
        sent=len(sent),
        lost=tuple(m for record in encoded if record.is_handed_over for m in record.messages if m not in first_places),
        disordered=_disordered(sent, first_places),
        strange=tuple(message for message in first_places if message not in sent),
        duplicates=len(own) - len(first_places),
        first=min(first_places.values(), default=None),
        last=max(first_places.values(), default=None),
    )


def _disordered(sent: Mapping[str, int], first_places: Mapping[str, int]) -> tuple[str, ...]:
    """Return the messages that arrived for the first time after one that was sent later."""
    latest = -1
    late = []
    for message in first_places:  # in the topic's order
        number = sent.get(message)
        if number is None:
            continue
        if number < latest:
            late.append(message)
        latest = max(latest, number)
    return tuple(late)
