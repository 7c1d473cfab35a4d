"""The output `openlineage`: one event per flow, change of a table and application, without memory of what was sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sac_kafka.model import Application, DatasetDescribed, Process
from sac_kafka.openlineage.writing.events import Events
from sac_kafka.openlineage.writing.facets import JsonObject
from sac_kafka.openlineage.writing.names import EventNames
from sac_kafka.openlineage.writing.sizes import encode
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stages.output import Jobs, Outgoing, Position, Settle

_DATASET = "DATASET"
"""The type in `stats()` of an event without a state."""
_NO_FORM = "changes that have no form in OpenLineage, such as those of databases"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOptions:
    """What all events share.

    Attributes:
        application: The application of the hook, which changes of tables belong to.
        namespace: The namespace of jobs.
        metastore: The namespace of tables.
        max_bytes: The size limit of an event.
        is_full: Whether column lineage includes what only decides values and rows.
        tags: Key and value of the tags of all jobs; labels have the value `true`.
    """

    application: Application
    namespace: str
    metastore: str
    max_bytes: int
    is_full: bool = True
    tags: tuple[tuple[str, str], ...] = ()


class OpenLineageOutput:
    """Output of one destination (`stages.output.Output`).

    Args:
        options: What all events share.
        save: Saves what the stages keep for the next run.
    """

    def __init__(self, options: EventOptions, save: Callable[[], None] = lambda: None) -> None:
        self._options = options
        self._events = Events(options.namespace, EventNames(options.metastore), options.is_full, options.tags)
        self._counts: Counter[str] = Counter()
        self._save = save

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of items that could not be emitted, by reason."""
        return self._counts

    def messages(self, step: ScheduledOutcome, now_ms: int) -> tuple[Outgoing, ...]:
        """Return the event of an outcome; none for a change without a form. `now_ms` is epoch milliseconds."""
        outcome = step.outcome
        if isinstance(outcome, Process):
            flow = self._events.describe_flow(outcome, now_ms, step.defined, step.together)
            return (self._outgoing(flow, outcome.application, keeps_order=False),)
        if isinstance(outcome, DatasetDescribed):
            return (self._outgoing(self._events.describe_dataset(outcome, now_ms), self._options.application),)
        event = self._events.describe_change(outcome, self._options.application, now_ms)
        if event is None:
            self._counts[_NO_FORM] += 1
            return ()
        return (self._outgoing(event, self._options.application),)

    def delayed(self, now_ms: int, *, everything: bool) -> tuple[Outgoing, ...]:  # noqa: ARG002 (the port's signature)
        """Return nothing: no event is delayed."""
        return ()

    def at_the_end(self, jobs: Jobs, status: str, now_ms: int) -> tuple[Outgoing, ...]:
        """Return the events that end the applications, with the completeness of their writes."""
        return tuple(self._outgoing(self._events.describe_end(app, wrote, status, now_ms), app) for app, wrote in jobs)

    def values(self, message: Outgoing) -> tuple[bytes, ...]:
        """Return the value of the record: an event is never divided."""
        return (message.value.encode("ascii"),)

    def sending(self, message: Outgoing, now_ms: int) -> Settle:  # noqa: ARG002 (the port's signature)
        """Return what ignores the outcome: no message is remembered."""
        return lambda _: None

    def delivered(self, position: Callable[[], Position | None]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Save what the stages keep for the next run."""
        self._save()

    def _outgoing(self, event: JsonObject, application: Application, *, keeps_order: bool = True) -> Outgoing:
        return Outgoing(
            value=encode(event, self._options.max_bytes),
            type=event.get("eventType", _DATASET),
            application_id=application.application_id,
            keeps_order=keeps_order,
        )
