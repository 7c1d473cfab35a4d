"""Track the directories of models that are being written or read: what Spark does within them is no separate process."""

from __future__ import annotations

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.ml.places import actual_locations, is_within
from sac_kafka.lineage.model import Dataset, Process

MAX_OPEN = 100
"""Open directories that are remembered; the oldest is evicted first."""


class OpenDirectories:
    """The open directories, by who opened them: the driver's Python, or events of the JVM."""

    def __init__(self) -> None:
        self._open: Bounded[tuple[str, str], int | None] = Bounded(MAX_OPEN)

    def begin(self, by: str, path: str, time_ms: int | None = None) -> None:
        """Open a directory that is written or read from now on."""
        self._open[(by, path)] = time_ms

    def end(self, by: str, path: str) -> tuple[int | None] | None:
        """Close a directory.

        Returns:
            When it was opened; None if it was not open.
        """
        return (self._open.pop((by, path)),) if (by, path) in self._open else None

    def outermost(self, path: str) -> str | None:
        """Return the outermost open directory that contains a path; None without one."""
        return min((at for _, at in self._open if is_within(path, at)), key=len, default=None)

    def is_part(self, process: Process) -> bool:
        """Return whether a process writes only within open directories, or only reads there."""
        used = process.outputs or process.inputs
        return bool(used and self._open) and all(map(self._is_within, used))

    def _is_within(self, dataset: Dataset) -> bool:
        return any(self.outermost(place) is not None for place in actual_locations(dataset))
