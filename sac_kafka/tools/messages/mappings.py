"""Parse the column lineage (`columnMapping`) and the job of processes in Purview."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.tools.messages.entities import ends
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn
from sac_kafka.tools.messages.names import asset_name, strip_namespace, with_empty_namespace

_ANY = "*"
_MARK = "#"
_NAMED = re.compile(r"(?:\Aspark://[^/]+|/applications|/spark)/([^/]+)/(?:processes|streams)/")
"""qualifiedName of a process without an owner; it contains the job (see `purview.flows.chain`)."""
OWNERS = ("task", "job")
"""References from a process of Databricks to its owners, the next one first."""


def mapped_columns(process: AtlasEntity) -> tuple[tuple[ColumnFlow, ...], tuple[ColumnFlow, ...]]:
    """Return the columns with source columns, and those without.

    Raises:
        ValueError: The attribute is not JSON, or not a list of mappings.
    """
    sources: dict[LineageColumn, list[LineageColumn]] = {}
    names = {each.qualified_name: asset_name(each) for side in process.sides.values() for each in side}
    try:
        for output, source in _pairs(json.loads(str(process.attributes.get("columnMapping") or "[]")), names):
            found = sources.setdefault(output, [])
            found.extend([source] if source is not None else [])
    except (KeyError, TypeError, AttributeError, RecursionError) as e:
        raise ValueError(f"columnMapping is not a list of mappings: {type(e).__name__}") from None
    flows = tuple(ColumnFlow(output, tuple(found)) for output, found in sources.items())
    return tuple(flow for flow in flows if flow.sources), tuple(flow for flow in flows if not flow.sources)


def _pairs(
    mappings: list[dict[str, object]], names: Mapping[str, str]
) -> Iterator[tuple[LineageColumn, LineageColumn | None]]:
    for mapping in mappings:
        between = mapping["DatasetMapping"]
        for pair in mapping["ColumnMapping"]:  # type: ignore[attr-defined] # not iterable: a TypeError, which is handled
            source, output = (_column(between[end], pair[end], names) for end in ("Source", "Sink"))  # type: ignore[index]
            yield output, None if _ANY in (strip_namespace(source.dataset), source.name) else source


def _column(dataset: object, name: object, names: Mapping[str, str]) -> LineageColumn:
    if not isinstance(dataset, str) or not isinstance(name, str):
        raise TypeError("a name that is not text")
    return LineageColumn(names.get(dataset) or with_empty_namespace(dataset), name, _MARK)


def job_of(process: AtlasEntity, entities: tuple[AtlasEntity, ...]) -> str:
    """Return the job of a process; "" if it has none, as the definition of a view.

    `entities` are those of its message, which contains Databricks' task and job, too.
    """
    job_name = process.attributes.get("jobName")
    if job_name:
        return str(job_name)
    by_id = {entity.id: entity for entity in entities}
    owner = process
    for role in OWNERS:
        owner = next((by_id[id_] for id_ in ends(owner, role) if id_ in by_id), owner)
    if owner is not process:
        return str(owner.attributes.get("name") or "")
    named = _NAMED.search(process.id.qualified_name)
    return unquote(named[1]) if named else ""
