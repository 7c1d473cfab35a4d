"""Run the worker thread: poll the source of events, run the pipeline, let destinations send and deliver.

The thread owns everything after the text of events. Other threads use `flush` and `finish` and wait with a deadline. Every stage
is guarded, so that an error loses at most one event.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum

from sac_kafka.deadlines import MONOTONIC, Clock, within
from sac_kafka.errors import LateError, SourceError
from sac_kafka.guard import Guard
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.event_source import Control, ControlKind, EventSource
from sac_kafka.hook.flushes import LAST_MARKER, Flushes
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_stats import GapLog
from sac_kafka.hook.questions import Asked
from sac_kafka.log import logger
from sac_kafka.model.facts import FAILED, FINISHED, RUNNING
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stats import Messages, total_messages

POLL_MS = 200
"""Timeout of a poll while the transport must be served in between, in milliseconds."""
IDLE_POLL_MS = 1_000
"""Timeout of a poll while the transport is idle. New lines and `finish` end the poll early; each poll costs about 1 ms of CPU."""
_TURN_SECONDS = 0.2
"""Time for which one of several destinations is flushed before the next one has its turn."""
NOT_HANDLED = "events not processed before the exit timeout (at least)"


class Ending:
    """When and how a worker ends.

    Attributes:
        at: Deadline of the thread by its clock; infinite until the end is requested.
        driver_goes_on: Whether only the hook ends, and streaming queries continue.
    """

    def __init__(self, exit_seconds: float, clock: Clock) -> None:
        self._exit_seconds = exit_seconds
        self._clock = clock
        self.at = math.inf
        self.driver_goes_on = False

    @property
    def is_requested(self) -> bool:
        """Whether the end was requested."""
        return self.at < math.inf

    @property
    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return self.at < math.inf and self._clock() >= self.at

    def request(self, timeout_seconds: float) -> None:
        """Request the end within a time; of several deadlines the earliest counts."""
        self.at = min(self.at, self._clock() + timeout_seconds)

    def deadline(self) -> float:
        """Return the deadline of what is done at the end, whether it was requested or not."""
        return min(self.at, self._clock() + self._exit_seconds)


class Worker:
    """Worker of one hook: `run` is the thread's function; the other public methods are for other threads."""

    def __init__(
        self,
        source: EventSource,
        pipeline: Pipeline,
        destinations: Sequence[Destination],
        guard: Guard,
        exit_seconds: float,
        *,
        clock: Clock = MONOTONIC,
    ) -> None:
        self._source = source
        self._pipeline = pipeline
        self._destinations = destinations
        self._guard = guard
        self._clock = clock
        self._flushes = Flushes()
        self._gap_log = GapLog()
        self.ending = Ending(exit_seconds, clock)
        self._state = _State.LISTENING
        self._left: list[str] = []  # Unprocessed lines of the batch in reverse order: the current one is the last.
        self.done = threading.Event()

    # ---- other threads

    @property
    def has_read_all(self) -> bool:
        """Whether the end of the events was reached, not an error or the deadline."""
        return self._state is _State.OVER

    def flush(self, timeout_seconds: float) -> Messages | None:
        """Wait until everything that has happened so far is delivered to every destination, or has definitely failed.

        Returns:
            The messages by state at that moment, of all destinations; None at a timeout.

        Raises:
            SourceError: The source of events cannot be reached.
        """
        deadline = self._clock() + timeout_seconds
        flush = self._flushes.begin(deadline)
        try:
            within(timeout_seconds, lambda: self._source.mark(flush.marker), self._clock)
            while not self._clock.wait(flush.done, min(0.1, max(0.0, deadline - self._clock()))):
                if self.done.is_set() or self._clock() >= deadline:
                    break
        except LateError as e:
            logger.debug("flush: %s", e)
        finally:
            self._flushes.end(flush)
        return flush.messages

    def messages(self) -> Messages:
        """Return the messages by state, of all destinations."""
        return total_messages(destination.counts for destination in self._destinations)

    def finish(self, timeout_seconds: float) -> None:
        """Ask the thread to process everything that has happened so far, deliver it and close, within the timeout.

        Safe in a signal handler, because other threads call the JVM. Of several deadlines the earliest counts.
        """
        self.ending.request(timeout_seconds)
        self._source.wake()

    @property
    def not_handled(self) -> Mapping[str, int]:
        """Number of events lost at the exit timeout, by reason: a lower bound, at least 1."""
        if self._state.is_over or not self.ending.is_late:
            return {}
        return {NOT_HANDLED: max(1, sum(map(self._source.is_event, self._left[:])))}

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what was not understood or could not be emitted, by reason."""
        counts = Counter(self._source.counts)
        counts.update(self._pipeline.counts)
        for destination in self._destinations:
            counts.update(destination.emitter.output.counts)
        return counts

    # ---- the thread itself

    def run(
        self,
        each_turn: Callable[[], None] = lambda: None,
        answer: Callable[[int, Asked], None] = lambda _number, _asked: None,
    ) -> None:
        """Work until the application ends, the JVM is gone, or `finish` is called.

        Args:
            each_turn: Called in each turn, at least once per second; its errors are swallowed.
            answer: Answers the questions of Python processes that this one serves (`questions`).
        """
        self._flushes.answer = answer
        try:
            with self._guard("wake"):
                self._source.start()
            with self._guard("prepare"):
                prepared = [each.spool.prepare() for each in self._destinations]
                if any(prepared):
                    self._source.prepare()
            self._serve()  # Messages of earlier drivers go first.
            while True:
                self._handle_all(self._poll())
                if self._state.is_over or self.ending.is_late:
                    break
                self._request_last_events()
                self._take(self._pipeline.due())
                for destination in self._destinations:
                    destination.send_due()
                self._serve()
                with self._guard("metrics"):
                    each_turn()
        finally:
            try:
                self._source.end()
                self._close()
            finally:
                self.done.set()

    @property
    def _wait_ms(self) -> int:
        return (
            POLL_MS
            if any(destination.spool.is_busy for destination in self._destinations) or self.ending.is_requested
            else IDLE_POLL_MS
        )

    def _poll(self) -> Sequence[str]:
        """Return the new events of the source."""
        try:
            return self._source.poll(self._wait_ms)
        except SourceError as e:
            # Normal at the end of an application; everything that happened before has been polled.
            logger.debug("the source of events is gone: %s", e)
            self._state = _State.GONE
            return ()

    def _handle_all(self, texts: Sequence[str]) -> None:
        self._left = [*texts][::-1]
        while self._left and not self.ending.is_late:
            self._take(self._source.read(self._left[-1], self._on_control))
            self._left.pop()
        with self._guard("log"):
            self._gap_log.log_new(self.counts)

    def _request_last_events(self) -> None:
        """After `finish`, queue a last marker behind all events that are still on Spark's bus."""
        if not self.ending.is_requested or self._state is not _State.LISTENING:
            return
        self._state = _State.LEAVING
        try:
            self._source.mark(LAST_MARKER)
        except SourceError as e:
            logger.debug("cannot request the last events: %s", e)
            self._state = _State.GONE

    def _take(self, steps: Iterable[ScheduledOutcome]) -> None:
        for step in steps:
            for destination in self._destinations:
                destination.take((step,))

    def _drain(self) -> None:
        """Send all that is delayed."""
        self._take(self._pipeline.drain())
        for destination in self._destinations:
            destination.send_due(everything=True)

    def _serve(self) -> None:
        for destination in self._destinations:
            destination.serve()
        self._confirm()

    def _confirm(self) -> None:
        """Confirm what is read, unless something that came of it is neither delivered nor in the spool."""
        is_open = self._pipeline.is_holding or any(destination.spool.in_flight for destination in self._destinations)
        if is_open or self._state.is_over:
            return
        with self._guard("confirm", SourceError):
            self._source.confirm(self._source.pending)

    # ---- controls of the source

    def _on_control(self, control: Control) -> None:
        with self._guard("decode"):
            _HANDLERS[control.kind](self, control)

    def _marker(self, control: Control) -> None:
        if control.number == LAST_MARKER:
            self._state = _State.OVER
            return
        self._drain()
        flush = self._flushes.of(control.number)
        if flush is not None:
            with self._guard("transport"):
                self._flush_until(flush.deadline)
                flush.messages = self.messages()  # In this thread, in which no message can be added meanwhile.
            flush.done.set()

    def _question(self, control: Control) -> None:
        asked = Asked.of(control.text)
        if asked.kind.is_behind:
            self._drain()
            with self._guard("transport"):
                self._flush_until(self._clock() + asked.seconds)
        self._flushes.answer(control.number, asked)

    def _flush_until(self, deadline: float) -> None:
        """Flush all destinations in turn, in slices, because `finish` may be called meanwhile."""
        waiting = list(self._destinations)
        while waiting:
            waiting = [each for each in waiting if self._flush_slice(each, deadline, is_alone=len(waiting) == 1)]

    def _flush_slice(self, destination: Destination, deadline: float, *, is_alone: bool) -> bool:
        """Flush for the shortest useful time; return whether to go on."""
        slice_seconds = destination.spool.flush_slice_seconds if is_alone else _TURN_SECONDS
        start = self._clock()
        left = max(0.0, min(deadline, self.ending.at) - start)
        if not destination.flush(min(left, slice_seconds)):
            return False
        has_given_up = destination.spool.failure_kind is not None or self._clock() - start < slice_seconds
        return left > slice_seconds and not has_given_up

    def _end(self, _: Control) -> None:
        self._state = _State.OVER

    # ---- the end

    def _close(self) -> None:
        self._take(self._pipeline.drain())
        others = self.ending.is_requested and self._has_others()
        is_killed = self._state is _State.GONE and self._source.goes_on_without  # its status stays "running"
        goes_on = self.ending.driver_goes_on or others or is_killed
        self._take(self._source.ended(goes_on=goes_on))
        status = RUNNING if goes_on else FAILED if self._source.has_failed else FINISHED
        for destination in self._destinations:
            destination.end(status)
        deadline = self.ending.deadline()
        if len(self._destinations) > 1:
            self._flush_until(deadline)
        for destination in self._destinations:
            destination.close(lambda: max(0.0, deadline - self._clock()))
        if others:
            self._hand_over()
        self._source.close()

    def _has_others(self) -> bool:
        """Return whether other processes have attached to the application, one of which takes over."""
        with self._guard("hand over", SourceError):
            return self._source.others()
        return False

    def _hand_over(self) -> None:
        """Confirm all that is delivered or in the spool, and leave the source to the other processes."""
        with self._guard("hand over", SourceError):
            self._source.confirm(self._source.pending)
            self._source.release()


class _State(Enum):
    """State of the worker.

    `LEAVING`: the last marker is requested. `OVER`: all events are processed. `GONE`: the driver's JVM cannot be reached.
    """

    LISTENING = 1
    LEAVING = 2
    OVER = 3
    GONE = 4

    @property
    def is_over(self) -> bool:
        return self in {_State.OVER, _State.GONE}


_HANDLERS: Mapping[ControlKind, Callable[[Worker, Control], None]] = {
    ControlKind.MARKER: Worker._marker,
    ControlKind.END: Worker._end,
    ControlKind.QUESTION: Worker._question,
}
