"""Provide a mapping with a maximum size, for state that would otherwise grow with the life of an application."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Bounded(OrderedDict[K, V]):
    """Mapping of the `max_size` entries that were set last, in that order: one more evicts the oldest.

    `on_evicted` is called with the key and value of an evicted entry after its removal; not for entries that are popped.
    """

    __slots__ = ("_max_size", "_on_evicted")

    def __init__(self, max_size: int, on_evicted: Callable[[K, V], None] | None = None) -> None:
        super().__init__()
        self._max_size = max_size
        self._on_evicted = on_evicted

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._max_size:
            oldest = self.popitem(last=False)
            if self._on_evicted is not None:
                self._on_evicted(*oldest)
