"""Keep what is computed again and again, for a process that describes the same flows all day."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
V_co = TypeVar("V_co", covariant=True)

MAX_SIZE = 50_000
"""Default limit of the sizes of all results together, such as their entities."""


class HashedTuple(tuple[V_co, ...]):
    """A tuple whose hash is computed once, because it is part of the keys of several caches."""

    _hash: int

    def __hash__(self) -> int:
        """Return the hash of the tuple."""
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash


class Same:
    """A part of a key that stands for one object, without comparing what it contains."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __hash__(self) -> int:
        return id(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._value is other._value


class _Key:
    """The key of a result, whose hash is computed once."""

    __slots__ = ("_hash", "_value")

    def __init__(self, value: Hashable) -> None:
        self._value = value
        self._hash = hash(value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._value == other._value


class Cache:
    """Results of pure functions by their arguments; those that were used least recently are forgotten.

    Args:
        max_size: Limit of the sizes of all results together, in the unit that the callers of `get` measure them in.
    """

    def __init__(self, max_size: int = MAX_SIZE) -> None:
        self._max_size = max_size
        self._size = 0
        self._kept: OrderedDict[_Key, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return the result for a key, made if it is not kept; one that is too large is not kept."""
        hashed = _Key(key)
        known = self._kept.get(hashed)
        if known is not None:
            self._kept.move_to_end(hashed)
            result: T = known[0]
            return result
        result = make()
        if (added := size(result)) <= self._max_size:
            self._kept[hashed] = result, added
            self._size += added
            while self._size > self._max_size:
                _, (_, gone) = self._kept.popitem(last=False)
                self._size -= gone
        return result
