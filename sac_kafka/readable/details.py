"""What the details of a process tell: of its run, of columns that come from no other, and of those that decide rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.atlas.flows.facts import Fact, custom_attributes
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.readable.entities import ends, is_catalog, name_of
from sac_kafka.readable.names import column_called, namespace_of, plain
from sac_kafka.readable.told import ColumnFlow, ToldColumn

_LEFT_OUT = re.compile(r"\+\d+")
"""What ends a list that is not whole."""
_ROWS_BY = "rows_by_"
_OF_RUN = frozenset({"status", "lineage"})
"""Custom attributes of which every process that the hook tells of has one."""


def run_facts(process: AtlasEntity) -> Mapping[str, str]:
    """Give what is known of the last run: custom attributes, or where there are none the details, which say the same.

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


def made(process: AtlasEntity) -> Iterator[ColumnFlow]:
    """Give the columns that come from no other, of every output; as custom attribute they are one text."""
    listed = _listed(_details(process), "columns_without_sources")
    for output in ends(process, "outputs"):
        mark = "." if is_catalog(output) else "#"
        for each in listed:
            name, _, expression = each.partition(" = ")
            yield ColumnFlow(ToldColumn(name_of(output), name, mark), (), expression)


def deciders(process: AtlasEntity) -> tuple[str, ...]:
    """Give the datasets that values of the statement were read from, without a namespace."""
    return tuple(_listed(_details(process), "decided_by"))


def row_columns(process: AtlasEntity) -> Iterator[tuple[str, ToldColumn]]:
    """Give the columns that decide rows, each with how: the details name them without a namespace.

    Of the inputs that a name begins with, the longest is meant, under every namespace that it has. A column of none of them
    has the namespace of the process.
    """
    details = _details(process)
    inputs = tuple(map(name_of, ends(process, "inputs")))
    namespace = namespace_of(name_of(process.id))
    for key in details:
        if key.startswith(_ROWS_BY):
            for name in _listed(details, key):
                mark = "#" if "#" in name else "."
                for column in _of(inputs, name) or (column_called(f"{name}@{namespace}", mark),):
                    yield key.removeprefix(_ROWS_BY), column


def _of(datasets: Iterable[str], name: str) -> tuple[ToldColumn, ...]:
    begins = [each for each in datasets if name.startswith((f"{plain(each)}.", f"{plain(each)}#"))]
    length = max((len(plain(each)) for each in begins), default=0)
    return tuple(ToldColumn(each, name[length + 1 :], name[length]) for each in begins if len(plain(each)) == length)


def _details(entity: AtlasEntity) -> Mapping[str, object]:
    try:
        details = json.loads(str(entity.attributes.get("details") or "{}"))
    except (ValueError, RecursionError):
        return {}
    return details if isinstance(details, dict) else {}


def _listed(details: Mapping[str, object], key: str) -> list[str]:
    """The texts of a list, but for the number of those that were left out at its end."""
    value = details.get(key, ())
    listed = list(map(str, value)) if isinstance(value, list) else []
    return listed[:-1] if listed and _LEFT_OUT.fullmatch(listed[-1]) else listed
