"""Log each class that the hook could not name, or only guessed a name for: once per class, with the fix first."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.lineage.model.gaps import NAMED_BY_OPTIONS
from sac_kafka.log import logger

MAX_LINES = 20
"""Limit of log lines per application; further classes are only counted."""

_REPORT_IT = "report the class to sac_kafka's maintainers"
_REMEDIES = {
    NAMED_BY_OPTIONS: f"check whether the name is right, or {_REPORT_IT}",
    "relation not understood: ": f"set an option with its name (table, path, database …), or {_REPORT_IT}",
    "sink not understood: ": f"set an option with its name (table, path, database …), or {_REPORT_IT}",
    "query not understood: ": "set an option with a table instead of a query",
}


class GapLog:
    """Logs gaps, each once."""

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def log_new(self, counts: Mapping[str, int]) -> None:
        """Log the reasons among the counters that were not logged before."""
        for reason in sorted(counts.keys() - self._logged):
            remedy = next((remedy for start, remedy in _REMEDIES.items() if reason.startswith(start)), None)
            if remedy is not None and len(self._logged) < MAX_LINES:
                self._logged.add(reason)
                logger.warning("%s: %s", remedy, reason)
