"""What became of records: counted with reasons, and said once."""

from __future__ import annotations

from collections import Counter

from sac_kafka.log import logger

KINDS = ("delivered", "dropped", "rejected", "replayed")
MAX_REASONS = 20
OTHER_REASONS = "other reasons"
"""A reason may name what was refused, so there may be as many of them as messages."""


class Tally:
    """Counts of records, and of the reasons why some are dropped or rejected."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.reasons: dict[str, Counter[str]] = {"dropped": Counter(), "rejected": Counter()}
        self._warned: set[str] = set()

    def delivered(self, *, is_own: bool) -> None:
        """A record was delivered; `replayed` counts those of other drivers."""
        self.counts["delivered" if is_own else "replayed"] += 1

    def rejected(self, reason: str) -> None:
        """A record was refused for good."""
        self.counts["rejected"] += 1
        self._count("rejected", reason, 1)

    def dropped(self, reason: str, count: int = 1) -> None:
        """Records are lost."""
        if count > 0:
            self.warn("dropped", f"messages are dropped: {reason}")
            self.counts["dropped"] += count
            self._count("dropped", reason, count)

    def forgotten(self, reason: str, count: int) -> None:
        """Records that were counted as rejected are not kept any longer."""
        if count > 0:
            self.warn("forgotten", f"messages that were refused are removed: {reason}")
            self._count("rejected", reason, count)

    def _count(self, kind: str, reason: str, count: int) -> None:
        reasons = self.reasons[kind]
        is_counted = reason in reasons or len(reasons) < MAX_REASONS
        reasons[reason if is_counted else OTHER_REASONS] += count

    def warn(self, kind: str, text: str) -> None:
        """Say what becomes of messages, once of each kind until they get through again."""
        if kind not in self._warned:
            self._warned.add(kind)
            logger.warning("%s", text)

    def gets_through(self, name: str) -> None:
        """Say that trouble is over."""
        logger.info("messages get through again to %s", name)
        self._warned.clear()
