"""The one thread behind the listener: polls the driver, runs the pipeline, sends, and serves the transport.

It owns everything after the listener's text. Others ask it through `flush` and `finish` and wait with a deadline; every
stage is guarded, so that an error costs one event and nothing else.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TextIO

from sac_kafka.atlas.dialect import Message, values
from sac_kafka.atlas.memory import Token
from sac_kafka.deadlines import within
from sac_kafka.errors import LateError
from sac_kafka.figures import Messages
from sac_kafka.guard import Guard
from sac_kafka.lineage.model import Process
from sac_kafka.log import logger
from sac_kafka.pipeline import Pipeline, Step
from sac_kafka.plan import wire
from sac_kafka.remembering import SentFile
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.transport.base import Kind, Record
from sac_kafka.transport.spool.spool import Spool

POLL_MS = 200
LAST_MARKER = 0
"""The marker of the thread itself when it is to end; those of `flush` count from 1."""
NOT_HANDLED = "events not processed before the exit timeout (at least)"
_EVENT = '["event"'


class Worker:
    """Runs in the thread that calls `run`; the other methods are for other threads."""

    def __init__(
        self, listener: Listener, pipeline: Pipeline, spool: Spool, guard: Guard, topic: str, exit_seconds: float
    ) -> None:
        self._listener = listener
        self._pipeline = pipeline
        self._spool = spool
        self._guard = guard
        self._topic = topic
        self._key = pipeline.application.application_id.encode()
        self._exit_seconds = exit_seconds
        self._recorder: TextIO | None = None
        self._sent_file: SentFile | None = None
        self._has_news = False  # of deliveries, for the sent file
        self._flushes: dict[int, _Flush] = {}
        self._next_marker = 1
        self._lock = threading.Lock()
        self._finish_at: float | None = None
        self._has_asked = False  # for the last marker
        self._is_drained = False
        self._has_ended = False  # the application: there are no more lines
        self._lines: Sequence[str] = ()  # of the batch that is handled
        self._line = 0  # the current one
        self.done = threading.Event()
        self.listener_counts: Mapping[str, int] = {}
        self.message_types: Counter[str] = Counter()
        self.processes = 0

    def record_to(self, recorder: TextIO) -> None:
        """Append every batch to this file; before `run`."""
        self._recorder = recorder

    def remember_in(self, sent_file: SentFile) -> None:
        """Keep what was sent for the next run; before `run`."""
        self._sent_file = sent_file

    # ---- other threads

    def flush(self, timeout_seconds: float) -> Messages | None:
        """Wait until all that has happened so far is delivered, or known not to be.

        Returns:
            What had become of the messages by then; None when the time was up first.

        Raises:
            GoneError: The driver's JVM cannot be reached.
        """
        deadline = time.monotonic() + timeout_seconds
        flush = _Flush(deadline)
        with self._lock:
            marker = self._next_marker
            self._next_marker += 1
            self._flushes[marker] = flush
        try:
            within(timeout_seconds, lambda: self._listener.mark(marker))
            while not flush.done.wait(min(0.1, max(0.0, deadline - time.monotonic()))):
                if self.done.is_set() or time.monotonic() >= deadline:
                    break
        except LateError as e:
            logger.debug("flush: %s", e)
        finally:
            with self._lock:
                self._flushes.pop(marker, None)
        return flush.messages

    def messages(self) -> Messages:
        """What has become of the messages so far."""
        counts = self._spool.counts
        return Messages(
            delivered=counts["delivered"],
            spooled=counts["spooled"],
            dropped=counts["dropped"],
            rejected=counts["rejected"],
            replayed=counts["replayed"],
            under_way=self._spool.under_way,
        )

    def finish(self, timeout_seconds: float) -> None:
        """Ask the thread to end: it handles all that has happened so far, delivers it and closes, within the time.

        Only sets a field, so that a signal handler may call it: the thread itself talks to the JVM. Of several times the
        earliest counts.
        """
        self._finish_at = min(self.finish_at, time.monotonic() + timeout_seconds)

    @property
    def finish_at(self) -> float:
        """When the thread has to have ended, in `time.monotonic()`; infinite as long as nobody has asked."""
        return math.inf if self._finish_at is None else self._finish_at

    @property
    def not_handled(self) -> Mapping[str, int]:
        """The events that were lost because the time to leave was over, by reason: at least one where any may be."""
        if self._is_drained or self._has_ended or time.monotonic() < self.finish_at:
            return {}
        return {NOT_HANDLED: max(1, sum(line.startswith(_EVENT) for line in self._lines[self._line :]))}

    # ---- the thread itself

    def run(self) -> None:
        """Work until the application ends, the JVM is gone, or `finish` is asked for."""
        try:
            while not self._is_over(self._poll()):
                self._ask_for_the_rest()
                self._say_all("due", lambda: self._pipeline.due(_now_ms()))
                with self._guard("transport"):
                    self._spool.service(0)
                self._note_deliveries()
        finally:
            try:
                self._close()
            finally:
                self.done.set()

    def _poll(self) -> str | None:
        """The lines that wait; "" for none, None when there will be no more."""
        try:
            return self._listener.poll(POLL_MS) or ""
        except GoneError as e:
            # The JVM goes away at the end of every application; what was projected by then has been polled.
            logger.debug("the driver's JVM is gone: %s", e)
            self._has_ended = True
            return None

    def _is_over(self, text: str | None) -> bool:
        if text:
            with self._guard("record"):
                self._record(text)
            self._handle_all(text.split("\n"))
        return self._has_ended or self._is_drained or self._is_late()

    def _is_late(self) -> bool:
        return time.monotonic() >= self.finish_at

    def _handle_all(self, lines: Sequence[str]) -> None:
        self._lines, self._line = lines, 0
        while self._line < len(lines) and not self._is_late():
            self._has_ended |= self._handle(lines[self._line])
            self._line += 1

    def _ask_for_the_rest(self) -> None:
        """Once somebody wants to leave: a last marker, behind all events that are still on the bus."""
        if self._finish_at is None or self._has_asked:
            return
        self._has_asked = True
        try:
            self._listener.mark(LAST_MARKER)
        except GoneError as e:
            logger.debug("the last events cannot be asked for: %s", e)
            self._is_drained = True

    def _record(self, text: str) -> None:
        if self._recorder is not None:
            self._recorder.write(text + "\n")
            self._recorder.flush()

    def _handle(self, text: str) -> bool:
        """Handle a line; True when it is the last."""
        with self._guard("decode"):
            line = wire.read_line(text)
            return _HANDLERS[type(line)](self, line)
        return False

    def _projected(self, line: wire.Projected) -> bool:
        self._say_all("lineage", lambda: self._pipeline.steps(line, _now_ms()))
        return False

    def _say_all(self, stage: str, steps: Callable[[], Iterable[Step]]) -> None:
        ready: tuple[Step, ...] = ()
        with self._guard(stage):
            ready = tuple(steps())
        for step in ready:
            self._say(step)

    def _say(self, step: Step) -> None:
        messages: tuple[Message, ...] = ()
        is_flow = isinstance(step.outcome, Process)
        with self._guard("entities"):
            messages = self._pipeline.messages(step, _now_ms())
            self.processes += is_flow and bool(messages)
        for message in messages:
            with self._guard("send"):
                self.message_types[message.type] += 1
                # A delete that comes late could take away what was made again in the meantime.
                kind = Kind.FLOW if is_flow and not message.is_delete else Kind.CATALOG
                parts = values(message, self._pipeline.context)
                self._spool.send(Record(self._topic, self._key, parts, kind, _now_ms()), self._settled(message.tokens))

    def _note_deliveries(self) -> None:
        if self._has_news and self._sent_file is not None:
            self._has_news = False
            with self._guard("remember"):
                self._sent_file.delivered(self._spool.position())

    def _settled(self, tokens: tuple[Token, ...]) -> Callable[[bool], None]:
        remembered = self._pipeline.remembered
        epoch = remembered.epoch

        def settled(delivered: bool) -> None:
            self._has_news |= delivered
            with self._guard("remember"):
                if delivered:
                    remembered.confirm(tokens, _now_ms(), epoch)
                else:
                    remembered.forget(tokens)

        return settled

    def _marker(self, line: wire.Marker) -> bool:
        self._say_all("due", self._pipeline.held)  # somebody looks now, or never again
        if line.id == LAST_MARKER:
            self._is_drained = True
            return False
        with self._lock:
            flush = self._flushes.get(line.id)
        if flush is not None:
            with self._guard("transport"):
                self._flush_until(flush.deadline)
                flush.messages = self.messages()  # here, where none is added meanwhile
            flush.done.set()
        return False

    def _flush_until(self, deadline: float) -> None:
        """Flush, in slices where the transport may be asked so: somebody may want to leave meanwhile."""
        slice_seconds = self._spool.wrapped.flush_slice_seconds
        while True:
            start = time.monotonic()
            left = max(0.0, min(deadline, self.finish_at) - start)
            if self._spool.flush(min(left, slice_seconds)) == 0:
                return
            has_given_up = self._spool.trouble is not None or time.monotonic() - start < slice_seconds
            if left <= slice_seconds or has_given_up:
                return

    def _end(self, _: wire.End) -> bool:
        return True

    def _stuck(self, line: wire.Stuck) -> bool:
        logger.warning("capturing a query plan timed out and was abandoned: %s", line.stack)
        return False

    def _counters(self, line: wire.Counters) -> bool:
        self.listener_counts = line.counts
        return False

    def _close(self) -> None:
        self._say_all("due", self._pipeline.held)
        deadline = min(self.finish_at, time.monotonic() + self._exit_seconds)
        with self._guard("transport"):
            self._spool.flush(max(0.0, deadline - time.monotonic()))
        self._note_deliveries()
        with self._guard("transport"):
            self._spool.close(max(0.0, deadline - time.monotonic()))
        if self._sent_file is not None:
            with self._guard("remember"):
                self._sent_file.save()
        if self._recorder is not None:
            with self._guard("record"):
                self._recorder.close()


def _now_ms() -> int:
    return int(time.time() * 1000)


class _Flush:
    """Somebody waits for a marker."""

    __slots__ = ("deadline", "done", "messages")

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.done = threading.Event()
        self.messages: Messages | None = None


_HANDLERS: dict[type, Callable[..., bool]] = {
    wire.Projected: Worker._projected,
    wire.Marker: Worker._marker,
    wire.End: Worker._end,
    wire.Stuck: Worker._stuck,
    wire.Counters: Worker._counters,
}
