"""Messages that a command could not read: counted, and told in one line at its end, however it ends."""

from __future__ import annotations

from sac_kafka.cli.saying import complain
from sac_kafka.figures import counted


class UnreadMessages:
    """Counts them; use it as a context manager.

    Args:
        place: What to call where the messages are.
        program: Who speaks.
    """

    def __init__(self, place: str, program: str) -> None:
        self._place = place
        self._program = program
        self._first = ""
        self.number = 0

    def __enter__(self) -> UnreadMessages:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Say how many there were, and why the first could not be read."""
        if self.number:
            what = f"{counted(self.number, 'message')} of {self._place} could not be read"
            complain(f"{what}; {self._first}", self._program)

    def take(self, place: str, problem: str) -> None:
        """Count one."""
        self.number += 1
        self._first = self._first or f"{place}: {problem}"
