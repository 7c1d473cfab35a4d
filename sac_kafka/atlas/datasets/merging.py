"""One dataset of two descriptions of it."""

from __future__ import annotations

from dataclasses import fields, replace

from sac_kafka.lineage.model import Column, Dataset


def merged(first: Dataset, second: Dataset) -> Dataset:
    """What `first` lacks is `second`'s, as when a table is read and written; the columns are those of both.

    A name has one entity a message (R27).
    """
    known = {each.name: getattr(first, each.name) or getattr(second, each.name) for each in fields(first)}
    columns: dict[str, Column] = {}
    for column in (*first.columns, *second.columns):
        seen = columns.setdefault(column.name, column)
        if seen is not column:
            columns[column.name] = replace(seen, type=seen.type or column.type, comment=seen.comment or column.comment)
    return type(first)(**{**known, "columns": tuple(columns.values())})
