"""Sources of a value, and how dependencies add up along a path."""

from __future__ import annotations

from sac_kafka.lineage.model import ColumnSource, Dependency

Sources = frozenset[ColumnSource]
NOTHING: Sources = frozenset()

_STRENGTH = {Dependency.IDENTITY: 0, Dependency.TRANSFORMATION: 1, Dependency.AGGREGATION: 2}


def combined(upper: Dependency, lower: Dependency) -> Dependency:
    """The dependency along a path: what is INDIRECT stays it, else the strongest counts."""
    if not upper.is_direct:
        return upper
    if not lower.is_direct:
        return lower
    return upper if _STRENGTH[upper] >= _STRENGTH[lower] else lower


def through(sources: Sources, upper: Dependency) -> Sources:
    """The sources of a value, seen from an expression that uses it as `upper`."""
    if upper is Dependency.IDENTITY:
        return sources
    return frozenset(ColumnSource(s.dataset, s.column, combined(upper, s.dependency)) for s in sources)
