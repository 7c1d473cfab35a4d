"""What goes into the collection that is set: new assets alone.

A collection in a request moves what is there already, scanned assets among them. So it is asked first what is there, once
for each asset, and that is sent without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from sac_kafka.transport.data_map.dividing import parted
from sac_kafka.transport.data_map.requests import Bulk, EntityName, LookUp, name_of

MAX_KNOWN = 50_000
_LONGEST_QUERY = 4_000  # gateways refuse long addresses; names may be long
_MAX_NAMES = 50


class Known:
    """Names of assets that are there, the latest of them."""

    def __init__(self, most: int = MAX_KNOWN) -> None:
        self._most = most
        self._names: dict[EntityName, None] = {}

    def __contains__(self, name: EntityName) -> bool:
        """Say whether it is known to be there."""
        return name in self._names

    def add(self, names: Iterable[EntityName]) -> None:
        """These are there."""
        self._names.update(dict.fromkeys(names))
        while len(self._names) > self._most:
            del self._names[next(iter(self._names))]

    def forget(self, name: EntityName) -> None:
        """It is gone."""
        self._names.pop(name, None)


def look_ups(bulk: Bulk, known: Known) -> Iterator[LookUp]:
    """Give the requests that tell which assets of this one are there."""
    names = {name_of(each) for each in bulk.entities}
    unknown = sorted((each for each in names if each.qualified_name and each not in known), key=str)
    for _, of_type in groupby(unknown, key=lambda name: name.type_name):
        chunk: list[EntityName] = []
        size = 0
        for name in of_type:
            length = 30 + 3 * len(name.qualified_name.encode())  # as it is written in an address, at most
            if chunk and (size + length > _LONGEST_QUERY or len(chunk) == _MAX_NAMES):
                yield LookUp(tuple(chunk))
                chunk, size = [], 0
            chunk.append(name)
            size += length
        yield LookUp(tuple(chunk))


def placed(bulk: Bulk, collection: str, known: Known) -> tuple[Bulk, ...]:
    """Give the request for what is new, with the collection, and then that for what is there, which may refer to it."""
    new = [each for each in bulk.entities if name_of(each) not in known]
    of_new, of_there = parted(bulk, new)
    parts = (Bulk(of_new, collection), Bulk(of_there))
    return tuple(each for each in parts if each.entities)
