"""One dataset of two descriptions of it, as where a table is read twice, or read and written."""

from __future__ import annotations

from dataclasses import fields, replace

from sac_kafka.lineage.model import Column, Dataset

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


def _columns(first: Dataset, second: Dataset) -> tuple[Column, ...]:
    result: dict[str, Column] = {}
    for column in (*first.columns, *second.columns):
        seen = result.setdefault(column.name, column)
        if seen != column:
            result[column.name] = replace(seen, type=seen.type or column.type, comment=seen.comment or column.comment)
    return tuple(result.values())
