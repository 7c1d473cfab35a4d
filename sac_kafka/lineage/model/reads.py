"""Read metrics of a run, per dataset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRead:
    """Metrics of reading one dataset, identified by its key; None for what Spark did not count.

    `rows` are those that the source returned, after its own filtering; `bytes` is the size of the opened `files`. For a view,
    the metrics are those of its tables. A dataset that is read twice is counted twice.
    """

    dataset: str
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    def __add__(self, other: DatasetRead) -> DatasetRead:
        """Add up two reads of the same dataset; a metric that one of them lacks is None."""
        return DatasetRead(
            dataset=self.dataset,
            rows=_sum(self.rows, other.rows),
            files=_sum(self.files, other.files),
            bytes=_sum(self.bytes, other.bytes),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
