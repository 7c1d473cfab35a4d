"""Count messages and entities that a command has to skip because they are unreadable, and report them when it ends."""

from __future__ import annotations

from collections.abc import Sequence

from sac_kafka.stats import counted
from sac_kafka.tools.cli.output import print_error


class SkippedMessages:
    """Counter of unreadable messages; as a context manager it reports them on standard error, one line for each kind.

    Args:
        place: Display name of the source of the messages.
        program: Name of the command.
    """

    def __init__(self, place: str, program: str) -> None:
        self._place = place
        self._program = program
        self._first = ""
        self.number = 0
        self._entities = 0
        self._first_entity = ""

    def __enter__(self) -> SkippedMessages:
        """Return this counter."""
        return self

    def __exit__(self, *_: object) -> None:
        """Report how many messages were skipped, and the reason of the first."""
        if self.number:
            what = f"{counted(self.number, 'message')} of {self._place} could not be read"
            print_error(f"{what}; {self._first}", self._program)
        if self._entities:
            what = f"{counted(self._entities, 'entity', 'entities')} in messages of {self._place} could not be read"
            print_error(f"{what}; {self._first_entity}", self._program)

    def add(self, place: str, problem: str) -> None:
        """Count an unreadable message."""
        self.number += 1
        self._first = self._first or f"{place}: {problem}"

    def add_entities(self, place: str, problems: Sequence[str]) -> None:
        """Count the unreadable entities of a message that was otherwise read."""
        self._entities += len(problems)
        if problems and not self._first_entity:
            self._first_entity = f"{place}: {problems[0]}"
