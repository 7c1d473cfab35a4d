"""Handle the outcomes of a transport: a record is delivered, rejected, kept in a file, or dropped with a reason."""

from __future__ import annotations

import os
from enum import Enum

from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, FailureKind, Transport
from sac_kafka.transport.spool.in_flight import TrackedRecord
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.schedule import Schedule
from sac_kafka.transport.spool.writer import SpoolWriter


class SpoolPhase(Enum):
    """Phase of a spool. `NEW`: nothing was sent. `ABANDONED`: the sending thread hangs, its records were kept."""

    NEW = 1
    OPEN = 2
    ABANDONED = 3
    CLOSED = 4


class Lifecycle:
    """Phase of a spool, and the process that it belongs to."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self.phase = SpoolPhase.NEW

    @property
    def is_forked_child(self) -> bool:
        """True in a forked child of the driver, which sends nothing."""
        return os.getpid() != self._pid

    @property
    def is_over(self) -> bool:
        """True if no records are sent any more."""
        return self.phase is SpoolPhase.CLOSED or self.is_forked_child


class Outcomes:
    """Handle the outcomes of a transport; used under the spool's lock."""

    def __init__(
        self,
        transport: Transport,
        options: Options,
        writer: SpoolWriter,
        schedule: Schedule,
        lifecycle: Lifecycle,
    ) -> None:
        self._transport = transport
        self._options = options
        self._writer = writer
        self._schedule = schedule
        self._lifecycle = lifecycle
        self.failure: Failure | None = None
        """The last failure that is not a rejection."""

    def handle(self, number: int, failure: Failure | None) -> None:
        """Handle the outcome of a record; None means delivered."""
        tracked = self._writer.in_flight.pop(number)
        if tracked is None:  # Kept in a file meanwhile, by `keep_all`.
            return
        if failure is None:
            self._on_delivery(tracked)
        elif failure.kind is FailureKind.REJECTED:
            self._on_rejection(tracked, failure)
        else:
            self._on_failure(tracked, failure)

    def _on_delivery(self, tracked: TrackedRecord) -> None:
        self._note_success()
        self._schedule.note_delivery(tracked)
        self._writer.counters.count_delivery(is_own=tracked.is_own)
        if tracked.place is not None:
            self._writer.backlog.mark_done(tracked.place)
        tracked.report(None)

    def _on_rejection(self, tracked: TrackedRecord, failure: Failure) -> None:
        self._note_success()
        if self._options.files.enabled:
            self._writer.add_dead_letter(tracked, failure.reason)
        else:
            self._writer.counters.count_rejection(failure.reason)
        if tracked.place is not None:
            self._writer.backlog.mark_done(tracked.place)
        tracked.report(failure)

    def _on_failure(self, tracked: TrackedRecord, failure: Failure) -> None:
        if self._schedule.is_poison(tracked, failure):
            others = "later messages were delivered, this one failed again"
            self._on_rejection(tracked, Failure(FailureKind.REJECTED, f"{failure.reason} ({others})"))
            return
        self.failure = failure
        if not self._options.files.enabled:
            self._writer.drop(tracked, f"{failure.reason}; not kept: atlas.hook.spool.enabled = false")
            return
        self._schedule.note_failure(failure, self.retry_after())
        # By contract of `Transport`, the other records in flight will fail, too.
        is_alone = not self._writer.in_flight
        self.keep(tracked, behind=self._writer.in_flight.all())
        self._schedule.suspect(tracked, failure, is_alone=is_alone)

    def retry_after(self) -> float:
        """Return the seconds for which the transport fails at once; 0.0 after an exception."""
        try:
            return self._transport.retry_after()
        except Exception as error:  # noqa: BLE001 (called while an outcome is handled, so it must not fail the others)
            logger.debug("%s: retry_after failed with %s", self._transport.name, type(error).__name__)
            return 0.0

    def _note_success(self) -> None:
        if self._schedule.failure_kind is not None:
            self._writer.counters.log_resumption(self._transport.name)
            self._schedule.retries.note_success()

    # ---- keeping

    def keep(
        self, tracked: TrackedRecord, *, before: tuple[TrackedRecord, ...] = (), behind: tuple[TrackedRecord, ...] = ()
    ) -> None:
        """Keep a record in a file, ordered among those in flight, or drop it."""
        failure_kind = self._schedule.failure_kind
        why = (
            str(self.failure)
            if self.failure and (failure_kind or self._lifecycle.phase is SpoolPhase.ABANDONED)
            else None
        )
        if tracked.loss_reason is not None:
            self._writer.drop(tracked, tracked.loss_reason)
            return
        if self._lifecycle.phase is SpoolPhase.CLOSED or not self._options.files.enabled:
            self._writer.drop(tracked, why or "sent after the spool was closed")
            return
        self._writer.keep(tracked, why, before=before, behind=behind)
        if failure_kind is not None and tracked.place is not None:
            directory, name = self._writer.backlog.directory, self._transport.name
            self._writer.counters.warn(
                "kept", f"messages are kept in {directory} until {name} accepts them: {why and logger.above(why)}"
            )

    def keep_all(self, reason: str) -> bool:
        """Keep all records in flight, as nothing waits for them any longer. Return whether all are in files."""
        left = self._writer.in_flight.take_all()
        if left and self._schedule.failure_kind is None:
            self.failure = Failure(FailureKind.TRANSIENT, reason)
        for tracked in left:
            self.keep(tracked)
        return all(tracked.place is not None for tracked in left)
