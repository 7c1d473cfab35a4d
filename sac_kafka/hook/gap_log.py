"""Says in the log what the hook could not name, or only guessed: once a class, the cure first."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.lineage.datasets.sources import NAMED_BY_OPTIONS
from sac_kafka.log import logger

MAX_LINES = 20
"""Classes of one application that are said; all of them are counted."""

_TELL_US = "tell us the class, so that it gets a name of its own"
_CURES = {
    NAMED_BY_OPTIONS: f"look whether the name is right, or {_TELL_US}",
    "relation not understood: ": f"name it by an option (table, path, database …), or {_TELL_US}",
    "sink not understood: ": f"name it by an option (table, path, database …), or {_TELL_US}",
    "query not understood: ": "name a table by an option instead of a query",
}


class Gaps:
    """What has been said already."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def tell(self, counts: Mapping[str, int]) -> None:
        """Say what is new among what was counted."""
        for reason in sorted(counts.keys() - self._said):
            cure = next((cure for start, cure in _CURES.items() if reason.startswith(start)), None)
            if cure is not None and len(self._said) < MAX_LINES:
                self._said.add(reason)
                logger.warning("%s: %s", cure, reason)
