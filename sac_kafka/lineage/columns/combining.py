"""Combine the dependencies of a value along the path from its sources."""

from __future__ import annotations

from sac_kafka.lineage.model import ColumnSource, Dependency

Sources = frozenset[ColumnSource]
NO_SOURCES: Sources = frozenset()

_STRENGTH = {Dependency.IDENTITY: 0, Dependency.TRANSFORMATION: 1, Dependency.AGGREGATION: 2}


def combined(upper: Dependency, lower: Dependency) -> Dependency:
    """Return the dependency along a path: INDIRECT if either part is, else the stronger one."""
    if not upper.is_direct:
        return upper
    if not lower.is_direct:
        return lower
    return upper if _STRENGTH[upper] >= _STRENGTH[lower] else lower


def through(sources: Sources, upper: Dependency) -> Sources:
    """Return the sources of a value as seen by an expression that uses the value as `upper`."""
    if upper is Dependency.IDENTITY:
        return sources
    return frozenset(ColumnSource(s.dataset, s.column, combined(upper, s.dependency)) for s in sources)
