"""What a run has read of each dataset: what the scans of its plan counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sac_kafka.lineage.merging import merged_reads
from sac_kafka.lineage.model import DatasetRead
from sac_kafka.plan.scans import ScanFigures

_ANY_WRITE = -1


def reads(
    scans: Iterable[ScanFigures], datasets: Mapping[int, Iterable[str]], position: int = 0
) -> tuple[DatasetRead, ...]:
    """What was read for the write at a position, by dataset; `datasets` has the keys of leaves by their identity.

    Of datasets that one scan reads together nobody knows how much each of them is: nothing is said of these.
    """
    alone: list[DatasetRead] = []
    together: set[str] = set()
    for scan in scans:
        if scan.write in (_ANY_WRITE, position):
            keys = {key for leaf in scan.leaves for key in datasets.get(id(leaf), ())}
            if len(keys) == 1:
                alone.append(DatasetRead(dataset=keys.pop(), rows=scan.rows, files=scan.files, bytes=scan.bytes))
            else:
                together |= keys
    return merged_reads(each for each in alone if each.dataset not in together)


def joined(one: Iterable[DatasetRead], other: Iterable[DatasetRead]) -> tuple[DatasetRead, ...]:
    """What two runs have read; of what one of them did not count nothing is known."""
    first, second = ({each.dataset: each for each in run} for run in (one, other))
    both = first.keys() & second.keys()
    return merged_reads(run[key] for run in (first, second) for key in both)
