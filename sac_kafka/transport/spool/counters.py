"""Count the outcomes of records by reason, and log each kind once."""

from __future__ import annotations

from collections import Counter

from sac_kafka.log import logger

KINDS = ("delivered", "dropped", "rejected", "replayed")
MAX_REASONS = 20
OTHER_REASONS = "other reasons"
"""Counts all reasons beyond `MAX_REASONS`: a reason may quote its message, so there may be as many as messages."""


class OutcomeCounters:
    """Number of records by outcome, and of dropped and rejected ones by reason."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.reasons: dict[str, Counter[str]] = {"dropped": Counter(), "rejected": Counter()}
        self._warned: set[str] = set()

    def delivered(self, *, is_own: bool) -> None:
        """Count a delivered record; `replayed` if another driver wrote it."""
        self.counts["delivered" if is_own else "replayed"] += 1

    def rejected(self, reason: str) -> None:
        """Count a rejected record."""
        self.counts["rejected"] += 1
        self._count("rejected", reason, 1)

    def dropped(self, reason: str, count: int = 1) -> None:
        """Count lost records, and warn."""
        if count > 0:
            self.warn("dropped", f"messages are dropped: {reason}")
            self.counts["dropped"] += count
            self._count("dropped", reason, count)

    def rejected_removed(self, reason: str, count: int) -> None:
        """Count deleted records, which were counted as rejected before, by this reason, and warn."""
        if count > 0:
            self.warn("rejected removed", f"rejected messages are deleted: {reason}")
            self._count("rejected", reason, count)

    def _count(self, kind: str, reason: str, count: int) -> None:
        reasons = self.reasons[kind]
        is_counted = reason in reasons or len(reasons) < MAX_REASONS
        reasons[reason if is_counted else OTHER_REASONS] += count

    def warn(self, kind: str, text: str) -> None:
        """Log a warning, once per kind until delivery resumes."""
        if kind not in self._warned:
            self._warned.add(kind)
            logger.warning("%s", text)

    def delivery_resumed(self, name: str) -> None:
        """Log that delivery works again, and allow further warnings."""
        logger.info("messages are delivered again to %s", name)
        self._warned.clear()
