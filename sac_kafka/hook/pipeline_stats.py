"""Count what passes through the pipeline of an application, for `Hook.stats()` and the messages that end the application."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.log import logger
from sac_kafka.model.gaps import NAMED_BY_OPTIONS
from sac_kafka.plan.declaration import DECLARED
from sac_kafka.plan.execution import Event
from sac_kafka.stages.completeness import WriteCounter
from sac_kafka.stages.filters.outcomes import FilterCounts

_SLOW = "slow accessor: "
_SLOW_WARNING = (
    "slow accessor {}: reading this field of the plan took over 50 ms. Lineage is delayed, the job is not; report it to the "
    "maintainer of the class, or remove the field from your plug-in"
)
_OF_SPARK = "org.apache.spark."
_OWN_PACKAGE = f"{__name__.partition('.')[0]}."
MAX_LINES = 20
"""Limit of log lines per application; further classes are only counted."""

_REPORT_IT = "report the class to sac_kafka's maintainers"
_REMEDIES = {
    NAMED_BY_OPTIONS: f"check whether the name is right, or {_REPORT_IT}",
    "relation not understood: ": f"set an option with its name (table, path, database …), or {_REPORT_IT}",
    "sink not understood: ": f"set an option with its name (table, path, database …), or {_REPORT_IT}",
    "query not understood: ": "set an option with a table instead of a query",
}


def is_of_a_plug_in(accessor: str) -> bool:
    """Return whether an accessor belongs to a class of a plug-in or a connector, not of Spark or this package.

    >>> is_of_a_plug_in("com.acme.Relation.schema"), is_of_a_plug_in("org.apache.spark.sql.catalyst.plans.logical.Join.left")
    (True, False)
    """
    name = accessor.rpartition(".")[0]
    declared = DECLARED.get(name)
    return not name.startswith(_OF_SPARK) and (declared is None or not declared.__module__.startswith(_OWN_PACKAGE))


@dataclass(slots=True)
class PipelineStats:
    """What the pipeline of one application has counted.

    Attributes:
        listener: Counters of the listener.
        notes: What the listener could not project, by reason.
        dropped: Outcomes that a stage excludes, by reason.
        last_event: The event that was read last.
        capture_microseconds: Time of projections in the driver's JVM.
        excluded: What the filters have excluded.
        writes: Writes, and how complete their lineage is.
    """

    listener: Mapping[str, int] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    last_event: Event | None = None
    capture_microseconds: int = 0
    excluded: FilterCounts = field(default_factory=FilterCounts)
    writes: WriteCounter = field(default_factory=WriteCounter)

    def add_notes(self, notes: Mapping[str, int]) -> None:
        """Count what the listener could not project; warn once of each slow accessor that the user can change."""
        for note in notes.keys() - self.notes.keys():
            if note.startswith(_SLOW) and is_of_a_plug_in(note.removeprefix(_SLOW)):
                logger.warning("%s", _SLOW_WARNING.format(note.removeprefix(_SLOW)))
        self.notes.update(notes)


class GapLog:
    """Logs each class that the hook could not name, or only guessed a name for: once per class, with the fix first."""

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def log_new(self, counts: Mapping[str, int]) -> None:
        """Log the reasons among the counters that were not logged before."""
        for reason in sorted(counts.keys() - self._logged):
            remedy = next((remedy for start, remedy in _REMEDIES.items() if reason.startswith(start)), None)
            if remedy is not None and len(self._logged) < MAX_LINES:
                self._logged.add(reason)
                logger.warning("%s: %s", remedy, reason)
