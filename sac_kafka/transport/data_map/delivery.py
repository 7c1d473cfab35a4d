"""Manage the requests of one message until each of them has a response."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from sac_kafka.transport.data_map.answers import found_names, unmentioned
from sac_kafka.transport.data_map.dividing import bounded, divided, without_unknown_types
from sac_kafka.transport.data_map.placing import KnownAssets, look_ups, placed
from sac_kafka.transport.data_map.requests import Bulk, Delete, EntityName, LookUp, Request, Update, name_of
from sac_kafka.transport.http import Answer

MAX_REFUSALS = 40
"""Refused requests of a message after which the rest of it is not divided further."""


@dataclass
class DataMapDelivery:
    """The remaining requests of a message, and what was refused.

    Attributes:
        refused: Refused entities, each with the reason of its request.
        unmentioned: Entities that a successful response did not mention.
    """

    requests: Iterable[Request]
    collection: str | None
    known: KnownAssets
    refused: list[tuple[EntityName, str]] = field(default_factory=list)
    unmentioned: list[EntityName] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = sum(len(each.entities) if isinstance(each, Bulk) else 1 for each in self.requests)
        self._remaining: deque[Request] = deque()
        self._unplaced: Bulk | None = None
        self._refusals = 0
        for each in self.requests:
            self._remaining += self._first_requests(each)

    @property
    def is_done(self) -> bool:
        """Whether no requests remain."""
        return not self._remaining

    @property
    def next(self) -> Request:
        """The next request."""
        return self._remaining[0]

    def on_success(self, answer: Answer) -> None:
        """Handle a successful response to the next request."""
        match self._remaining.popleft():
            case Bulk(entities):
                self.unmentioned += unmentioned(answer, entities)
                self.known.add(map(name_of, entities))
            case LookUp():
                self.known.add(found_names(answer))
                self._after_look_up()
            case Delete(name):
                self.known.forget(name)

    def on_refusal(self, answer: Answer, reason: str) -> None:
        """Handle a refusal of the next request because of its content."""
        match self._remaining.popleft():
            case Bulk() as bulk:
                self._refusals += 1
                self._remaining.extendleft(reversed(self._divide(bulk, answer, reason)))
            case Update(name):
                self.refused.append((name, reason))
            case Delete(name):
                if answer.status != 404:  # An entity that does not exist counts as deleted.
                    self.refused.append((name, reason))
            case LookUp(names):
                if len(names) > 1:  # If one of several is missing, a server may answer 404 for all: query each.
                    self._remaining.extendleft(LookUp((name,)) for name in reversed(names))
                self._after_look_up()

    def _divide(self, bulk: Bulk, answer: Answer, reason: str) -> tuple[Bulk, ...]:
        unknown, left = without_unknown_types(bulk, answer)
        if unknown:
            self.refused += [(name_of(each), reason) for each in unknown]
            return (left,) if left is not None else ()
        parts = divided(bulk, answer) if self._refusals < MAX_REFUSALS else ()
        if not parts:
            self.refused += [(name_of(each), reason) for each in bulk.entities]
        return parts

    def _first_requests(self, request: Request) -> tuple[Request, ...]:
        if not isinstance(request, Bulk):
            return (request,)
        if self.collection is None:
            return bounded(request)
        self._unplaced = request
        queries = tuple(look_ups(request, self.known))
        return queries or self._placed()

    def _after_look_up(self) -> None:
        """Add the requests for the entities once all of them are looked up."""
        if not self._remaining or not isinstance(self._remaining[0], LookUp):
            self._remaining.extendleft(reversed(self._placed()))

    def _placed(self) -> tuple[Bulk, ...]:
        bulk, self._unplaced = self._unplaced, None
        if bulk is None or self.collection is None:
            return ()
        return tuple(part for each in placed(bulk, self.collection, self.known) for part in bounded(each))
