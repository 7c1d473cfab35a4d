"""Times of the pictures of a large graph: 3,000 datasets, as many processes, 30,000 edges between columns.

python -m benchmarks.pictures
"""

from __future__ import annotations

import time

from benchmarks.page import large
from sac_kafka.tools.view.diagrams import dot, mermaid
from sac_kafka.tools.view.page import page

NODES, COLUMN_EDGES = 6_000, 30_000
_FORMATS = {"html": lambda graph: page(graph, "large"), "mermaid": mermaid, "dot": dot}


def main() -> None:
    """Print the figures."""
    shown = large(NODES, COLUMN_EDGES)
    print(f"{len(shown.datasets):,} datasets, {len(shown.processes):,} processes")
    for name, draw in _FORMATS.items():
        started, busy = time.monotonic(), time.process_time()
        drawn = draw(shown)
        took, cpu = time.monotonic() - started, time.process_time() - busy
        print(f"{name}: {took:.2f} s, {cpu:.2f} s of CPU, {len(drawn) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
