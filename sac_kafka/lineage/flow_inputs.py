"""What one query reads: its datasets, each once and at most so many, what is known of how they are read, and what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.merging import merged
from sac_kafka.lineage.model import Dataset, Process
from sac_kafka.lineage.model.gaps import TOO_MANY_PATHS, worst_first

MAX_INPUTS = 1000
"""Roots of paths of one process; a list of files that cannot be folded is cut here, and that is counted."""
MAX_VERSIONS = 100
"""States of inputs that a process says it has read."""
MAX_THROUGH_DRIVER = 100
"""Inputs of which a process says that their rows went through the driver."""


class FlowInputs:
    """The inputs of one query, in the order in which they were found.

    Attributes:
        definitions: Those of views behind origins.
        read_at: The keys of the inputs that leaves read, by the leaves' identity.
    """

    def __init__(self, counts: Counter[str]) -> None:
        self.definitions: list[Process] = []
        self.read_at: dict[int, Sequence[str]] = {}
        self._counts = counts
        self._read: dict[str, Dataset] = {}
        self._own: dict[str, Dataset] = {}
        self._versions: set[tuple[str, str]] = set()
        self._other_sources: set[str] = set()
        self._through_driver: set[tuple[str, str]] = set()
        self._gaps: set[str] = set()

    def __iter__(self) -> Iterator[Dataset]:
        """What is read, without a row-level command's own target."""
        return iter(self._read.values())

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        """Which states of inputs were asked for, by the inputs' keys."""
        return tuple(sorted(self._versions))[:MAX_VERSIONS]

    @property
    def other_sources(self) -> tuple[str, ...]:
        """Where rows come from that no dataset holds."""
        return tuple(sorted(self._other_sources))

    @property
    def through_driver(self) -> tuple[tuple[str, str], ...]:
        """Which inputs' rows went through the driver's Python, and how that shows."""
        return tuple(sorted(self._through_driver))[:MAX_THROUGH_DRIVER]

    @property
    def gaps(self) -> tuple[str, ...]:
        """Why something of the query is not known."""
        return worst_first(self._gaps)

    def note(self, reason: str) -> None:
        """Count a reason; it may be one why something is not known."""
        self._counts[reason] += 1
        self._gaps.add(reason)

    def add_gap(self, reason: str) -> None:
        """Keep a reason why something is not known that is counted elsewhere, or not at all."""
        self._gaps.add(reason)

    def with_own(self, used: Set[str] | None) -> Iterable[Dataset]:
        """What is read; of a row-level command's own target only what is `used`, by keys: None where that is not known."""
        own = {key: d for key, d in self._own.items() if used is None or key in used}
        return {**own, **self._read}.values()

    def add(self, dataset: Dataset) -> bool:
        """Keep an input; False if there are too many."""
        if dataset.key in self._read:
            self._read[dataset.key] = merged(self._read[dataset.key], dataset)
        elif len(self._read) < MAX_INPUTS:
            self._read[dataset.key] = dataset
        else:
            self.note(TOO_MANY_PATHS)
            return False
        return True

    def add_reading(self, leaf: int, found: Reading, *, is_own: bool) -> Sequence[str]:
        """Keep what a leaf reads; gives the keys of what was kept.

        `is_own` is True for the target of a row-level command, which reads itself to write itself.
        """
        for reason in found.counts:
            self.note(reason)
        if found.other_source is not None:
            self.add_other_source(found.other_source)
        if is_own:
            self._own.update((d.key, d) for d in found.datasets)
        keys = tuple(dict.fromkeys(d.key for d in found.datasets if is_own or self.add(d)))
        self.read_at[leaf] = keys
        if found.version is not None:
            self._versions.update((key, found.version) for key in keys)
        return keys

    def add_other_source(self, words: str) -> None:
        """Rows that no dataset holds, in words."""
        self._other_sources.add(words)

    def add_origin(self, origin: Origin) -> None:
        """Keep what some rows were made of."""
        for dataset in origin.inputs:
            self.add(dataset)
        self._versions.update(origin.versions)
        self._other_sources.update(origin.other_sources)
        self._through_driver.update(origin.through_driver)
        self.definitions += origin.definitions
        self._gaps.update(origin.gaps)
