"""Look up datasets and columns by a name that a person typed: the full name, or its last parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TypeVar

from sac_kafka.errors import SacKafkaError
from sac_kafka.tools.graph.drawing import writable
from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.graph.impact import Place
from sac_kafka.tools.messages.model import LineageColumn
from sac_kafka.tools.messages.names import namespace_of, strip_namespace

NAME_SEPARATORS = (".", "/", ":", "#")
"""Separators before the end of a name that is enough to match: `data/orders` and `orders` match `hdfs://nn/data/orders`."""
_MAX_SUGGESTIONS = 3
_MAX_COMPARED_LENGTH = 120
"""Longest name, in characters, that is compared by similarity: difflib is quadratic in the length."""
_MAX_COMPARED = 300
_MIN_SIMILARITY = 0.7
"""Lowest difflib ratio (0 to 1) of a name that counts as a misspelling."""
_MAX_CANDIDATES = 5
_SEPARATOR = re.compile(r"[./:#]")

Candidate = TypeVar("Candidate")


def dataset_names(dataset: str) -> tuple[str, ...]:
    """Return the names by which a dataset may be called; the trailing slash of directories in object stores is optional.

    >>> dataset_names("s3a://lake/orders/"), dataset_names("sales.orders")
    (('s3a://lake/orders/', 's3a://lake/orders'), ('sales.orders',))
    """
    return (dataset, bare) if (bare := dataset.rstrip("/")) not in ("", dataset) else (dataset,)


def column_names(column: LineageColumn, full_name: str = "") -> tuple[str, ...]:
    """Return the names by which a column may be called: after a dot or `#`, whatever its dataset is.

    With the full name of its dataset also without the namespace, and as the column's qualifiedName, where the namespace is last.
    """
    short, namespace = strip_namespace(full_name), namespace_of(full_name)
    ends = [(column.dataset, "")] + [(full_name, ""), (short, ""), (short, f"@{namespace}")] * bool(namespace)
    return tuple(
        f"{name}{mark}{column.name}{end}"
        for dataset, end in dict.fromkeys(ends)
        for name in dataset_names(dataset)
        for mark in dict.fromkeys((column.mark, ".", "#"))
    )


def matches(
    name: str, items: Iterable[Candidate], names: Callable[[Candidate], Sequence[str]]
) -> tuple[Candidate, ...]:
    """Return the items with exactly this name, else those whose name ends with it after a separator.

    The comparison is case-sensitive; if nothing matches, it is repeated without case.
    """
    named = [(item, tuple(names(item))) for item in items]
    if not name:
        return ()
    for form in (str, str.casefold):
        wanted = form(name)
        ends = tuple(f"{mark}{wanted}" for mark in NAME_SEPARATORS)
        exact = tuple(each for each, own in named if any(form(one) == wanted for one in own))
        ending = tuple(each for each, own in named if any(form(one).endswith(ends) for one in own))
        if exact or ending:
            return exact or ending
    return ()


def similar_names(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to three suggestions for a name that matches nothing: the same last part, else a similar spelling.

    >>> similar_names("sales.order", ["sales.orders", "hr.people", "file:/data/sales"])
    ('sales.orders',)
    """
    known = list(dict.fromkeys(names))
    wanted = _last_part(name).casefold()
    same = [each for each in known if _last_part(each).casefold() == wanted]
    if same:
        return tuple(sorted(same)[:_MAX_SUGGESTIONS])
    compared = [each for each in known if len(each) <= _MAX_COMPARED_LENGTH][:_MAX_COMPARED]
    by_last_part = {_last_part(each): each for each in reversed(compared)}
    short = name[-_MAX_COMPARED_LENGTH:]
    found = get_close_matches(short, compared, _MAX_SUGGESTIONS, _MIN_SIMILARITY) or get_close_matches(
        _last_part(short), by_last_part, _MAX_SUGGESTIONS, _MIN_SIMILARITY
    )
    return tuple(dict.fromkeys(by_last_part.get(each, each) for each in found))


def find_place(graph: LineageGraph, name: str) -> Place:
    """Return the dataset or the column of a labelled graph that a name refers to; an exact dataset name wins.

    Raises:
        SacKafkaError: The name matches nothing, or several places.
    """
    if name in graph.datasets:
        return name
    places: list[Place] = [*graph.datasets, *graph.columns()]
    return find_one(
        name, places, partial(_place_names, graph), name, "no dataset or column has this name or ends with it"
    )


def find_dataset(graph: LineageGraph, name: str, prefix: str) -> str:
    """Return the name of the dataset of a labelled graph that a name refers to; `prefix` begins the error text.

    Raises:
        SacKafkaError: The name matches no dataset, or several.
    """
    if name in graph.datasets:
        return name
    names = partial(_place_names, graph)
    return find_one(name, tuple(graph.datasets), names, prefix, "no dataset has this name or ends with it")


def find_one(
    name: str, items: Collection[Candidate], names: Callable[[Candidate], Sequence[str]], prefix: str, not_found: str
) -> Candidate:
    """Return the only item that a name refers to.

    `prefix` and `not_found` begin and end the error text; the first name of an item is its display name.

    Raises:
        SacKafkaError: The name matches nothing, or several items.
    """
    found = matches(name, items, names)
    if len(found) == 1:
        return found[0]
    if not found:
        similar = similar_names(name, (names(item)[0] for item in items))
        hint = f"; did you mean {_list_names(similar)}?" if similar else ""
        raise SacKafkaError(f"{prefix}: {not_found}{hint}")
    candidates = sorted(names(each)[0] for each in found)
    more = len(candidates) - _MAX_CANDIDATES
    raise SacKafkaError(
        f"{prefix}: matches {len(candidates)} names, give one in full: {_list_names(candidates[:_MAX_CANDIDATES])}"
        f"{f' and {more} more' if more > 0 else ''}"
    )


def _last_part(name: str) -> str:
    return _SEPARATOR.split(name.rstrip("/"))[-1]


def _place_names(graph: LineageGraph, place: Place) -> Sequence[str]:
    """Return the display name of a place, then its names with and without the namespace."""
    node = graph.datasets.get(place if isinstance(place, str) else place.dataset)
    full_name = node.full_name if node else ""
    if isinstance(place, str):
        names = (place, strip_namespace(full_name), full_name) if full_name else (place,)
        return tuple(dict.fromkeys(form for name in names for form in dataset_names(name)))
    return tuple(dict.fromkeys((str(place), *column_names(place, full_name))))


def _list_names(names: Sequence[str]) -> str:
    return writable(", ".join(names), None)
