"""Build the attribute `columnMapping` of a process, which maps the columns of one asset to those of another.

The value is a JSON list with one element per pair of input and output. Purview does not support expressions and matches
columns by name. A property holds at most 32 KB; longer mappings are split over several processes.

Source: Purview's lineage user guide and REST samples (learn.microsoft.com); processes of Data Factory for `*`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

from sac_kafka.model import APPENDED, Extent, Process
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.dataset_assets import DatasetAssets

ANY = "*"
"""Source of values that come from no input, such as constants and the current time."""
NAME = "columnMapping"
PROPERTY_BYTES = 32_000
"""Maximum bytes of a property including its name: 32 KB, by Purview's quotas."""
_ROOM = PROPERTY_BYTES - len(NAME)

_Item = TypeVar("_Item")
Pair = tuple[str, str]
"""Names of a source column and its target column."""
MAX_PARTS_SENT = 100
"""Parts of an output whose mappings are kept apart per flow; beyond it none is known to be replaced alone."""
MAX_PAIRS = 50_000
"""Maximum number of column pairs stored for all flows, about 10 MB; a flow without pairs counts as one."""


@dataclass(frozen=True, slots=True)
class DatasetMapping:
    """Column pairs between two assets; `source` is None for values that come from no asset."""

    source: Asset | None
    sink: Asset
    pairs: tuple[Pair, ...]


def mappings(
    process: Process, inputs: Mapping[str, DatasetAssets], outputs: Mapping[str, DatasetAssets], *, with_influence: bool
) -> Iterator[DatasetMapping]:
    """Yield the column mapping of a process, to be merged; `with_influence` includes columns that only influence a column."""
    for column in process.columns:
        target = outputs.get(column.dataset)
        if target is None:
            continue
        used = column.sources if with_influence else column.values
        sources = dict.fromkeys((use.dataset, use.column) for use in used)
        for key, name in sources:
            for source, sink in _asset_pairs(inputs.get(key), target):
                yield DatasetMapping(source, sink, ((name, column.column),))
        if not sources:
            for sink in target.assets:
                yield DatasetMapping(None, sink, ((ANY, column.column),))


def merge(mapping: Iterable[DatasetMapping]) -> tuple[DatasetMapping, ...]:
    """Merge mappings to one element per source and sink, without duplicate pairs, sorted by sink and source."""
    found: dict[tuple[str, str], tuple[Asset | None, Asset, dict[Pair, None]]] = {}
    for element in mapping:
        key = (element.sink.qualified_name, element.source.qualified_name if element.source is not None else "")
        found.setdefault(key, (element.source, element.sink, {}))[2].update(dict.fromkeys(element.pairs))
    return tuple(
        DatasetMapping(source, sink, tuple(pairs)) for _, (source, sink, pairs) in sorted(found.items(), key=_by_name)
    )


def _by_name(item: tuple[tuple[str, str], object]) -> tuple[str, bool, str]:
    """Return the sort key of an element; elements without a source asset come last."""
    (sink, source), _ = item
    return sink, not source, source


def _asset_pairs(source: DatasetAssets | None, target: DatasetAssets) -> Iterator[tuple[Asset, Asset]]:
    """Yield the pairs of assets to connect; if both sides have a table and a location, each with its counterpart."""
    if source is None:
        return
    if source.asset and source.location and target.asset and target.location:
        yield source.asset, target.asset
        yield source.location, target.location
        return
    for asset in source.assets:
        for sink in target.assets:
            yield asset, sink


def text(mapping: Iterable[DatasetMapping]) -> str:
    """Return the value of the attribute."""
    return json.dumps([_element(element) for element in mapping], ensure_ascii=False, separators=(",", ":"))


def _size(mapping: Iterable[DatasetMapping]) -> int:
    # surrogatepass: Java strings may contain unpaired surrogates, which must not raise an error.
    return len(text(mapping).encode("utf-8", "surrogatepass"))


def _element(mapping: DatasetMapping) -> dict[str, object]:
    return {
        "DatasetMapping": {
            "Source": mapping.source.qualified_name if mapping.source is not None else ANY,
            "Sink": mapping.sink.qualified_name,
        },
        "ColumnMapping": [{"Source": source, "Sink": sink} for source, sink in mapping.pairs],
    }


def parts(mapping: Sequence[DatasetMapping]) -> tuple[tuple[DatasetMapping, ...], ...]:
    """Split a mapping into parts that fit into a property; deterministic, and a single part if possible."""
    if not mapping or _size(mapping) <= _ROOM:
        return (tuple(mapping),)
    return tuple(map(tuple, pack(_divide(mapping), lambda each: _size((each,)) - 1, _ROOM - 2)))


def pack(items: Iterable[_Item], size: Callable[[_Item], int], room: int) -> list[list[_Item]]:
    """Group items in order so that the sizes in a group add up to at most `room`; at least one group, one item may exceed it."""
    groups: list[list[_Item]] = [[]]
    left = room
    for item in items:
        needed = size(item)
        if groups[-1] and needed > left:
            groups.append([])
            left = room
        groups[-1].append(item)
        left -= needed
    return groups


def _divide(mapping: Iterable[DatasetMapping]) -> Iterator[DatasetMapping]:
    """Yield elements that each fit into a property; pairs that do not fit by themselves are dropped."""
    for element in mapping:
        if _size((element,)) <= _ROOM:
            yield element
            continue
        bare = replace(element, pairs=())
        around = _size((bare,))
        sizes = {pair: _size((replace(bare, pairs=(pair,)),)) - around + 1 for pair in element.pairs}
        fitting = (pair for pair in element.pairs if sizes[pair] <= _ROOM - around)
        yield from (
            replace(bare, pairs=tuple(pairs)) for pairs in pack(fitting, sizes.__getitem__, _ROOM - around) if pairs
        )


class SentMappings:
    """Column mappings already sent by this application, by flow; the least recently used flows are evicted."""

    def __init__(self, max_pairs: int = MAX_PAIRS) -> None:
        self._max_pairs = max_pairs
        self._sent: dict[Hashable, dict[str, tuple[DatasetMapping, ...]]] = {}  # by flow and part of its output
        self._pairs = 0

    def __len__(self) -> int:
        """Return the number of stored flows."""
        return len(self._sent)

    def with_earlier(
        self, flow: Hashable, mapping: Sequence[DatasetMapping], *, replaces: bool, extent: Extent = APPENDED
    ) -> tuple[DatasetMapping, ...]:
        """Return the mapping of a statement, merged with those sent for the flow before.

        Omitted are those whose rows it has replaced: all if it `replaces` the output, else those of a replaced part.
        """
        earlier = self._sent.pop(flow, {})
        self._pairs -= _pairs_in(earlier)
        parts = {} if replaces else earlier
        before = () if extent.is_replaced else parts.get(extent.part, ())
        parts = {**parts, extent.part: merge((*before, *mapping)) if before else tuple(mapping)}
        if len(parts) > MAX_PARTS_SENT:
            parts = {ANY: merge(chain.from_iterable(parts.values()))}
        self._sent[flow] = parts
        self._pairs += _pairs_in(parts)
        while self._pairs > self._max_pairs:
            self._pairs -= _pairs_in(self._sent.pop(next(iter(self._sent))))
        return (
            parts[extent.part]
            if len(parts) == 1 and extent.part in parts
            else merge(chain.from_iterable(parts.values()))
        )


def _pairs_in(parts: Mapping[str, Sequence[DatasetMapping]]) -> int:
    return sum(len(element.pairs) for mapping in parts.values() for element in mapping) or len(parts)
