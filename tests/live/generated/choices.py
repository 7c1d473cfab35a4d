"""Decisions that a generator takes one after the other: from a seed, or from a list that a shrinker has changed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """A stream of decisions; `made` are those that were taken. 0 is the simplest answer to every question.

    Where `given` are at an end every further decision is 0, so that a generator always comes to an end.
    """

    def __init__(self, seed: int | None = None, given: Sequence[int] = ()) -> None:
        self._random = None if seed is None else random.Random(seed)
        self._given = given
        self.made: list[int] = []

    def below(self, n: int) -> int:
        i = len(self.made)
        made = self._random.randrange(n) if self._random else self._given[i] % n if i < len(self._given) else 0
        self.made.append(made)
        return made

    def one_of(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def once_in(self, n: int) -> bool:
        return self.below(n) == n - 1


def shrunk(made: Sequence[int], still_fails: Callable[[Sequence[int]], bool], attempts: int) -> list[int]:
    """Fewer and smaller decisions that still fail, found in at most so many attempts."""
    best, left = list(made), attempts
    is_smaller = True
    while is_smaller and left:
        is_smaller = False
        for candidate in _smaller(best):
            if not left:
                break
            left -= 1
            if still_fails(candidate):
                best, is_smaller = candidate, True
                break
    return best


def _smaller(made: Sequence[int]) -> Iterator[list[int]]:
    """Omit parts, large ones first; then parts that are all zeros; then single zeros."""
    size = len(made)
    while size:
        for start in range(0, len(made), size):
            yield [*made[:start], *made[start + size :]]
            if any(made[start : start + size]):
                yield [*made[:start], *([0] * len(made[start : start + size])), *made[start + size :]]
        size //= 2
