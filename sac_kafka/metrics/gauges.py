"""What Spark's sinks read of the figures, whoever holds it (`spark/metrics_source.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Gauges(Protocol):
    """Numbers that stand beside Spark's own metrics. Never raises."""

    def show(self, numbers: Iterable[float]) -> None:
        """Take the numbers, in the order of the gauges' names."""

    def close(self) -> None:
        """Be seen no more."""
