"""The attribute `columnMapping` of a process: which column of an asset became which of another, as Purview reads it.

A JSON text in an attribute, a list with an element for each pair of an input and an output. Purview knows no expressions
and finds columns by their names alone. A property holds 32 KB at most: what is longer is told by several processes.

Source: learn.microsoft.com, Purview's lineage user guide and REST samples; what Data Factory's own processes hold (`*`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.lineage.model import ColumnLineage, Process
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.used import Used

ANY = "*"
"""Stands for what no input holds: constants, the time of the run."""
NAME = "columnMapping"
PROPERTY_BYTES = 32_000
"""What a property of an asset may have, its name included: 32 KB, by Purview's quotas."""

Pair = tuple[str, str]
"""A source column, and the column that it flows into."""


@dataclass(frozen=True, slots=True)
class DatasetMapping:
    """The columns that flow from one asset to another; `source` is None for those that come from no asset."""

    source: Asset | None
    sink: Asset
    pairs: tuple[Pair, ...]


def mappings(
    process: Process, used: Mapping[str, Used], outputs: Mapping[str, Used], *, with_influence: bool
) -> tuple[DatasetMapping, ...]:
    """The column mapping of a process, sorted by sink and source as the inputs and outputs are.

    Args:
        process: The flow.
        used: The assets of its inputs by key.
        outputs: Those of its outputs.
        with_influence: What only influences a column flows into it, too.
    """
    return joined(_told(process, used, outputs, with_influence=with_influence))


def joined(told: Iterable[DatasetMapping]) -> tuple[DatasetMapping, ...]:
    """One element for each source and sink, each pair of columns once; sorted as the inputs and outputs are."""
    found: dict[tuple[str, str], tuple[Asset | None, Asset, dict[Pair, None]]] = {}
    for each in told:
        key = (each.sink.qualified_name, each.source.qualified_name if each.source is not None else "")
        found.setdefault(key, (each.source, each.sink, {}))[2].update(dict.fromkeys(each.pairs))
    return tuple(
        DatasetMapping(source, sink, tuple(pairs)) for _, (source, sink, pairs) in sorted(found.items(), key=_by_name)
    )


def _told(
    process: Process, used: Mapping[str, Used], outputs: Mapping[str, Used], *, with_influence: bool
) -> Iterator[DatasetMapping]:
    for column in process.columns:
        target = outputs.get(column.dataset)
        if target is None:
            continue
        sources = list(_sources(column, with_influence=with_influence))
        for key, name in sources:
            for source, sink in _ways(used.get(key), target):
                yield DatasetMapping(source, sink, ((name, column.column),))
        if not sources:
            for sink in target.assets:
                yield DatasetMapping(None, sink, ((ANY, column.column),))


def _by_name(item: tuple[tuple[str, str], object]) -> tuple[str, bool, str]:
    """What comes from no asset is told last."""
    (sink, source), _ = item
    return sink, not source, source


def _sources(column: ColumnLineage, *, with_influence: bool) -> Iterator[tuple[str, str]]:
    """Keys and names of the columns that are told as sources, each once."""
    told = column.sources if with_influence else column.values
    yield from dict.fromkeys((each.dataset, each.column) for each in told)


def _ways(source: Used | None, target: Used) -> Iterator[tuple[Asset, Asset]]:
    """From which assets to which: where both are a table and a place, from table to table and from place to place."""
    if source is None:
        return
    if source.asset and source.location and target.asset and target.location:
        yield source.asset, target.asset
        yield source.location, target.location
        return
    for each in source.assets:
        for sink in target.assets:
            yield each, sink


def text(told: Iterable[DatasetMapping]) -> str:
    """The value of the attribute."""
    return json.dumps([_element(each) for each in told], ensure_ascii=False, separators=(",", ":"))


def _size(told: Iterable[DatasetMapping]) -> int:
    return _bytes(text(told))


def _bytes(of: str) -> int:
    # surrogatepass: Java's strings may hold half a pair, and a name must never be the reason of an error.
    return len(of.encode("utf-8", "surrogatepass"))


def _element(told: DatasetMapping) -> dict[str, object]:
    return {
        "DatasetMapping": {
            "Source": told.source.qualified_name if told.source is not None else ANY,
            "Sink": told.sink.qualified_name,
        },
        "ColumnMapping": [{"Source": source, "Sink": sink} for source, sink in told.pairs],
    }


def parts(told: Sequence[DatasetMapping]) -> tuple[tuple[DatasetMapping, ...], ...]:
    """The mapping in parts that a property holds: one, where it fits; the same parts in every run."""
    if not told or _size(told) <= _ROOM:
        return (tuple(told),)
    result: list[tuple[DatasetMapping, ...]] = []
    open_part: list[DatasetMapping] = []
    left = _ROOM - 2
    for each in _divided(told):
        size = _size((each,)) - 1
        if open_part and size > left:
            result.append(tuple(open_part))
            open_part, left = [], _ROOM - 2
        open_part.append(each)
        left -= size
    result.append(tuple(open_part))
    return tuple(result)


def _divided(told: Iterable[DatasetMapping]) -> Iterator[DatasetMapping]:
    """Elements that each fit into a property; pairs of names that do not even fit alone are left out."""
    for each in told:
        if _size((each,)) <= _ROOM:
            yield each
            continue
        around = _size((DatasetMapping(each.source, each.sink, ()),))
        pairs: list[Pair] = []
        left = _ROOM - around
        for pair in each.pairs:
            size = _size((DatasetMapping(each.source, each.sink, (pair,)),)) - around + 1
            if pairs and size > left:
                yield DatasetMapping(each.source, each.sink, tuple(pairs))
                pairs, left = [], _ROOM - around
            if size <= left:
                pairs.append(pair)
                left -= size
        if pairs:
            yield DatasetMapping(each.source, each.sink, tuple(pairs))


_ROOM = PROPERTY_BYTES - len(NAME)
