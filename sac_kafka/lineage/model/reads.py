"""What a run has read of a dataset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRead:
    """What a run has read of a dataset, by its key: None for what Spark did not count.

    `rows` are those that the source handed over, after what it skipped itself; `bytes` is the size of the `files` that were
    opened. Of a view it is what was read of the tables behind it. A dataset that is read twice counts twice.
    """

    dataset: str
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    def __add__(self, other: DatasetRead) -> DatasetRead:
        """Both together, of the same dataset; of what one of them does not know nothing is known."""
        return DatasetRead(
            dataset=self.dataset,
            rows=_sum(self.rows, other.rows),
            files=_sum(self.files, other.files),
            bytes=_sum(self.bytes, other.bytes),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
