"""Datasets and columns as people name them: in full, or by the end of the name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from sac_kafka.readable.told import ToldColumn

MARKS = (".", "/", ":", "#")
"""What stands before the end of a name that is enough: of `hdfs://nn/data/orders` `data/orders` and `orders`."""
_MOST_NEAR = 3
_LONGEST = 120
"""Characters of a name that is compared with others letter by letter: that takes the square of its length."""
_MOST_COMPARED = 300
_ALIKE = 0.7
"""Of 1: what difflib says of names that a slip of the hand made different, at least."""
_ENDS = re.compile(r"[./:#]")

Thing = TypeVar("Thing")


def dataset_names(dataset: str) -> tuple[str, ...]:
    """Give how a dataset may be named."""
    return (dataset,)


def column_names(column: ToldColumn) -> tuple[str, ...]:
    """Give how a column may be named: behind a dot or `#`, whatever its dataset is."""
    return (f"{column.dataset}.{column.name}", f"{column.dataset}#{column.name}")


def meant_by(asked: str, things: Iterable[Thing], names: Callable[[Thing], Sequence[str]]) -> tuple[Thing, ...]:
    """Give the things that a person may mean: those of exactly that name, else those whose names end so.

    Upper and lower case count, unless there is nothing otherwise.

    Args:
        asked: What the person has written.
        things: Those that there are.
        names: Gives how a thing may be named.
    """
    there = [(each, tuple(names(each))) for each in things]
    if not asked:
        return ()
    for form in (str, str.casefold):
        wanted = form(asked)
        ends = tuple(f"{mark}{wanted}" for mark in MARKS)
        exact = tuple(each for each, own in there if any(form(name) == wanted for name in own))
        ending = tuple(each for each, own in there if any(form(name).endswith(ends) for name in own))
        if exact or ending:
            return exact or ending
    return ()


def near(asked: str, names: Iterable[str]) -> tuple[str, ...]:
    """Give at most three names that a person may have meant: with the same last part, else spelt alike.

    >>> near("sales.order", ["sales.orders", "hr.people", "file:/data/sales"])
    ('sales.orders',)
    """
    there = list(dict.fromkeys(names))
    same = [each for each in there if _last(each).casefold() == _last(asked).casefold()]
    if same:
        return tuple(sorted(same)[:_MOST_NEAR])
    compared = [each for each in there if len(each) <= _LONGEST][:_MOST_COMPARED]
    last = {_last(each): each for each in reversed(compared)}
    short = asked[-_LONGEST:]
    found = get_close_matches(short, compared, _MOST_NEAR, _ALIKE) or get_close_matches(
        _last(short), last, _MOST_NEAR, _ALIKE
    )
    return tuple(dict.fromkeys(last.get(each, each) for each in found))


def _last(name: str) -> str:
    return _ENDS.split(name.rstrip("/"))[-1]
