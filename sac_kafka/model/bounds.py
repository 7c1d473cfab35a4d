"""Limit the state that grows with the life of an application, and column lineage by the size of a plan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Bounded(OrderedDict[K, V]):
    """Mapping of the `max_size` entries that were set last, in that order: one more evicts the oldest.

    `on_evicted` is called with the key and value of an evicted entry after its removal; not for entries that are popped.
    """

    __slots__ = ("_max_size", "_on_evicted")

    def __init__(self, max_size: int, on_evicted: Callable[[K, V], None] | None = None) -> None:
        super().__init__()
        self._max_size = max_size
        self._on_evicted = on_evicted

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._max_size:
            oldest = self.popitem(last=False)
            if self._on_evicted is not None:
                self._on_evicted(*oldest)


NOT_PROJECTED = "the plan is over the budget of an event"
"""Reason for missing columns that the listener did not project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Maximum `nodes` of a query, output `columns` of one node, and `edges` from columns to their sources in total."""

    nodes: int = 100_000
    columns: int = 20_000
    edges: int = 2_000_000

    def exceeded_limit(self, *, nodes: int = 0, columns: int = 0, edges: int = 0) -> str | None:
        """Return the first limit that is exceeded, in words; None if none is."""
        used = {"nodes": (nodes, self.nodes), "columns": (columns, self.columns), "edges": (edges, self.edges)}
        return next((f"more than {limit} {name}" for name, (n, limit) in used.items() if n > limit), None)


DEFAULT = Budget()
"""Budget under default settings."""
