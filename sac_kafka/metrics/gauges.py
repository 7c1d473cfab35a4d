"""Declare the interface of the gauges in Spark's metrics system; `spark/metrics_source.py` implements it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Gauges(Protocol):
    """Gauges registered in Spark's metrics system. Methods never raise."""

    def update(self, numbers: Iterable[float]) -> None:
        """Set the values of all gauges, in the order of their names."""

    def close(self) -> None:
        """Unregister the gauges."""
