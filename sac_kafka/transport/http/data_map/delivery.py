"""Manage the requests of one message until each of them has a response, and put new assets into the configured collection.

A collection in a request moves existing assets, scanned ones included. Each asset is therefore looked up once, and existing
ones are sent without a collection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from sac_kafka.transport.http.client import Answer
from sac_kafka.transport.http.data_map.division import divide, divide_to_limit, split_off, without_unknown_types
from sac_kafka.transport.http.data_map.requests import (
    Bulk,
    Delete,
    EntityName,
    LookUp,
    Request,
    Update,
    found_names,
    missing_in_answer,
    name_of,
)

MAX_KNOWN = 50_000
_MAX_QUERY_BYTES = 4_000  # Gateways reject long URLs, and names may be long.
_MAX_NAMES = 50
MAX_REFUSALS = 40
"""Refused requests of a message after which the rest of it is not divided further."""


class KnownAssets:
    """Names of existing assets, limited to the latest ones."""

    def __init__(self, max_names: int = MAX_KNOWN) -> None:
        self._max_names = max_names
        self._names: dict[EntityName, None] = {}

    def __contains__(self, name: EntityName) -> bool:
        """Return whether the asset is known to exist."""
        return name in self._names

    def add(self, names: Iterable[EntityName]) -> None:
        """Add existing assets."""
        self._names.update(dict.fromkeys(names))
        while len(self._names) > self._max_names:
            del self._names[next(iter(self._names))]

    def forget(self, name: EntityName) -> None:
        """Remove a deleted asset."""
        self._names.pop(name, None)


def look_ups(bulk: Bulk, known: KnownAssets) -> Iterator[LookUp]:
    """Yield the requests that look up which assets of a request exist."""
    names = {name_of(entity) for entity in bulk.entities}
    unknown = sorted((each for each in names if each.qualified_name and each not in known), key=str)
    for _, of_type in groupby(unknown, key=lambda name: name.type_name):
        chunk: list[EntityName] = []
        size = 0
        for name in of_type:
            length = 30 + 3 * len(name.qualified_name.encode())  # Upper bound of its length in a URL.
            if chunk and (size + length > _MAX_QUERY_BYTES or len(chunk) == _MAX_NAMES):
                yield LookUp(tuple(chunk))
                chunk, size = [], 0
            chunk.append(name)
            size += length
        yield LookUp(tuple(chunk))


def place_in_collection(bulk: Bulk, collection: str, known: KnownAssets) -> tuple[Bulk, ...]:
    """Return the request for new assets, with the collection, then that for existing ones, which may refer to them."""
    new = [entity for entity in bulk.entities if name_of(entity) not in known]
    of_new, of_existing = split_off(bulk, new)
    parts = (Bulk(of_new, collection), Bulk(of_existing))
    return tuple(part for part in parts if part.entities)


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
        self.total = sum(len(request.entities) if isinstance(request, Bulk) else 1 for request in self.requests)
        self._remaining: deque[Request] = deque()
        self._unplaced: Bulk | None = None
        self._refusals = 0
        for request in self.requests:
            self._remaining += self._first_requests(request)

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
                self.unmentioned += missing_in_answer(answer, entities)
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
            self.refused += [(name_of(entity), reason) for entity in unknown]
            return (left,) if left is not None else ()
        parts = divide(bulk, answer) if self._refusals < MAX_REFUSALS else ()
        if not parts:
            self.refused += [(name_of(entity), reason) for entity in bulk.entities]
        return parts

    def _first_requests(self, request: Request) -> tuple[Request, ...]:
        if not isinstance(request, Bulk):
            return (request,)
        if self.collection is None:
            return divide_to_limit(request)
        self._unplaced = request
        queries = tuple(look_ups(request, self.known))
        return queries or self._place_waiting()

    def _after_look_up(self) -> None:
        """Add the requests for the entities once all of them are looked up."""
        if not self._remaining or not isinstance(self._remaining[0], LookUp):
            self._remaining.extendleft(reversed(self._place_waiting()))

    def _place_waiting(self) -> tuple[Bulk, ...]:
        bulk, self._unplaced = self._unplaced, None
        if bulk is None or self.collection is None:
            return ()
        return tuple(
            part for each in place_in_collection(bulk, self.collection, self.known) for part in divide_to_limit(each)
        )
