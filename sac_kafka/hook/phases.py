"""Where an attachment is, from `attach` to its end: one value, and a table for each of the moves that change it.

The thread that attaches, the worker, the thread that stands by and signal handlers all move it: whoever comes first
decides, and is told so. No lock: a signal handler may interrupt its thread in the middle of a move, and then wait for what
another thread does next. So the value is what follows from the moves in the order in which they were made, and to make one
is to append it to a list, which nothing can cut in two.
"""

from __future__ import annotations

import queue
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import reduce

from sac_kafka.deadlines import MONOTONIC, Clock
from sac_kafka.hook.parts import Parts

_POLL_SECONDS = 0.01


class Phase(Enum):
    """How far an attachment is.

    `REFUSED`: there are no parts, and there will be none. `ACTIVE`: the worker runs. `OVERDUE`: it should have ended, and
    the thread that stands by is asked to keep what it holds; `KEPT`: that is done. `REPORTING`: nothing is under way any
    more, and one thread says what became of it all. `LEFT`: nobody waits any longer, although nothing was said;
    `ENDED`: all is said and done.
    """

    NEW = 1
    ATTACHING = 2
    REFUSED = 3
    ACTIVE = 4
    OVERDUE = 5
    KEPT = 6
    REPORTING = 7
    LEFT = 8
    ENDED = 9


Move = Mapping[Phase, Phase]
"""From which phase to which one; from any other it changes nothing."""

BEGIN: Move = {Phase.NEW: Phase.ATTACHING}
REFUSE: Move = {Phase.NEW: Phase.REFUSED, Phase.ATTACHING: Phase.REFUSED}
ATTACH: Move = {Phase.ATTACHING: Phase.ACTIVE}
GIVE_UP: Move = {Phase.ACTIVE: Phase.OVERDUE}
KEEP: Move = {Phase.OVERDUE: Phase.KEPT}
REPORT: Move = {
    Phase.ACTIVE: Phase.REPORTING,
    Phase.OVERDUE: Phase.REPORTING,
    Phase.KEPT: Phase.REPORTING,
    Phase.LEFT: Phase.ENDED,  # late, but said
}
LEAVE: Move = {Phase.OVERDUE: Phase.LEFT, Phase.KEPT: Phase.LEFT, Phase.REPORTING: Phase.ENDED}
END: Move = {Phase.REPORTING: Phase.ENDED}

OVER = frozenset({Phase.LEFT, Phase.ENDED})
NOT_HANGING = frozenset({Phase.KEPT, Phase.REPORTING}) | OVER
_GIVEN_UP = frozenset({Phase.OVERDUE, Phase.LEFT})
_NOT_YET = frozenset({Phase.NEW, Phase.ATTACHING})


@dataclass(frozen=True, slots=True)
class State:
    """The phase, the parts from `ACTIVE` on, and why it does nothing before that."""

    phase: Phase = Phase.NEW
    parts: Parts | None = None
    why_disabled: str | None = "not attached yet"

    @property
    def is_listening(self) -> bool:
        """Whether it is attached, and not over."""
        return self.parts is not None and self.phase not in OVER


@dataclass(frozen=True, slots=True, eq=False)  # two alike are two
class _Made:
    """A move that somebody has made, and what it brings."""

    by: Move
    parts: Parts | None
    why_disabled: str | None

    def after(self, before: State) -> State:
        """What it makes of a state."""
        to = self.by.get(before.phase)
        if to is None:
            return before
        parts = self.parts or before.parts
        return State(to, parts, None if parts is not None else self.why_disabled or before.why_disabled)


def _after(made: Iterable[_Made]) -> State:
    return reduce(lambda state, each: each.after(state), made, State())


class Phases:
    """The state of one attachment. Every method may be called by any thread, and by a signal handler."""

    def __init__(self, clock: Clock = MONOTONIC) -> None:
        self._clock = clock
        self._made: list[_Made] = []
        self._moved: queue.SimpleQueue[None] = queue.SimpleQueue()  # its `put` may interrupt itself, too

    @property
    def state(self) -> State:
        """The state by now."""
        return _after(self._made[:])

    def move(self, by: Move, *, parts: Parts | None = None, why_disabled: str | None = None) -> bool:
        """Make a move; gives whether it has changed the phase, which of several that make it at once one alone has.

        Args:
            by: The move.
            parts: What there is from now on, with `ATTACH`.
            why_disabled: Why there is nothing, with `REFUSE`.
        """
        mine = _Made(by, parts, why_disabled)
        if self.state.phase in by:  # else it never counts, and need not be kept
            self._made.append(mine)
        self._moved.put(None)  # in any case: whoever was first may be interrupted before it comes to this
        made = self._made[:]
        return mine in made and _after(made[: made.index(mine)]).phase in by

    def wait(self, phases: frozenset[Phase], seconds: float) -> bool:
        """Wait at most this long for one of the phases; gives whether it has come to one."""
        deadline = self._clock() + seconds
        while self.state.phase not in phases and (left := deadline - self._clock()) > 0:
            self._clock.sleep(min(_POLL_SECONDS, left))
        return self.state.phase in phases

    def stand_by(self) -> bool:
        """Wait, without a deadline, while it works; gives whether somebody has given the worker up. For one thread.

        Also where who gave it up has left before this thread came to run: late is better than never.
        """
        while self.state.phase in _NOT_YET | {Phase.ACTIVE}:
            self._moved.get()
        return self.state.phase in _GIVEN_UP
