"""One dataset of two descriptions of it, as where a table is read twice, or read and written; what was read of it, once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

from sac_kafka.lineage.model import Column, Dataset, DatasetRead

_UNITED = frozenset({"locations"})


def merged(first: Dataset, second: Dataset) -> Dataset:
    """What `first` lacks is `second`'s; columns and concrete locations are those of both.

    A name has one entity a message (R27).
    """
    known = {each.name: getattr(first, each.name) or getattr(second, each.name) for each in fields(first)}
    united = {
        name: tuple(dict.fromkeys((*getattr(first, name), *getattr(second, name)))) for name in _UNITED & known.keys()
    }
    return type(first)(**{**known, **united, "columns": _columns(first, second)})


def merged_reads(found: Iterable[DatasetRead]) -> tuple[DatasetRead, ...]:
    """One for each dataset, sorted by its key: what is read twice adds up."""
    by_key: dict[str, DatasetRead] = {}
    for each in found:
        known = by_key.get(each.dataset)
        by_key[each.dataset] = each if known is None else known + each
    return tuple(by_key[key] for key in sorted(by_key))


def _columns(first: Dataset, second: Dataset) -> tuple[Column, ...]:
    result: dict[str, Column] = {}
    for column in (*first.columns, *second.columns):
        seen = result.setdefault(column.name, column)
        if seen != column:
            result[column.name] = replace(seen, type=seen.type or column.type, comment=seen.comment or column.comment)
    return tuple(result.values())
