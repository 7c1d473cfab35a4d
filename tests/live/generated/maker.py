"""Shared state of the generator: decisions, fresh names, and the names in scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.live.generated.answers import Column, Query, Value
from tests.live.generated.choices import Choices

NAMES = ("id", "name", "k", "amount", "x", "y", "v", "w")
"""Few, so that the same name means different things at different depths."""


@dataclass(frozen=True)
class Place:
    """Where a part stands: how deep it may still go, the common table expressions, if temporary views can be named."""

    depth: int
    ctes: Mapping[str, Query] = field(default_factory=dict)
    temporary: bool = True

    def deeper(self) -> Place:
        return replace(self, depth=self.depth - 1)


class Maker:
    """Takes decisions and makes names."""

    def __init__(self, choices: Choices, prefix: str) -> None:
        self.choices = choices
        self.prefix = prefix
        self._aliases = 0
        self._views = 0

    def alias(self) -> str:
        self._aliases += 1
        return f"t{self._aliases}"

    def view(self) -> str:
        self._views += 1
        return f"{self.prefix}_v{self._views}"

    def selected(self, values: list[Value]) -> tuple[str, tuple[Column, ...]]:
        """Return a SELECT list and its columns, under new names or the old ones."""
        parts, columns, taken = [], [], set()
        for value in values:
            if value.name and value.name.lower() not in taken and not self.choices.once_in(3):
                name = value.name
                parts.append(value.sql)
            else:
                name = self.free(taken)
                parts.append(f"{value.sql} as {name}")
            taken.add(name.lower())
            columns.append(Column(name, value.type, value.sources))
        return ", ".join(parts), tuple(columns)

    def free(self, taken: set[str]) -> str:
        free = [n for n in NAMES if n not in taken]
        return self.choices.one_of(free) if free else f"c{len(taken)}"
