"""How far plans are followed column by column: past it the answer is table-level lineage, said with the reason."""

from __future__ import annotations

from dataclasses import dataclass

NOT_TRAVELLED = "the plan is over the budget of an event"
"""Why columns are not there that the listener has left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most `nodes` of a query, `columns` that one of them hands up, and `edges` from columns to sources in all."""

    nodes: int = 100_000
    columns: int = 20_000
    edges: int = 2_000_000

    def exceeded(self, *, nodes: int = 0, columns: int = 0, edges: int = 0) -> str | None:
        """What is too much, None where nothing is."""
        used = {"nodes": (nodes, self.nodes), "columns": (columns, self.columns), "edges": (edges, self.edges)}
        return next((f"more than {most} {name}" for name, (n, most) in used.items() if n > most), None)


DEFAULT = Budget()
"""What the settings say unless they are set."""
