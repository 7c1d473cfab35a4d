"""Collect the reasons for incomplete lineage of a test; exclusions by rule are intended and do not count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from sac_kafka.lineage.model.gaps import INPUTS_EXCLUDED, GapSeverity, gaps_beyond_columns, severity_of
from sac_kafka.stats import Stats
from sac_kafka.tools.graph.flows import Flow


def of_inputs(flow: Flow) -> list[str]:
    """Return the reasons for unknown inputs of a flow."""
    return _each_once(gaps_beyond_columns(flow.missing))


def of_flows(flows: Iterable[Flow]) -> list[str]:
    """Return the reasons for incomplete flows."""
    return _each_once(reason for each in flows for reason in each.missing)


def of_writes(figures: Iterable[tuple[Stats, Stats]]) -> Mapping[str, int]:
    """Return the writes of a test without a flow, by reason."""
    found: Counter[str] = Counter()
    for before, now in figures:
        found += Counter(now["completeness"]["reasons"]) - Counter(before["completeness"]["reasons"])
    return {reason: number for reason, number in found.items() if severity_of(reason) is GapSeverity.FLOW}


def _each_once(reasons: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(reasons) if each != INPUTS_EXCLUDED]
