"""Attribute the metrics of scans to the datasets that a run reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sac_kafka.lineage.merging import merged_reads
from sac_kafka.lineage.model import DatasetRead
from sac_kafka.plan.scans import ScanMetrics

_ANY_WRITE = -1


def reads(
    scans: Iterable[ScanMetrics], datasets: Mapping[int, Iterable[str]], position: int = 0
) -> tuple[DatasetRead, ...]:
    """Return what was read for the write at a position, by dataset; `datasets` has the keys of leaves by their identity.

    Datasets that a single scan reads together are omitted, as the share of each is unknown.
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
    """Return the sum of what two runs read; datasets that were not counted in both are omitted."""
    first, second = ({each.dataset: each for each in run} for run in (one, other))
    both = first.keys() & second.keys()
    return merged_reads(run[key] for run in (first, second) for key in both)
