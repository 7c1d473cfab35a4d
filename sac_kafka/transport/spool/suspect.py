"""Who is to blame where one message fails again and again for a reason that may be its own, or the server's.

A server that answers "internal error" may be in trouble, or trip over this one message. So once a message has failed
alone `ATTEMPTS` times, one behind it is tried. Where that gets through and the first one then fails again, it is
convicted, and does not hold up the others any longer. Where it fails, too, it is the server: nothing is overtaken.
"""

from __future__ import annotations

from sac_kafka.transport.spool.backlog import SpoolPlace

ATTEMPTS = 3


class Suspect:
    """The first message that waits, while it is under suspicion; used under the spool's lock."""

    def __init__(self) -> None:
        self._key: tuple[str, int] | None = None
        self._failures = 0
        self._passed_over = 0  # behind it, which have failed as well
        self._left_to_pass = 0
        self.is_probing = False
        """True where one behind it is to be tried next, at once."""
        self.is_on_trial = False
        """True where another got through since it has failed: it is tried once more, alone."""

    def failed(self, place: SpoolPlace | None) -> None:
        """A message failed alone, for a reason that may be its own."""
        if place is None:
            return
        if place.key == self._key:
            self._failures += 1
        elif self.is_probing:
            self.is_probing = False
            self._passed_over += 1  # another one next time: this may be to blame, too
            return
        else:
            self.clear()
            self._key, self._failures = place.key, 1
        self.is_probing, self._left_to_pass = self._failures >= ATTEMPTS, self._passed_over

    def is_convicted(self, place: SpoolPlace | None) -> bool:
        """Say whether this one, which has just failed, is to blame."""
        return self.is_on_trial and place is not None and place.key == self._key

    def passes_over(self, place: SpoolPlace) -> bool:
        """Say whether the next one is to be tried instead."""
        if not self.is_probing:
            return False
        if place.key == self._key:
            return True
        self._left_to_pass -= 1
        return self._left_to_pass >= 0

    def nothing_behind(self) -> None:
        """There is none to be tried."""
        self.is_probing, self._passed_over = False, 0

    def delivered(self, place: SpoolPlace | None) -> bool:
        """A message got through; gives whether the suspect is to be tried again now."""
        if not self.is_probing or (place is not None and place.key == self._key):
            self.clear()
            return False
        self.is_probing, self.is_on_trial = False, True
        return True

    def clear(self) -> None:
        """Nobody is under suspicion."""
        self._key, self._failures, self._passed_over = None, 0, 0
        self.is_probing = self.is_on_trial = False
