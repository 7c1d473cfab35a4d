"""Limit column lineage by the size of a plan: beyond the limits only table-level lineage is reported, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

NOT_PROJECTED = "the plan is over the budget of an event"
"""Reason for missing columns that the listener did not project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Maximum `nodes` of a query, output `columns` of one node, and `edges` from columns to their sources in total."""

    nodes: int = 100_000
    columns: int = 20_000
    edges: int = 2_000_000

    def exceeded(self, *, nodes: int = 0, columns: int = 0, edges: int = 0) -> str | None:
        """Return the first limit that is exceeded, in words; None if none is."""
        used = {"nodes": (nodes, self.nodes), "columns": (columns, self.columns), "edges": (edges, self.edges)}
        return next((f"more than {limit} {name}" for name, (n, limit) in used.items() if n > limit), None)


DEFAULT = Budget()
"""Budget under default settings."""
