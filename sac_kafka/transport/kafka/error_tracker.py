"""Track the errors of a Kafka client: find the most specific cause of failed deliveries, log and count errors.

The error of a record is often only "timed out"; the cause was reported before, as an error of the connection. Each kind
of error is logged once as a warning and then only counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.kafka.client import ClientError, Failed

if TYPE_CHECKING:
    from sac_kafka.transport.kafka.errors.explaining import Explained

_WITHOUT_CAUSE = frozenset({"not acknowledged", "connection", "connection lost", "no answer", "no metadata"})
"""Kinds of record errors that are less specific than a previous error of the connection."""
GUESS_SECONDS = 3.0
"""Time after which "all brokers are down" is reported without a cause. If there is a cause, it is known by then."""
THROTTLED_SECONDS = 60.0
"""Interval of warnings about throttling."""


def _explain(name: str, text: str, topic: str = "", *, was_reached: bool = False) -> Explained:
    """Explain an error by the rules, which are loaded at the first error."""
    from sac_kafka.transport.kafka.errors.explaining import explain

    return explain(name, text, topic, was_reached=was_reached)


class ErrorTracker:
    """Tracker of one client's errors; `place` names the client in logs. Times are monotonic seconds.

    `explain_error` explains an error: `explain` for producers, `explain_reading` for consumers.
    """

    def __init__(self, place: str, explain_error: Callable[..., Explained] = _explain) -> None:
        self.counts: Counter[str] = Counter()
        self._place = place
        self._explain = explain_error
        self._worst: Explained | None = None
        self._in_a_row: Counter[str] = Counter()  # errors by kind since the last delivery
        self._was_reached = False
        self._down_since: float | None = None
        self._throttled = 0.0
        self._throttled_since: float | None = None

    @property
    def problem(self) -> str | None:
        """The most specific reason why records are not delivered; None after a delivery."""
        return self._worst.sentence if self._worst else None

    @property
    def suspicion(self) -> str | None:
        """The probable reason if all brokers are down and no cause is known yet, else None."""
        return self._guess().sentence if self._is_unexplained else None

    @property
    def is_hopeless(self) -> bool:
        """True if all brokers are down, none was reached before, and the cause is known or its time has passed."""
        return self._down_since is not None and self._worst is not None and not self._was_reached

    def note_delivery(self) -> None:
        """Record a delivery, which ends all errors."""
        self._was_reached = True
        self._worst = None
        self._down_since = None
        self._in_a_row.clear()

    def reopen(self) -> None:
        """Start tracking a new client; the known problem stays until there is a new one or a delivery."""
        self._down_since = None
        self._in_a_row.clear()

    def client_error(self, event: ClientError, now: float) -> Failure | None:
        """Process an error of the connection; return a failure if it means that no record can be delivered."""
        explained = self._explain(event.name, event.text, was_reached=self._was_reached)
        logger.debug("%s: %s: %s", self._place, event.name, explained.sentence)
        if event.name == "_ALL_BROKERS_DOWN":
            self._down_since = now if self._down_since is None else self._down_since
            return None  # `watch` reports it if no cause becomes known
        if event.name == "_LOG":  # usually repeats an error event, but sometimes contains the only cause
            if explained.weight > (self._worst.weight if self._worst else 0):
                self._add(explained)
            return None
        if not explained.weight:
            return None
        self._add(explained)
        self._in_a_row[explained.kind] += 1
        is_final = 0 < explained.blocks_after <= self._in_a_row[explained.kind]
        return Failure(FailureKind.NEEDS_ACTION, explained.sentence) if is_final else None

    def watch(self, now: float) -> None:
        """Report unreachable brokers if no cause became known in time, and throttling once per interval."""
        if self._down_since is not None and now - self._down_since >= GUESS_SECONDS:
            self.suspect()
        if self._throttled_since is not None and now - self._throttled_since >= THROTTLED_SECONDS:
            logger.warning(
                "%s: the broker has delayed its answers by %.1f s in the last minute: raise its throughput "
                "(Event Hubs: throughput units) or the user's quota",
                self._place,
                self._throttled,
            )
            self._throttled, self._throttled_since = 0.0, None

    def suspect(self) -> None:
        """Report unreachable brokers now if no cause is known, because the job may end before one is."""
        if self._is_unexplained:
            self._add(self._guess())

    @property
    def _is_unexplained(self) -> bool:
        return self._down_since is not None and self._worst is None

    def _guess(self) -> Explained:
        return self._explain("_ALL_BROKERS_DOWN", "", was_reached=self._was_reached)

    def note_throttling(self, seconds: float, now: float) -> None:
        """Add a delay to the throttling that is reported once per interval."""
        self.counts["throttled"] += 1
        self._throttled += seconds
        self._throttled_since = now if self._throttled_since is None else self._throttled_since

    def explain_failure(self, event: Failed, topic: str) -> Explained:
        """Explain a record's error, by a previous error of the connection if its own names no cause."""
        explained = self._explain(event.name, event.text, topic)
        if explained.kind in _WITHOUT_CAUSE and self._worst is not None:
            return self._worst
        self._add(explained)
        return explained

    def timed_out(self, seconds: float) -> Failure:
        """Return the failure of records that were not acknowledged within this time."""
        if self._worst is not None:
            return self._worst.failure
        return self._explain("_TIMED_OUT", f"waited {seconds:g} s").failure

    def explain_no_client(self, text: str) -> Explained:
        """Record that no client could be created; the text is the reason."""
        explained = self._explain("_NOT_MADE", text)
        self._add(explained)
        return explained

    def _add(self, explained: Explained) -> None:
        if explained.failure_kind is not FailureKind.REJECTED and (
            self._worst is None or explained.weight >= self._worst.weight
        ):
            self._worst = explained
        self.counts[explained.kind] += 1
        if self.counts[explained.kind] == 1:
            logger.warning("%s: %s", self._place, explained.sentence)


def format_counts(counts: Mapping[str, int]) -> str:
    """Format counts by kind for a log."""
    return ", ".join(f"{kind}: {count}" for kind, count in counts.items())
