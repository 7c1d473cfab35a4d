"""Merge the column mappings of statements that connect the same assets, as they form one process."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sac_kafka.purview.flows.columns import DatasetMapping, joined

MAX_PAIRS = 50_000
"""Maximum number of column pairs stored for all flows, about 10 MB; a flow without pairs counts as one."""


class SentMappings:
    """Column mappings already sent by this application, by flow; the least recently used flows are evicted."""

    def __init__(self, max_pairs: int = MAX_PAIRS) -> None:
        self._max_pairs = max_pairs
        self._sent: dict[Hashable, tuple[DatasetMapping, ...]] = {}
        self._pairs = 0

    def __len__(self) -> int:
        """Return the number of stored flows."""
        return len(self._sent)

    def with_earlier(
        self, flow: Hashable, mapping: Sequence[DatasetMapping], *, replaces: bool
    ) -> tuple[DatasetMapping, ...]:
        """Return the mapping of a statement, merged with the mappings sent for the flow before.

        Args:
            flow: The identity of the process.
            mapping: The mapping of the statement.
            replaces: The statement replaced the output, so earlier mappings are discarded.
        """
        earlier = self._sent.pop(flow, None)
        if earlier is not None:
            self._pairs -= _size(earlier)
        result = tuple(mapping) if replaces or not earlier else joined((*earlier, *mapping))
        self._sent[flow] = result
        self._pairs += _size(result)
        while self._pairs > self._max_pairs:
            self._pairs -= _size(self._sent.pop(next(iter(self._sent))))
        return result


def _size(mapping: Sequence[DatasetMapping]) -> int:
    return sum(len(each.pairs) for each in mapping) or 1
