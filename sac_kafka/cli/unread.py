"""Messages, and entities of messages, that a command could not read: counted, and told in a line at its end, however it ends."""

from __future__ import annotations

from collections.abc import Sequence

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
        self._entities = 0
        self._first_entity = ""

    def __enter__(self) -> UnreadMessages:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Say how many there were, and why the first could not be read."""
        if self.number:
            what = f"{counted(self.number, 'message')} of {self._place} could not be read"
            complain(f"{what}; {self._first}", self._program)
        if self._entities:
            what = f"{counted(self._entities, 'entity', 'entities')} in messages of {self._place} could not be read"
            complain(f"{what}; {self._first_entity}", self._program)

    def take(self, place: str, problem: str) -> None:
        """Count one."""
        self.number += 1
        self._first = self._first or f"{place}: {problem}"

    def take_entities(self, place: str, problems: Sequence[str]) -> None:
        """Count entities that were left out of a message that could be read."""
        self._entities += len(problems)
        if problems and not self._first_entity:
            self._first_entity = f"{place}: {problems[0]}"
