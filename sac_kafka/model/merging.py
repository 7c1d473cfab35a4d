"""Merge two descriptions of one dataset (a table that is read twice, or read and written)."""

from __future__ import annotations

from dataclasses import fields, replace

from sac_kafka.model import Column, Dataset

_UNITED = frozenset({"locations"})


def merge(first: Dataset, second: Dataset) -> Dataset:
    """Return `first` with its empty fields taken from `second`, and the columns and locations of both.

    A message may contain one entity per qualified name only (R27).
    """
    known = {field.name: getattr(first, field.name) or getattr(second, field.name) for field in fields(first)}
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
