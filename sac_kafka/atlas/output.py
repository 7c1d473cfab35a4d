"""Make the messages of a catalog in Atlas' format, with the memory of what it has: the output `atlas`, in either dialect."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import AtlasDialect, Dialect
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, at_the_end, messages, values, without_obsolete
from sac_kafka.atlas.sent_names import Sending, SentNames
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stages.output import Jobs, Outgoing, Position, Settle


class SavedMemory(Protocol):
    """The memory of what was sent that outlives the run."""

    @property
    def remembered(self) -> Remembered:
        """The memory of this run."""

    def record_position(self, position: Position | None) -> None:
        """Record the position of a delivered message."""

    def save(self) -> None:
        """Keep the memory for the next run."""


class AtlasOutput:
    """Output of one destination (`stages.output.Output`).

    Args:
        context: The application, and the properties that all messages share.
        dialect: Their types and names; Atlas' by default.
        remembered: What was sent before and need not be repeated; nothing by default.
        saved: The memory that outlives the run, instead of `remembered`.

    Attributes:
        names: The names of sent entities.
    """

    def __init__(
        self,
        context: Context,
        dialect: Dialect | None = None,
        remembered: Remembered | None = None,
        saved: SavedMemory | None = None,
    ) -> None:
        self.context = context
        self.names = SentNames()
        self._dialect = dialect or AtlasDialect()
        self._saved = saved
        if saved is not None:
            remembered = saved.remembered
        # `or` would replace an empty (falsy) memory.
        fresh = Remembered(max_age_ms=int(context.content.sent_max_age_seconds * 1000))
        self.remembered = fresh if remembered is None else remembered

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of items that could not be emitted, by reason."""
        return self._dialect.counts

    def messages(self, step: ScheduledOutcome, now_ms: int) -> tuple[Message, ...]:
        """Return the messages of an outcome, in sending order; `now_ms` is epoch milliseconds."""
        return messages(
            step.outcome,
            context=self.context,
            remembered=self.remembered,
            now_ms=now_ms,
            defined=step.defined,
            dialect=self._dialect,
        )

    def delayed(self, now_ms: int, *, everything: bool) -> tuple[Message, ...]:
        """Return deletes of flows of whose rows none is left; `everything`: also of those that may be written again."""
        return without_obsolete(
            self.remembered, context=self.context, now_ms=now_ms, dialect=self._dialect, everything=everything
        )

    def at_the_end(self, jobs: Jobs, status: str, now_ms: int) -> tuple[Message, ...]:
        """Return the messages that end an application: its status and the completeness of its jobs' lineage."""
        return at_the_end(jobs, context=self.context, now_ms=now_ms, dialect=self._dialect, status=status)

    def values(self, message: Outgoing) -> tuple[bytes, ...]:
        """Return the values of the records that carry a message: one, or several if it exceeds the size limit."""
        return values(message, self.context)

    def sending(self, message: Outgoing, now_ms: int) -> Settle:
        """Record the names in a message; return what confirms its groups if it is delivered, and forgets them if not."""
        assert isinstance(message, Message)
        if message.notification is not None:
            self.names.add(message.notification, Sending(made_ms=now_ms))
        tokens, epoch = message.tokens, self.remembered.epoch

        def settle(is_delivered: bool) -> None:
            if is_delivered:
                self.remembered.confirm(tokens, int(time.time() * 1000), epoch)
            else:
                self.remembered.forget(tokens)

        return settle

    def delivered(self, position: Callable[[], Position | None]) -> None:
        """Record how far the server's log has come: the next run compares it to recognise the server."""
        if self._saved is not None:
            self._saved.record_position(position())

    def close(self) -> None:
        """Save what was sent for the next run."""
        if self._saved is not None:
            self._saved.save()
