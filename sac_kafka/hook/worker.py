"""Run the worker thread: poll the listener, run the pipeline, send records, serve the transport.

The thread owns everything after the listener's text. Other threads use `flush` and `finish` and wait with a deadline. Every stage
is guarded, so that an error loses at most one event.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TextIO

from sac_kafka.atlas.messages import Message
from sac_kafka.deadlines import MONOTONIC, Clock, within
from sac_kafka.errors import LateError
from sac_kafka.guard import Guard
from sac_kafka.hook.exits import has_driver_failed, runs_job
from sac_kafka.hook.flushes import LAST_MARKER, Flushes
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_stats import GapLog
from sac_kafka.hook.poll_waker import Polling
from sac_kafka.hook.questions import Asked
from sac_kafka.hook.sent_file import Deliveries, SentFile
from sac_kafka.log import logger
from sac_kafka.plan import wire
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.stats import Messages
from sac_kafka.transport.spool.spool import Spool

POLL_MS = 200
"""Timeout of a poll while the transport must be served in between, in milliseconds."""
IDLE_POLL_MS = 1_000
"""Timeout of a poll while the transport is idle. New lines and `finish` end the poll early; each poll costs about 1 ms of CPU."""
NOT_HANDLED = "events not processed before the exit timeout (at least)"
_EVENT = '["event"'


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
        return self._clock() >= self.at

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
        listener: Listener,
        pipeline: Pipeline,
        transport: Spool,
        guard: Guard,
        exit_seconds: float,
        *,
        sent_file: SentFile | None = None,
        recorder: TextIO | None = None,
        clock: Clock = MONOTONIC,
    ) -> None:
        self._polling = Polling(listener, recorder, guard)
        self._pipeline = pipeline
        self._transport = transport
        self._guard = guard
        self._clock = clock
        self._deliveries = Deliveries(pipeline.remembered, sent_file, guard)
        self._flushes = Flushes()
        self._gap_log = GapLog()
        self.ending = Ending(exit_seconds, clock)
        self._state = _State.LISTENING
        self._left: list[str] = []  # Unprocessed lines of the batch in reverse order: the current one is the last.
        self.done = threading.Event()

    # ---- other threads

    def flush(self, timeout_seconds: float) -> Messages | None:
        """Wait until everything that has happened so far is delivered, or has definitely failed.

        Returns:
            The messages by state at that moment; None at a timeout.

        Raises:
            GoneError: The driver's JVM cannot be reached.
        """
        deadline = self._clock() + timeout_seconds
        flush = self._flushes.begin(deadline)
        try:
            within(timeout_seconds, lambda: self._polling.listener.mark(flush.marker), self._clock)
            while not self._clock.wait(flush.done, min(0.1, max(0.0, deadline - self._clock()))):
                if self.done.is_set() or self._clock() >= deadline:
                    break
        except LateError as e:
            logger.debug("flush: %s", e)
        finally:
            self._flushes.end(flush)
        return flush.messages

    def messages(self) -> Messages:
        """Return the messages by state."""
        counts = self._transport.counts
        return Messages(
            delivered=counts["delivered"],
            spooled=counts["spooled"],
            dropped=counts["dropped"],
            rejected=counts["rejected"],
            replayed=counts["replayed"],
            in_flight=self._transport.in_flight,
        )

    def finish(self, timeout_seconds: float) -> None:
        """Ask the thread to process everything that has happened so far, deliver it and close, within the timeout.

        Safe in a signal handler, because other threads call the JVM. Of several deadlines the earliest counts.
        """
        self.ending.request(timeout_seconds)
        self._polling.waker.ask()

    @property
    def not_handled(self) -> Mapping[str, int]:
        """Number of events lost at the exit timeout, by reason: a lower bound, at least 1."""
        if self._state.is_over or not self.ending.is_late:
            return {}
        return {NOT_HANDLED: max(1, sum(line.startswith(_EVENT) for line in self._left[:]))}

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
                self._polling.waker.start()
            with self._guard("prepare"):
                if self._transport.prepare():
                    self._pipeline.prepare()
            self._serve()  # Messages of earlier drivers go first.
            while True:
                self._handle_all(self._poll())
                if self._state.is_over or self.ending.is_late:
                    break
                self._request_last_events()
                self._send_all(self._pipeline.due())
                self._serve()
                with self._guard("metrics"):
                    each_turn()
        finally:
            try:
                self._polling.waker.end()
                self._close()
            finally:
                self.done.set()

    @property
    def _wait_ms(self) -> int:
        return POLL_MS if self._transport.is_busy or self.ending.is_requested else IDLE_POLL_MS

    def _poll(self) -> str:
        """Return the listener's new lines, "" without any."""
        try:
            return self._polling.poll(self._wait_ms)
        except GoneError as e:
            # Normal at the end of an application; everything projected before has been polled.
            logger.debug("the driver's JVM is gone: %s", e)
            self._state = _State.GONE
            return ""

    def _handle_all(self, text: str) -> None:
        self._left = text.split("\n")[::-1] if text else []
        while self._left and not self.ending.is_late:
            line = self._left[-1]
            self._pipeline.stats.last_event = None
            self._send_all(self._pipeline.run(line, self._on_control_line))
            if line.startswith(_EVENT):
                self._polling.unconfirmed.add(self._pipeline.stats.last_event)
            self._left.pop()
        with self._guard("log"):
            self._gap_log.log_new(self._pipeline.counts)

    def _request_last_events(self) -> None:
        """After `finish`, queue a last marker behind all events that are still on Spark's bus."""
        if not self.ending.is_requested or self._state is not _State.LISTENING:
            return
        self._state = _State.LEAVING
        try:
            self._polling.listener.mark(LAST_MARKER)
        except GoneError as e:
            logger.debug("cannot request the last events: %s", e)
            self._state = _State.GONE

    def _send_all(self, messages: Iterable[Message]) -> None:
        for each in messages:
            with self._guard("send"):
                self._transport.send(self._pipeline.record(each), self._deliveries.outcome(each.tokens))

    def _serve(self) -> None:
        with self._guard("transport"):
            self._transport.service(0)
        self._deliveries.note(self._transport)
        self._confirm()

    def _confirm(self) -> None:
        """Confirm what is read, unless something that came of it is neither delivered nor in the spool."""
        pending = self._pipeline.pending if self._transport.in_flight == 0 else None
        if pending is None or self._state.is_over:
            return
        with self._guard("confirm", GoneError):
            self._polling.unconfirmed.confirm(pending)

    # ---- control lines of the listener

    def _on_control_line(self, line: wire.Line) -> None:
        with self._guard("decode"):
            _HANDLERS[type(line)](self, line)

    def _marker(self, line: wire.Marker) -> None:
        if line.id == LAST_MARKER:
            self._state = _State.OVER
            return
        self._send_all(self._pipeline.flush())
        flush = self._flushes.of(line.id)
        if flush is not None:
            with self._guard("transport"):
                self._flush_until(flush.deadline)
                flush.messages = self.messages()  # In this thread, in which no message can be added meanwhile.
            flush.done.set()

    def _question(self, line: wire.Question) -> None:
        asked = Asked.of(line.text)
        if asked.kind.is_behind:
            self._send_all(self._pipeline.flush())
            with self._guard("transport"):
                self._flush_until(self._clock() + asked.seconds)
        self._flushes.answer(line.id, asked)

    def _flush_until(self, deadline: float) -> None:
        """Flush in slices, if the transport supports them, because `finish` may be called meanwhile."""
        slice_seconds = self._transport.flush_slice_seconds
        while True:
            start = self._clock()
            left = max(0.0, min(deadline, self.ending.at) - start)
            if self._transport.flush(min(left, slice_seconds)) == 0:
                return
            has_given_up = self._transport.failure_kind is not None or self._clock() - start < slice_seconds
            if left <= slice_seconds or has_given_up:
                return

    def _end(self, _: wire.End) -> None:
        self._state = _State.OVER

    def _stuck(self, line: wire.Stuck) -> None:
        logger.warning("capturing a query plan timed out and was abandoned: %s", line.stack)

    # ---- the end

    def _close(self) -> None:
        self._send_all(self._pipeline.drain())
        others = self.ending.is_requested and self._has_others()
        # Beside a driver of another language, a JVM that ends without Spark's own end was killed: its status stays "running".
        is_killed = self._state is _State.GONE and not runs_job()
        goes_on = self.ending.driver_goes_on or others or is_killed
        ended = self._pipeline.ended(
            has_driver_ended=not goes_on, has_failed=has_driver_failed(self._pipeline.has_served_failed)
        )
        self._send_all(ended)
        deadline = self.ending.deadline()
        with self._guard("transport"):
            self._transport.flush(max(0.0, deadline - self._clock()))
        self._deliveries.note(self._transport)
        with self._guard("transport"):
            self._transport.close(max(0.0, deadline - self._clock()))
        self._deliveries.save()
        if others:
            self._hand_over()
        self._polling.close()

    def _has_others(self) -> bool:
        """Return whether other Python processes have attached to the SparkContext, one of which takes over."""
        with self._guard("hand over", GoneError):
            return bool(self._polling.listener.others())
        return False

    def _hand_over(self) -> None:
        """Confirm all that is delivered or in the spool, and leave the listener to the other processes."""
        with self._guard("hand over", GoneError):
            self._polling.unconfirmed.confirm(self._pipeline.pending or ())
            self._polling.listener.release()


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


_HANDLERS: dict[type, Callable[..., None]] = {
    wire.Marker: Worker._marker,
    wire.End: Worker._end,
    wire.Stuck: Worker._stuck,
    wire.Question: Worker._question,
}
