"""The tables that generated queries read: small, with the same names for different things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.live.generated.answers import Column

DATABASE = "generated"
STRUCT = "struct<f:int,g:string>"
ARRAY = "array<int>"

TABLES: Mapping[str, Mapping[str, str]] = {
    "orders": {"id": "int", "name": "string", "amount": "double", "k": "int", "tags": ARRAY},
    "people": {"id": "int", "name": "string", "city": "string", "age": "int", "part": STRUCT},
    "items": {"id": "int", "label": "string", "amount": "double", "big": "bigint", "k": "int", "city": "string"},
}

_VALUES: Mapping[str, tuple[Any, ...]] = {
    "int": (1, 2, 3, 5, 7, 11),
    "bigint": (1, 20, 30, 50, 70, 110),
    "double": (1.5, 2.5, 4.0, 0.5, 8.0, 16.0),
    "string": ("a", "b", "ab", "ba", "c", "x"),
    ARRAY: ([1, 2], [3, 5], [2, 7], [11, 1], [5, 5], [7, 3]),
    STRUCT: ((1, "a"), (2, "b"), (3, "c"), (5, "x"), (7, "ab"), (11, "ba")),
}
ROWS = 3


def columns(table: str) -> tuple[Column, ...]:
    return tuple(Column(name, type_, frozenset({(table, name, "identity")})) for name, type_ in TABLES[table].items())


def rows(table: str, changed: str | None = None, by: int = 0) -> list[tuple[Any, ...]]:
    """Return the rows of a table; those of the column `changed` moved on by so many of the values of its type."""

    def at(row: int, name: str, type_: str) -> Any:
        values = _VALUES[type_]
        return values[(row + (by if name == changed else 0)) % len(values)]

    return [tuple(at(row, name, type_) for name, type_ in TABLES[table].items()) for row in range(ROWS)]


def schema(table: str) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in TABLES[table].items())
