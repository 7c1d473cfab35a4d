"""What is known of a Kafka client's trouble: which one explains best why nothing gets through, and what is logged of it.

A record's own error is often only "timed out"; the cause came before, as an event of the connection. Each kind of
trouble is logged once as a warning and counted from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.kafka.client import Failed, Noticed
from sac_kafka.transport.kafka.errors.explaining import WITHOUT_CAUSE, Explained, explain

GUESS_SECONDS = 3.0
"""So long may all brokers be down before that is told without another cause: a cause comes within that time."""
THROTTLED_SECONDS = 60.0
"""Throttling is told once in so many seconds."""


class Troubles:
    """Takes a client's errors; `place` names it in logs. Times are those of one monotonic clock, in seconds.

    `words` explains an error: `explain` to who writes, `explain_reading` to who reads.
    """

    def __init__(self, place: str, words: Callable[..., Explained] = explain) -> None:
        self.counts: Counter[str] = Counter()
        self._place = place
        self._explain = words
        self._worst: Explained | None = None
        self._in_a_row: Counter[str] = Counter()  # of a kind, since the last delivery
        self._was_reached = False
        self._down_since: float | None = None
        self._throttled = 0.0
        self._throttled_since: float | None = None

    @property
    def problem(self) -> str | None:
        """The trouble that explains best why records do not get through; None after a delivery."""
        return self._worst.sentence if self._worst else None

    @property
    def suspicion(self) -> str | None:
        """What is suspected where this client has said that no broker can be reached, and nothing says why so far."""
        return self._guess().sentence if self._is_unexplained else None

    @property
    def is_known_down(self) -> bool:
        """True where this client has said that no broker can be reached, and it is known why, or nothing tells in time."""
        return self._down_since is not None and self._worst is not None

    def delivered(self) -> None:
        """Note that a record got through: whatever was wrong is over."""
        self._was_reached = True
        self._worst = None
        self._down_since = None
        self._in_a_row.clear()

    def reopened(self) -> None:
        """Note that another client begins; what is known stays until it has news."""
        self._down_since = None
        self._in_a_row.clear()

    def noticed(self, event: Noticed, now: float) -> Failure | None:
        """Take trouble of the connection; gives a failure where it says that nothing will get through."""
        explained = self._explain(event.name, event.text, was_reached=self._was_reached)
        logger.debug("%s: %s: %s", self._place, event.name, explained.sentence)
        if event.name == "_ALL_BROKERS_DOWN":
            self._down_since = now if self._down_since is None else self._down_since
            return None  # told by `watch`, where nothing explains it
        if event.name == "_LOG":  # what an event told, too; of use where it did not
            if explained.weight > (self._worst.weight if self._worst else 0):
                self._take(explained)
            return None
        if not explained.weight:
            return None
        self._take(explained)
        self._in_a_row[explained.kind] += 1
        is_final = 0 < explained.blocks_after <= self._in_a_row[explained.kind]
        return Failure(FailureKind.NEEDS_ACTION, explained.sentence) if is_final else None

    def watch(self, now: float) -> None:
        """Tell that no broker answers, once that has lasted without any other explanation."""
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
        """Tell what is suspected where all brokers are down and nothing says why: the job may end before a cause is told."""
        if self._is_unexplained:
            self._take(self._guess())

    @property
    def _is_unexplained(self) -> bool:
        return self._down_since is not None and self._worst is None

    def _guess(self) -> Explained:
        return self._explain("_ALL_BROKERS_DOWN", "", was_reached=self._was_reached)

    def throttled(self, seconds: float, now: float) -> None:
        """Add to what is told once a minute."""
        self.counts["throttled"] += 1
        self._throttled += seconds
        self._throttled_since = now if self._throttled_since is None else self._throttled_since

    def failed(self, event: Failed, topic: str) -> Explained:
        """Explain a record's error, by the trouble before it where it says nothing itself."""
        explained = self._explain(event.name, event.text, topic)
        if explained.kind in WITHOUT_CAUSE and self._worst is not None:
            return self._worst
        self._take(explained)
        return explained

    def late(self, seconds: float) -> Failure:
        """Why a record was not acknowledged within so many seconds."""
        if self._worst is not None:
            return self._worst.failure
        return self._explain("_TIMED_OUT", f"waited {seconds:g} s").failure

    def broken(self, text: str) -> Explained:
        """Take that no client can be made; the text says why."""
        explained = self._explain("_NOT_MADE", text)
        self._take(explained)
        return explained

    def _take(self, explained: Explained) -> None:
        if explained.failure_kind is not FailureKind.REJECTED and (
            self._worst is None or explained.weight >= self._worst.weight
        ):
            self._worst = explained
        self.counts[explained.kind] += 1
        if self.counts[explained.kind] == 1:
            logger.warning("%s: %s", self._place, explained.sentence)


def shown(counts: Mapping[str, int]) -> str:
    """Give kinds and how often each came, for a log."""
    return ", ".join(f"{kind}: {count}" for kind, count in counts.items())
