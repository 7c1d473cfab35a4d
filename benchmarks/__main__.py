"""Measure what the hook costs, in pairs with and without it, and write the table of benchmarks/README.md.

    python -m benchmarks [--pairs N] [--more] [--quick] [NAME …]

A NAME measures one benchmark and keeps the figures of the others, if they are of this machine. `--more` adds pairs to those of
earlier commands. With `--quick` there is one pair, and the table is only printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from benchmarks import driver_values, drivers, memory, streams, tools, writes
from benchmarks.table import PAGE, Row, load, result_of, save, table, together, written

BENCHMARKS: Mapping[str, Callable[[int], Iterator[Row]]] = {
    "drivers": drivers.rows,
    "memory": memory.rows,
    **{shape: partial(writes.rows, shape) for shape in writes.SHAPES},
    "streams": streams.rows,
    "values": driver_values.rows,
    "tools": tools.rows,
}
RESULTS = Path("build", "benchmarks.json")


def main() -> int:
    """Run the benchmarks and write the table; return 2 if there is nothing to write it into."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *BENCHMARKS], default=[*BENCHMARKS])
    parser.add_argument("--pairs", type=int, default=5, help="pairs of runs (default: %(default)s)")
    parser.add_argument("--more", action="store_true", help="add pairs to those of earlier commands")
    parser.add_argument("--quick", action="store_true", help="one pair; print the table and write nothing")
    options = parser.parse_args()
    results = {} if options.quick else load(RESULTS)
    for name in options.names:
        result = result_of(BENCHMARKS[name](1 if options.quick else options.pairs))
        results[name] = together(results[name], result) if options.more and name in results else result
        if not options.quick:
            save(RESULTS, results)
    figures = table([results[name] for name in BENCHMARKS if name in results])
    if not options.quick:
        PAGE.write_text(written(PAGE.read_text("utf-8"), figures), "utf-8")
    print(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
