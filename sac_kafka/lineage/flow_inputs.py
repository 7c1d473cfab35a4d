"""Collect the inputs of one query: its distinct datasets up to a limit, their versions, other sources and gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import EMPTY, Clauses, Columns
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.model import Dataset, DriverRead, Process, distinct_reads
from sac_kafka.model.gaps import TOO_MANY_PATHS, worst_first
from sac_kafka.model.merging import merge

MAX_INPUTS = 1000
"""Datasets of one process; a longer list (files that could not be folded into one path) is cut and counted."""
MAX_VERSIONS = 100
"""Versions of inputs reported for one process."""
MAX_THROUGH_DRIVER = 100
"""Inputs reported as read through the driver for one process."""


class FlowInputs:
    """The inputs of one query, in the order in which they were reading.

    Attributes:
        definitions: Definitions of the views behind origins, by the key of the view.
        read_at: Keys of the datasets that each leaf reads, by the leaf's identity.
        other_sources: Descriptions of sources that are not datasets.
        gaps: Reasons for incomplete lineage.
    """

    def __init__(self, counts: Counter[str]) -> None:
        self.definitions: dict[str, Process] = {}
        self.read_at: dict[int, Sequence[str]] = {}
        self.other_sources: set[str] = set()
        self.gaps: set[str] = set()
        self._counts = counts
        self._read: dict[str, Dataset] = {}
        self._own: dict[str, Dataset] = {}
        self._versions: set[tuple[str, str]] = set()
        self._through_driver: list[DriverRead] = []

    def __iter__(self) -> Iterator[Dataset]:
        """Iterate over the inputs, without the target of a row-level command."""
        return iter(self._read.values())

    def origin(self, columns: Columns = EMPTY, clauses: Clauses = (), skip_reason: str | None = None) -> Origin:
        """Return the origin of the rows of the query, which has these columns and clauses."""
        return Origin(
            inputs=tuple(self),
            columns=columns,
            clauses=clauses,
            skip_reason=skip_reason,
            definitions=tuple(self.definitions.values()),
            versions=tuple(sorted(self._versions))[:MAX_VERSIONS],
            other_sources=tuple(sorted(self.other_sources)),
            through_driver=distinct_reads(self._through_driver)[:MAX_THROUGH_DRIVER],
            gaps=worst_first(self.gaps),
        )

    def note(self, reason: str) -> None:
        """Count a reason, and add it to the gaps."""
        self._counts[reason] += 1
        self.gaps.add(reason)

    def with_own(self, used: Set[str] | None) -> Iterable[Dataset]:
        """Return the inputs and the target of a row-level command if its key is in `used` (None: unknown, include it)."""
        own = {key: d for key, d in self._own.items() if used is None or key in used}
        return {**own, **self._read}.values()

    def add(self, dataset: Dataset) -> bool:
        """Add an input.

        Returns:
            False if there are too many inputs already.
        """
        if dataset.key in self._read:
            self._read[dataset.key] = merge(self._read[dataset.key], dataset)
        elif len(self._read) < MAX_INPUTS:
            self._read[dataset.key] = dataset
        else:
            self.note(TOO_MANY_PATHS)
            return False
        return True

    def add_reading(self, leaf: int, reading: Reading, *, is_own: bool) -> Sequence[str]:
        """Add what a leaf reads; return the keys of the datasets that were added.

        `is_own` is True for the target of a row-level command, which reads the table that it changes.
        """
        for reason in reading.counts:
            self.note(reason)
        if reading.other_source is not None:
            self.other_sources.add(reading.other_source)
        if is_own:
            self._own.update((d.key, d) for d in reading.datasets)
        keys = tuple(dict.fromkeys(d.key for d in reading.datasets if is_own or self.add(d)))
        self.read_at[leaf] = keys
        if reading.version is not None:
            self._versions.update((key, reading.version) for key in keys)
        return keys

    def add_origin(self, origin: Origin) -> None:
        """Add the origin of rows that an earlier query made."""
        for dataset in origin.inputs:
            self.add(dataset)
        self._versions.update(origin.versions)
        self.other_sources.update(origin.other_sources)
        self._through_driver += origin.through_driver
        self.definitions.update((d.outputs[0].key, d) for d in origin.definitions)
        self.gaps.update(origin.gaps)
