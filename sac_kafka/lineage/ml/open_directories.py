"""Directories of models that are being written or read: what Spark does in them are no flows of their own."""

from __future__ import annotations

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.ml.places import concrete, is_at
from sac_kafka.lineage.model import Dataset, Process

MAX_OPEN = 100


class OpenDirectories:
    """Those that are open, by who opened them: the driver's Python, or events of the JVM."""

    def __init__(self) -> None:
        self._open: Bounded[tuple[str, str], int | None] = Bounded(MAX_OPEN)

    def begin(self, by: str, path: str, time_ms: int | None = None) -> None:
        """A directory is being written or read from now on."""
        self._open[(by, path)] = time_ms

    def end(self, by: str, path: str) -> tuple[int | None] | None:
        """It is done: when it began; None where nobody began it."""
        return (self._open.pop((by, path)),) if (by, path) in self._open else None

    def around(self, path: str) -> str | None:
        """The outermost directory that is open and has the path; None where none has."""
        return min((at for _, at in self._open if is_at(path, at)), key=len, default=None)

    def is_part(self, process: Process) -> bool:
        """True for what is written within an open directory, or only read there."""
        used = process.outputs or process.inputs
        return bool(used and self._open) and all(map(self._is_within, used))

    def _is_within(self, dataset: Dataset) -> bool:
        return any(self.around(place) is not None for place in concrete(dataset))
