"""Datasets and columns that a command is asked about: the one that is meant, or which ones could be."""

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


def place_of(graph: LineageGraph, asked: str) -> Place:
    """Give the dataset or the column of a graph as people are shown it; a dataset of exactly that name comes first.

    Raises:
        SacKafkaError: There is none, or it could be several.
    """
    if asked in graph.datasets:
        return asked
    places: list[Place] = [*graph.datasets, *graph.columns()]
    return the_one(asked, places, partial(_names, graph), asked, "no dataset or column is called so, or ends so")


def the_one(
    asked: str, things: Collection[Thing], names: Callable[[Thing], Sequence[str]], said: str, none: str
) -> Thing:
    """Give the one of the things that is meant.

    Args:
        asked: What the person has written.
        things: Those that there are.
        names: Gives how a thing may be named, the usual way first.
        said: What an error begins with.
        none: What to say where nothing is meant.

    Raises:
        SacKafkaError: There is none, or it could be several.
    """
    found = meant_by(asked, things, names)
    if len(found) == 1:
        return found[0]
    if not found:
        there = near(asked, (names(each)[0] for each in things))
        raise SacKafkaError(f"{said}: {none}{f'; there is {_listed(there)}' if there else ''}")
    candidates = sorted(names(each)[0] for each in found)
    more = len(candidates) - _MAX_CANDIDATES
    raise SacKafkaError(
        f"{said}: that could be {len(candidates)}, name one in full: {_listed(candidates[:_MAX_CANDIDATES])}"
        f"{f' and {more} more' if more > 0 else ''}"
    )


def _names(graph: LineageGraph, place: Place) -> Sequence[str]:
    """What it is shown as, and how it may be named besides: in full as Atlas has it, and without the namespace."""
    node = graph.datasets.get(place if isinstance(place, str) else place.dataset)
    full_name = node.full_name if node else ""
    if isinstance(place, str):
        names = (place, plain(full_name), full_name) if full_name else (place,)
        return tuple(dict.fromkeys(form for name in names for form in dataset_names(name)))
    return tuple(dict.fromkeys((str(place), *column_names(place, full_name))))


def _listed(names: Sequence[str]) -> str:
    return writable(", ".join(names), None)
