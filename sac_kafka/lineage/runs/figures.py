"""What a write counted: rows, files, bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from itertools import zip_longest

from sac_kafka.lineage.model import Run
from sac_kafka.plan.execution import QueryExecution


@dataclasses.dataclass(frozen=True, slots=True)
class Figures:
    """What Spark counted of one write; None for what it did not."""

    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    def __add__(self, other: Figures) -> Figures:
        """The sum; of what one of them does not know nothing is known."""
        return Figures(_sum(self.rows, other.rows), _sum(self.files, other.files), _sum(self.bytes, other.bytes))

    def put_on(self, run: Run) -> Run:
        """The run with these figures."""
        return dataclasses.replace(run, rows_written=self.rows, files_written=self.files, bytes_written=self.bytes)


NOT_COUNTED = Figures()


def figures(query: QueryExecution | None) -> tuple[Figures, ...]:
    """Those of each writing command of an execution, in order."""
    if query is None:
        return ()
    counted = zip_longest(query.rows_written, query.files_written, query.bytes_written, fillvalue=-1)
    return tuple(Figures(*(n if n >= 0 else None for n in each)) for each in counted)


def of_the_only_write(queries: Iterable[QueryExecution | None]) -> Figures:
    """Those of the one write within an action; not counted where there are several, or none."""
    found = [each for each in map(figures, queries) if each]
    return found[0][0] if len(found) == 1 and len(found[0]) == 1 else NOT_COUNTED


def of_run(run: Run) -> Figures:
    """Those of a run."""
    return Figures(run.rows_written, run.files_written, run.bytes_written)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
