"""A whole statement: what is run before it, its query, the DataFrame calls after it, and all that must be found."""

from __future__ import annotations

from dataclasses import dataclass

from tests.live.generated.answers import Column, Reads, Source
from tests.live.generated.choices import Choices
from tests.live.generated.frames import steps
from tests.live.generated.maker import Maker, Place
from tests.live.generated.queries import query

DEPTH = 3


@dataclass(frozen=True)
class Statement:
    """A query that Spark can run, and its known lineage. `steps` are DataFrame calls over `df`, written out."""

    sql: str
    before: tuple[str, ...]
    steps: tuple[str, ...]
    columns: tuple[Column, ...]
    reads: Reads

    def edges(self) -> frozenset[tuple[str, Source]]:
        """Output column (`(rows)` for all) and source."""
        of_columns = {(c.name, s) for c in self.columns for s in c.sources}
        return frozenset(of_columns | {("(rows)", s) for s in self.reads.rows})

    def __str__(self) -> str:
        frame = [f"df = {step}" for step in self.steps]
        return ";\n".join([*self.reads.before, self.sql, *frame])


def statement(choices: Choices, prefix: str) -> Statement:
    """Return the statement that some decisions lead to."""
    maker = Maker(choices, prefix)
    made = query(maker, Place(DEPTH))
    called, columns, reads = steps(maker, made)
    return Statement(made.sql, reads.before, called, columns, reads)
