"""Lineage as lines of text, so that a test compares and a person reads the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sac_kafka.lineage.model import Process


def tell(processes: Iterable[Process], work: str) -> list[str]:
    """A header line a process, then one line a column dependency; `work` becomes {work}."""
    return [line.replace(work, "{work}") for process in processes for line in _lines(process)]


def _lines(process: Process) -> Iterator[str]:
    inputs = ", ".join(d.key for d in process.inputs) or "-"
    outputs = ", ".join(d.key for d in process.outputs)
    yield f"{outputs} <= {inputs}"
    for column in process.columns:
        if not column.sources:
            yield f"  {column.column} <- -"
        for source in column.sources:
            yield f"  {column.column} <- {source.dataset} {source.column} {source.dependency.value}"
    for source in process.row_level:
        yield f"  (rows) <- {source.dataset} {source.column} {source.dependency.value}"
