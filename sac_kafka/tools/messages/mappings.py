"""Parse column lineage from the attribute `columnMapping` of processes in Purview."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn
from sac_kafka.tools.messages.names import strip_namespace, with_empty_namespace

_ANY = "*"
_MARK = "#"


def mapped_columns(process: AtlasEntity) -> tuple[tuple[ColumnFlow, ...], tuple[ColumnFlow, ...]]:
    """Return the columns with source columns, and those without.

    Raises:
        ValueError: The attribute is not JSON, or not a list of mappings.
    """
    sources: dict[LineageColumn, list[LineageColumn]] = {}
    try:
        for output, source in _pairs(json.loads(str(process.attributes.get("columnMapping") or "[]"))):
            found = sources.setdefault(output, [])
            found.extend([source] if source is not None else [])
    except (KeyError, TypeError, AttributeError, RecursionError) as e:
        raise ValueError(f"columnMapping is not a list of mappings: {type(e).__name__}") from None
    flows = tuple(ColumnFlow(output, tuple(found)) for output, found in sources.items())
    return tuple(each for each in flows if each.sources), tuple(each for each in flows if not each.sources)


def _pairs(mappings: list[dict[str, object]]) -> Iterator[tuple[LineageColumn, LineageColumn | None]]:
    for each in mappings:
        between = each["DatasetMapping"]
        for pair in each["ColumnMapping"]:  # type: ignore[attr-defined] # not iterable: a TypeError, which is handled
            source, output = (_column(between[end], pair[end]) for end in ("Source", "Sink"))  # type: ignore[index]
            yield output, None if _ANY in (strip_namespace(source.dataset), source.name) else source


def _column(dataset: object, name: object) -> LineageColumn:
    if not isinstance(dataset, str) or not isinstance(name, str):
        raise TypeError("a name that is not text")
    return LineageColumn(with_empty_namespace(dataset), name, _MARK)
