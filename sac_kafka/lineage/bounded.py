"""A memory with a bound: what an application may make without end is remembered only so far."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Bounded(OrderedDict[K, V]):
    """The last `most` entries that were put in, in that order; for one too many the oldest is forgotten.

    `forgotten` is called with what was forgotten so, by then no longer there; not with what is taken out.
    """

    __slots__ = ("_forgotten", "_most")

    def __init__(self, most: int, forgotten: Callable[[K, V], None] | None = None) -> None:
        super().__init__()
        self._most = most
        self._forgotten = forgotten

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            oldest = self.popitem(last=False)
            if self._forgotten is not None:
                self._forgotten(*oldest)
