"""Define the port of outputs: each makes messages of one format from outcomes, and learns which of them were delivered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from sac_kafka.model import Application
from sac_kafka.model.facts import FINISHED as FINISHED
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stats import Completeness

Jobs = Iterable[tuple[Application, Completeness | None]]
"""Applications, one per job, with the completeness of the lineage of their writes: None if there were no writes."""


@dataclass(frozen=True, slots=True)
class Position:
    """Location of a record: from `start` to `end` (exclusive) of an append-only log.

    A log that was re-created has another name in `log`, or does not yet reach `end`.
    """

    log: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message of one format. Outputs extend it by what they must know of it once it is delivered.

    Attributes:
        value: Its text.
        type: Its type in `stats()`.
        application_id: The application whose messages are delivered in order.
        keeps_order: False if it may be delivered much later, as it only adds a flow.
    """

    value: str
    type: str
    application_id: str
    keeps_order: bool = True


Settle = Callable[[bool], None]
"""Called once with the outcome of a message: whether it was delivered. Not delivered means kept, refused or lost."""


class Output(Protocol):
    """Maker of the messages of one format. Its methods are called from one thread, in order, as messages are."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of items that could not be emitted, by reason."""

    def messages(self, step: ScheduledOutcome, now_ms: int) -> tuple[Outgoing, ...]:
        """Return the messages of an outcome, in sending order; `now_ms` is epoch milliseconds."""

    def delayed(self, now_ms: int, *, everything: bool) -> tuple[Outgoing, ...]:
        """Return the delayed messages that are due; `everything`: all of them."""

    def at_the_end(self, jobs: Jobs, status: str, now_ms: int) -> tuple[Outgoing, ...]:
        """Return the messages that end an application."""

    def values(self, message: Outgoing) -> tuple[bytes, ...]:
        """Return the values of the records that carry a message, in order."""

    def sending(self, message: Outgoing, now_ms: int) -> Settle:
        """Note that a message is about to be sent; return what takes its outcome."""

    def delivered(self, position: Callable[[], Position | None]) -> None:
        """Note that messages were delivered since the last call; `position` is the location of the last one."""

    def close(self) -> None:
        """Save what the next run needs."""
