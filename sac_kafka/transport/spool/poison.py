"""Find the record that blocks the backlog, where its failure is ambiguous: the server's, or the record's own.

A server that answers "internal error" may have failed, or may not be able to process this one record. After a record has
failed alone `ATTEMPTS` times, the next record is tried (a probe). If that is delivered and the first one then fails again,
the first one is poison and is rejected. If the probe fails too, the server is the cause, and the order is kept.
"""

from __future__ import annotations

from sac_kafka.transport.spool.backlog import SpoolPlace

ATTEMPTS = 3
"""Failures of a record before another one is tried."""


class PoisonDetector:
    """State of the suspected record, which is the first of the backlog; used under the spool's lock."""

    def __init__(self) -> None:
        self._key: tuple[str, int] | None = None
        self._failures = 0
        self._failed_probes = 0
        self._probes_to_skip = 0
        self.is_probing = False
        """True if a later record is to be sent next, without a delay."""
        self.is_retrial = False
        """True if a later record was delivered: the suspect is sent once more, alone."""

    def failed(self, place: SpoolPlace | None) -> None:
        """Note an ambiguous failure of a record that was sent alone."""
        if place is None:
            return
        if place.key == self._key:
            self._failures += 1
        elif self.is_probing:
            self.is_probing = False
            self._failed_probes += 1  # The next probe is another record: this one may be poison, too.
            return
        else:
            self.clear()
            self._key, self._failures = place.key, 1
        self.is_probing, self._probes_to_skip = self._failures >= ATTEMPTS, self._failed_probes

    def is_poison(self, place: SpoolPlace | None) -> bool:
        """Return whether the record that just failed is the cause of its failure."""
        return self.is_retrial and place is not None and place.key == self._key

    def skips(self, place: SpoolPlace) -> bool:
        """Return whether this record is skipped, as a later one is the probe."""
        if not self.is_probing:
            return False
        if place.key == self._key:
            return True
        self._probes_to_skip -= 1
        return self._probes_to_skip >= 0

    def no_other_record(self) -> None:
        """End probing, as no later record exists."""
        self.is_probing, self._failed_probes = False, 0

    def delivered(self, place: SpoolPlace | None) -> bool:
        """Note a delivery. Return whether the suspect is to be sent again now."""
        if not self.is_probing or (place is not None and place.key == self._key):
            self.clear()
            return False
        self.is_probing, self.is_retrial = False, True
        return True

    def clear(self) -> None:
        """Suspect no record."""
        self._key, self._failures, self._failed_probes = None, 0, 0
        self.is_probing = self.is_retrial = False
