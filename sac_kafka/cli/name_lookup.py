"""Resolve a name given on the command line to one dataset or column, or report the candidates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from sac_kafka.errors import SacKafkaError
from sac_kafka.readable.asked import Thing, column_names, dataset_names, meant_by, near
from sac_kafka.readable.drawing import writable
from sac_kafka.readable.graph import LineageGraph
from sac_kafka.readable.impact import Place
from sac_kafka.readable.names import plain

_MAX_CANDIDATES = 5


def find_place(graph: LineageGraph, asked: str) -> Place:
    """Return the dataset or column of a graph with this displayed name; a dataset with exactly this name wins.

    Raises:
        SacKafkaError: Nothing matches, or the name is ambiguous.
    """
    if asked in graph.datasets:
        return asked
    places: list[Place] = [*graph.datasets, *graph.columns()]
    return find_one(asked, places, partial(_names, graph), asked, "no dataset or column has this name or ends with it")


def find_one(
    asked: str, things: Collection[Thing], names: Callable[[Thing], Sequence[str]], subject: str, not_found: str
) -> Thing:
    """Return the one thing that a name refers to.

    Args:
        asked: The name as it was typed.
        things: The candidates.
        names: Returns the possible names of a candidate, its displayed name first.
        subject: The beginning of the error text.
        not_found: The error text if nothing matches.

    Raises:
        SacKafkaError: Nothing matches, or the name is ambiguous.
    """
    found = meant_by(asked, things, names)
    if len(found) == 1:
        return found[0]
    if not found:
        similar = near(asked, (names(each)[0] for each in things))
        raise SacKafkaError(f"{subject}: {not_found}{f'; did you mean {_listed(similar)}?' if similar else ''}")
    candidates = sorted(names(each)[0] for each in found)
    more = len(candidates) - _MAX_CANDIDATES
    raise SacKafkaError(
        f"{subject}: matches {len(candidates)} names, give one in full: {_listed(candidates[:_MAX_CANDIDATES])}"
        f"{f' and {more} more' if more > 0 else ''}"
    )


def _names(graph: LineageGraph, place: Place) -> Sequence[str]:
    """Return the displayed name of a place first, then its qualified name with and without the namespace."""
    node = graph.datasets.get(place if isinstance(place, str) else place.dataset)
    full_name = node.full_name if node else ""
    if isinstance(place, str):
        names = (place, plain(full_name), full_name) if full_name else (place,)
        return tuple(dict.fromkeys(form for name in names for form in dataset_names(name)))
    return tuple(dict.fromkeys((str(place), *column_names(place, full_name))))


def _listed(names: Sequence[str]) -> str:
    return writable(", ".join(names), None)
