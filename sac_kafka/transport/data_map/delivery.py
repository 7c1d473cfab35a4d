"""The requests that one message takes, until each of them is answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from sac_kafka.transport.data_map.answers import doubtful, found_names
from sac_kafka.transport.data_map.dividing import bounded, divided, without_unknown_types
from sac_kafka.transport.data_map.placing import Known, look_ups, placed
from sac_kafka.transport.data_map.requests import Bulk, Delete, EntityName, LookUp, Request, Update, name_of
from sac_kafka.transport.http import Answer

MAX_REFUSALS = 40
"""So many requests of one message are refused before the rest of it is given up."""


@dataclass
class DataMapDelivery:
    """What is left to be asked for a message, and what was refused of it.

    Attributes:
        refused: The entities that were, each with the reason of its request.
        doubts: Those that an answer of success does not mention.
    """

    requests: Iterable[Request]
    collection: str | None
    known: Known
    refused: list[tuple[EntityName, str]] = field(default_factory=list)
    doubts: list[EntityName] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = sum(len(each.entities) if isinstance(each, Bulk) else 1 for each in self.requests)
        self._left: deque[Request] = deque()
        self._unplaced: Bulk | None = None
        self._refusals = 0
        for each in self.requests:
            self._left += self._begun(each)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be asked."""
        return not self._left

    @property
    def next(self) -> Request:
        """What is to be asked now."""
        return self._left[0]

    def taken(self, answer: Answer) -> None:
        """The request was answered well."""
        match self._left.popleft():
            case Bulk(entities):
                self.doubts += doubtful(answer, entities)
                self.known.add(map(name_of, entities))
            case LookUp():
                self.known.add(found_names(answer))
                self._place()
            case Delete(name):
                self.known.forget(name)

    def not_taken(self, answer: Answer, reason: str) -> None:
        """The request was refused for what it holds."""
        match self._left.popleft():
            case Bulk() as bulk:
                self._refusals += 1
                self._left.extendleft(reversed(self._without_those_to_blame(bulk, answer, reason)))
            case Update(name):
                self.refused.append((name, reason))
            case Delete(name):
                if answer.status != 404:  # what is gone was to be deleted
                    self.refused.append((name, reason))
            case LookUp(names):
                if len(names) > 1:  # of several that are not all there a server may say nothing
                    self._left.extendleft(LookUp((name,)) for name in reversed(names))
                self._place()

    def _without_those_to_blame(self, bulk: Bulk, answer: Answer, reason: str) -> tuple[Bulk, ...]:
        unknown, left = without_unknown_types(bulk, answer)
        if unknown:
            self.refused += [(name_of(each), reason) for each in unknown]
            return (left,) if left is not None else ()
        parts = divided(bulk, answer) if self._refusals < MAX_REFUSALS else ()
        if not parts:
            self.refused += [(name_of(each), reason) for each in bulk.entities]
        return parts

    def _begun(self, request: Request) -> tuple[Request, ...]:
        if not isinstance(request, Bulk):
            return (request,)
        if self.collection is None:
            return bounded(request)
        self._unplaced = request
        asked = tuple(look_ups(request, self.known))
        return asked or self._placed()

    def _place(self) -> None:
        """All that was to be looked up is known."""
        if not self._left or not isinstance(self._left[0], LookUp):
            self._left.extendleft(reversed(self._placed()))

    def _placed(self) -> tuple[Bulk, ...]:
        bulk, self._unplaced = self._unplaced, None
        if bulk is None or self.collection is None:
            return ()
        return tuple(part for each in placed(bulk, self.collection, self.known) for part in bounded(each))
