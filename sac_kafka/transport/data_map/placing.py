"""Put new assets into the configured collection.

A collection in a request moves existing assets, scanned ones included. Each asset is therefore looked up once, and existing
ones are sent without a collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from sac_kafka.transport.data_map.dividing import parted
from sac_kafka.transport.data_map.requests import Bulk, EntityName, LookUp, name_of

MAX_KNOWN = 50_000
_MAX_QUERY_BYTES = 4_000  # Gateways reject long URLs, and names may be long.
_MAX_NAMES = 50


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
    names = {name_of(each) for each in bulk.entities}
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


def placed(bulk: Bulk, collection: str, known: KnownAssets) -> tuple[Bulk, ...]:
    """Return the request for new assets, with the collection, then that for existing ones, which may refer to them."""
    new = [each for each in bulk.entities if name_of(each) not in known]
    of_new, of_existing = parted(bulk, new)
    parts = (Bulk(of_new, collection), Bulk(of_existing))
    return tuple(each for each in parts if each.entities)
