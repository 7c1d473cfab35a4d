"""The lineage of a case over a source as lines: processes, changes if the case is about them, and what was not understood."""

from __future__ import annotations

import re

from sac_kafka.model import Process
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions
from tests.live.sources.family import Family

_DRAWN = re.compile(r"\b\d{15,}\b")
"""The id of a snapshot: another one in each recording."""
_MISSED = re.compile(r"\bnot |\bleft out|\bcut\b|missing|too many")


def case_lines(family: Family, name: str, batch: str, work: str) -> list[str]:
    """Return the lines of a case from the text of the listener."""
    actions = Actions(APPLICATION)
    outcomes = Capture.outcomes_of(batch, actions)
    if name not in family.changing:
        outcomes = [o for o in outcomes if isinstance(o, Process)]
    missed = [f"counted: {what}" for what in sorted(actions.counts) if _MISSED.search(what)]
    return [*(_DRAWN.sub("{id}", line) for line in lineage_lines(outcomes, work)), *missed]
