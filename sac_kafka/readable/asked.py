"""Datasets and columns as people name them: in full, or by the end of the name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from sac_kafka.readable.names import namespace_of, plain
from sac_kafka.readable.told import ToldColumn

MARKS = (".", "/", ":", "#")
"""What stands before the end of a name that is enough: of `hdfs://nn/data/orders` `data/orders` and `orders`."""
_MAX_NEAR = 3
_LONGEST = 120
"""Characters of a name that is compared with others letter by letter: that takes the square of its length."""
_MAX_COMPARED = 300
_ALIKE = 0.7
"""Of 1: what difflib says of names that a slip of the hand made different, at least."""
_ENDS = re.compile(r"[./:#]")

Thing = TypeVar("Thing")


def dataset_names(dataset: str) -> tuple[str, ...]:
    """Give how a dataset may be named: Atlas ends the names of folders in some stores with a slash, nobody has to.

    >>> dataset_names("s3a://lake/orders/"), dataset_names("sales.orders")
    (('s3a://lake/orders/', 's3a://lake/orders'), ('sales.orders',))
    """
    return (dataset, bare) if (bare := dataset.rstrip("/")) not in ("", dataset) else (dataset,)


def column_names(column: ToldColumn, full_name: str = "") -> tuple[str, ...]:
    """Give how a column may be named: behind a dot or `#`, whatever its dataset is.

    With `full_name`, that of its dataset, also without the namespace, and in full as Atlas has it: the namespace is at the end.
    """
    short, namespace = plain(full_name), namespace_of(full_name)
    ends = [(column.dataset, "")] + [(full_name, ""), (short, ""), (short, f"@{namespace}")] * bool(namespace)
    return tuple(
        f"{name}{mark}{column.name}{end}"
        for dataset, end in dict.fromkeys(ends)
        for name in dataset_names(dataset)
        for mark in ".#"
    )


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
    wanted = _last(asked).casefold()
    same = [each for each in there if _last(each).casefold() == wanted]
    if same:
        return tuple(sorted(same)[:_MAX_NEAR])
    compared = [each for each in there if len(each) <= _LONGEST][:_MAX_COMPARED]
    last = {_last(each): each for each in reversed(compared)}
    short = asked[-_LONGEST:]
    found = get_close_matches(short, compared, _MAX_NEAR, _ALIKE) or get_close_matches(
        _last(short), last, _MAX_NEAR, _ALIKE
    )
    return tuple(dict.fromkeys(last.get(each, each) for each in found))


def _last(name: str) -> str:
    return _ENDS.split(name.rstrip("/"))[-1]
