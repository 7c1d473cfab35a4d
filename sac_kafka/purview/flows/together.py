"""Several statements between the same assets are one process: what each says of the columns stays beside the others'."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sac_kafka.purview.flows.columns import DatasetMapping, joined

MAX_PAIRS = 50_000
"""Pairs of columns that are kept, of all flows: about 10 MB; a flow without any counts as one."""


class ToldMappings:
    """What statements of this application have told of each flow; of flows that no statement has filled for long, nothing."""

    def __init__(self, most_pairs: int = MAX_PAIRS) -> None:
        self._most_pairs = most_pairs
        self._told: dict[Hashable, tuple[DatasetMapping, ...]] = {}
        self._pairs = 0

    def __len__(self) -> int:
        """Flows that are kept."""
        return len(self._told)

    def with_earlier(
        self, flow: Hashable, mapping: Sequence[DatasetMapping], *, replaces: bool
    ) -> tuple[DatasetMapping, ...]:
        """The mapping of a statement, joined with what was told of the flow before.

        Args:
            flow: What names the process.
            mapping: What the statement says.
            replaces: The statement replaced all that was written before, so that nothing of it counts any more.
        """
        earlier = self._told.pop(flow, None)
        if earlier is not None:
            self._pairs -= _size(earlier)
        result = tuple(mapping) if replaces or not earlier else joined((*earlier, *mapping))
        self._told[flow] = result
        self._pairs += _size(result)
        while self._pairs > self._most_pairs:
            self._pairs -= _size(self._told.pop(next(iter(self._told))))
        return result


def _size(mapping: Sequence[DatasetMapping]) -> int:
    return sum(len(each.pairs) for each in mapping) or 1
