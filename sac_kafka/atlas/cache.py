"""Keep entities that are built again and again, for a process that describes the same flows all day."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

MAX_ENTITIES = 50_000


class Cache:
    """Results of pure functions by their arguments; those that were used least recently are forgotten.

    Args:
        max_size: Limit of the sizes of all results together.
    """

    def __init__(self, max_size: int = MAX_ENTITIES) -> None:
        self._max_size = max_size
        self._size = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return the result for a key, made if it is not kept; one that is too large is not kept."""
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            result: T = known[0]
            return result
        result = make()
        if (added := size(result)) <= self._max_size:
            self._kept[key] = result, added
            self._size += added
            while self._size > self._max_size:
                _, (_, gone) = self._kept.popitem(last=False)
                self._size -= gone
        return result
