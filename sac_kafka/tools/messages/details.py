"""Parse the attribute `details` of a process: run attributes, columns without sources, columns in row clauses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.atlas.flows.facts import Fact, custom_attributes
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.tools.messages.entities import ends, is_catalog, name_of
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn
from sac_kafka.tools.messages.names import namespace_of, parse_column, strip_namespace

_TRUNCATED = re.compile(r"\+\d+")
"""Last item of a truncated list: the number of items that are missing."""
_ROWS_BY = "rows_by_"
_OF_RUN = frozenset({"status", "lineage"})
"""Custom attributes of which every process of this hook has at least one."""


def run_facts(process: AtlasEntity) -> Mapping[str, str]:
    """Return the attributes of the last run: the custom attributes, or the same values from `details`.

    The V1 form has no custom attributes, and some servers drop them.
    """
    custom = process.custom_attributes
    if not _OF_RUN.isdisjoint(custom):
        return custom
    return {**custom_attributes({key: _fact(value) for key, value in _details(process).items()}), **custom}


def _fact(value: object) -> Fact:
    if isinstance(value, list):
        return tuple(map(str, value))
    if isinstance(value, dict):
        return {str(key): str(each) for key, each in value.items()}
    return value if isinstance(value, str | int | float) else None


def constant_columns(process: AtlasEntity) -> Iterator[ColumnFlow]:
    """Yield the columns without source columns, for every output."""
    listed = _listed(_details(process), "columns_without_sources")
    for output in ends(process, "outputs"):
        mark = "." if is_catalog(output) else "#"
        for each in listed:
            name, _, expression = each.partition(" = ")
            yield ColumnFlow(LineageColumn(name_of(output), name, mark), (), expression)


def decided_by(process: AtlasEntity) -> tuple[str, ...]:
    """Return the datasets from which values in the statement were read, without the namespace."""
    return tuple(_listed(_details(process), "decided_by"))


def row_columns(process: AtlasEntity) -> Iterator[tuple[str, LineageColumn]]:
    """Yield clause (`join`, `filter` …) and column for each column in a row clause.

    `details` names columns without the namespace. A name belongs to the longest input that is a prefix of it, under each
    namespace of that input; else it gets the namespace of the process.
    """
    details = _details(process)
    inputs = tuple(map(name_of, ends(process, "inputs")))
    namespace = namespace_of(name_of(process.id))
    for key in details:
        if key.startswith(_ROWS_BY):
            for name in _listed(details, key):
                mark = "#" if "#" in name else "."
                for column in _columns_of(inputs, name) or (parse_column(f"{name}@{namespace}", mark),):
                    yield key.removeprefix(_ROWS_BY), column


def _columns_of(datasets: Iterable[str], name: str) -> tuple[LineageColumn, ...]:
    short = {each: strip_namespace(each) for each in datasets}
    owners = [each for each in short if name.startswith((f"{short[each]}.", f"{short[each]}#"))]
    length = max((len(short[each]) for each in owners), default=0)
    return tuple(LineageColumn(each, name[length + 1 :], name[length]) for each in owners if len(short[each]) == length)


def _details(entity: AtlasEntity) -> Mapping[str, object]:
    try:
        details = json.loads(str(entity.attributes.get("details") or "{}"))
    except (ValueError, RecursionError):
        return {}
    return details if isinstance(details, dict) else {}


def _listed(details: Mapping[str, object], key: str) -> list[str]:
    """Return the items of a list as texts, without the number of missing ones at its end."""
    value = details.get(key, ())
    listed = list(map(str, value)) if isinstance(value, list) else []
    return listed[:-1] if listed and _TRUNCATED.fullmatch(listed[-1]) else listed
