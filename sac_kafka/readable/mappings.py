"""Columns out of the attribute `columnMapping` that processes have in Purview."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.readable.names import plain, without_namespace
from sac_kafka.readable.told import ColumnFlow, ToldColumn

_ANY = "*"
_MARK = "#"


def mapped_columns(process: AtlasEntity) -> tuple[tuple[ColumnFlow, ...], tuple[ColumnFlow, ...]]:
    """The columns that come from others, and those that come from none.

    Raises:
        ValueError: The attribute is no JSON, or a list of something else.
    """
    sources: dict[ToldColumn, list[ToldColumn]] = {}
    try:
        for output, source in _pairs(json.loads(str(process.attributes.get("columnMapping") or "[]"))):
            found = sources.setdefault(output, [])
            found.extend([source] if source is not None else [])
    except (KeyError, TypeError, AttributeError, RecursionError) as e:
        raise ValueError(f"columnMapping is no list of mappings: {type(e).__name__}") from None
    told = tuple(ColumnFlow(output, tuple(of)) for output, of in sources.items())
    return tuple(each for each in told if each.sources), tuple(each for each in told if not each.sources)


def _pairs(told: list[dict[str, object]]) -> Iterator[tuple[ToldColumn, ToldColumn | None]]:
    for each in told:
        between = each["DatasetMapping"]
        for pair in each["ColumnMapping"]:  # type: ignore[attr-defined] # what is no list is a TypeError
            source, output = (_column(between[end], pair[end]) for end in ("Source", "Sink"))  # type: ignore[index]
            yield output, None if _ANY in (plain(source.dataset), source.name) else source


def _column(dataset: object, name: object) -> ToldColumn:
    if not isinstance(dataset, str) or not isinstance(name, str):
        raise TypeError("a name that is no text")
    return ToldColumn(without_namespace(dataset), name, _MARK)
