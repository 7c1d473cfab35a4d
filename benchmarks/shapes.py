"""Costs of the shapes of nested values: column lineage with them and without, in pairs, as ratios of CPU time.

python -m benchmarks.shapes [PAIRS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from statistics import median
from unittest import mock

from sac_kafka.lineage.columns import child_columns
from sac_kafka.lineage.columns.dependencies import SHAPELESS
from tests.unit.lineage.test_shapes import above, array, column, explode, field, function, project, struct, table

WIDTH = 1_000
PROJECTIONS = 10


def without_structs() -> None:
    """Project 1,000 columns ten times: copies, and functions that take two of them."""
    below = table(WIDTH)
    for n in range(PROJECTIONS):
        first = 10_000 * n if n else 0
        values = (column(first + i) for i in range(WIDTH))
        mixed = (v if i % 2 else function("Coalesce", v, column(first)) for i, v in enumerate(values))
        below = above(below, project(*mixed, first_id=10_000 * (n + 1)))


def nested_fields() -> None:
    """Make structs of 1,000 columns, explode an array of three of them, and select every field."""
    rows = array(*(struct(*map(column, range(WIDTH))) for _ in range(3)))
    exploded = above(table(WIDTH), explode(rows))
    above(exploded, project(*(field(column(20_000), i) for i in range(WIDTH)), first_id=30_000))


PLANS: Mapping[str, Callable[[], None]] = {
    f"{PROJECTIONS} projections of {WIDTH:,} columns, no structs": without_structs,
    f"{WIDTH:,} nested fields": nested_fields,
}


def _seconds(made: Callable[[], None]) -> float:
    since = time.thread_time()
    made()
    return time.thread_time() - since


def main() -> None:
    """Print a line for each plan: medians of both, and the median of the pairs' ratios."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for name, made in PLANS.items():
        made()
        measured = []
        for pair in range(pairs):
            times = {}
            for with_shapes in (True, False) if pair % 2 else (False, True):  # the second of a pair runs slower
                with (
                    nullcontext() if with_shapes else mock.patch.object(child_columns, "shape_of", lambda *_: SHAPELESS)
                ):
                    times[with_shapes] = _seconds(made)
            measured.append((times[True], times[False]))
        with_it, without = (median(of) * 1000 for of in zip(*measured, strict=True))
        ratio = median(a / b for a, b in measured)
        print(f"{name}: {with_it:.1f} ms with shapes, {without:.1f} ms without, x {ratio:.2f}")


if __name__ == "__main__":
    main()
