"""Keep the phase of an attachment, from `attach` to its end, as a lock-free state machine with a table per move.

The attaching thread, the worker, the stand-by thread and signal handlers move it concurrently; the first one wins and `move`
returns whether it did. There is no lock, because a signal handler may interrupt its own thread in the middle of a move and then
wait for another thread. Instead the moves are appended to a list, which is atomic, and the state follows from their order.
"""

from __future__ import annotations

import queue
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import reduce

from sac_kafka.deadlines import MONOTONIC, Clock
from sac_kafka.hook.joined import Joined
from sac_kafka.hook.parts import Parts

_POLL_SECONDS = 0.01


class Phase(Enum):
    """Phase of an attachment.

    `JOINED`: attached, while another Python process serves the SparkContext.
    `REFUSED`: not attached, for good. `ACTIVE`: the worker runs. `OVERDUE`: the worker missed its deadline, and the stand-by
    thread spools what it holds; `KEPT`: that is done. `REPORTING`: no record is in flight, and one thread writes the summary.
    `LEFT`: the exiting thread stopped waiting before the summary was written. `ENDED`: the summary is written.
    """

    NEW = 1
    ATTACHING = 2
    REFUSED = 3
    JOINED = 4
    ACTIVE = 5
    OVERDUE = 6
    KEPT = 7
    REPORTING = 8
    LEFT = 9
    ENDED = 10


Move = Mapping[Phase, Phase]
"""Old phase to new phase; in any other phase the move has no effect."""

BEGIN: Move = {Phase.NEW: Phase.ATTACHING}
REFUSE: Move = {Phase.NEW: Phase.REFUSED, Phase.ATTACHING: Phase.REFUSED}
JOIN: Move = {Phase.ATTACHING: Phase.JOINED, Phase.JOINED: Phase.JOINED}
PART: Move = {Phase.JOINED: Phase.ENDED}
ATTACH: Move = {Phase.ATTACHING: Phase.ACTIVE, Phase.JOINED: Phase.ACTIVE}
GIVE_UP: Move = {Phase.ACTIVE: Phase.OVERDUE}
KEEP: Move = {Phase.OVERDUE: Phase.KEPT}
REPORT: Move = {
    Phase.ACTIVE: Phase.REPORTING,
    Phase.OVERDUE: Phase.REPORTING,
    Phase.KEPT: Phase.REPORTING,
    Phase.LEFT: Phase.ENDED,  # late
}
LEAVE: Move = {Phase.OVERDUE: Phase.LEFT, Phase.KEPT: Phase.LEFT, Phase.REPORTING: Phase.ENDED}
END: Move = {Phase.REPORTING: Phase.ENDED}

OVER = frozenset({Phase.LEFT, Phase.ENDED})
NOT_HANGING = frozenset({Phase.KEPT, Phase.REPORTING}) | OVER
_GIVEN_UP = frozenset({Phase.OVERDUE, Phase.LEFT})
_NOT_YET = frozenset({Phase.NEW, Phase.ATTACHING, Phase.JOINED})


@dataclass(frozen=True, slots=True)
class State:
    """The phase, the parts from `ACTIVE` on, the served hook from `JOINED` on, the reason for being disabled before."""

    phase: Phase = Phase.NEW
    parts: Parts | None = None
    joined: Joined | None = None
    why_disabled: str | None = "not attached yet"

    @property
    def is_listening(self) -> bool:
        """Whether the hook is attached and has not ended."""
        return (self.parts or self.joined) is not None and self.phase not in OVER


@dataclass(frozen=True, slots=True, eq=False)  # Identity, not equality: equal moves are distinct.
class _Transition:
    """A move that was made, with its arguments."""

    by: Move
    parts: Parts | None
    joined: Joined | None
    why_disabled: str | None

    def after(self, before: State) -> State:
        """Return the state after the move."""
        to = self.by.get(before.phase)
        if to is None:
            return before
        parts, joined = self.parts or before.parts, self.joined or before.joined
        is_attached = parts is not None or joined is not None
        return State(to, parts, joined, None if is_attached else self.why_disabled or before.why_disabled)


def _after(moves: Iterable[_Transition]) -> State:
    return reduce(lambda state, move: move.after(state), moves, State())


class Phases:
    """State of one attachment. Every method is safe in any thread and in signal handlers."""

    def __init__(self, clock: Clock = MONOTONIC) -> None:
        self._clock = clock
        self._moves: list[_Transition] = []
        self._moved: queue.SimpleQueue[None] = queue.SimpleQueue()  # Reentrant: safe in a signal handler.

    @property
    def state(self) -> State:
        """The current state."""
        return _after(self._moves[:])

    def move(
        self, by: Move, *, parts: Parts | None = None, joined: Joined | None = None, why_disabled: str | None = None
    ) -> bool:
        """Make a move; return whether this call changed the phase. Of concurrent calls only one does.

        Args:
            by: The move.
            parts: The parts, for `ATTACH`.
            joined: The hook that is served, for `JOIN`.
            why_disabled: The reason, for `REFUSE`.
        """
        mine = _Transition(by, parts, joined, why_disabled)
        may_move = self.state.phase in by
        if may_move:  # otherwise it can never have an effect
            self._moves.append(mine)
        self._moved.put(None)  # Always: the call that came first may be interrupted before its own `put`.
        if not may_move:
            return False
        moves = self._moves[:]
        before = _after(moves[: moves.index(mine)])  # other threads may have moved since `may_move`
        return before.phase in by

    def wait(self, phases: frozenset[Phase], seconds: float) -> bool:
        """Wait at most `seconds` for one of the phases; return whether it was reached."""
        deadline = self._clock() + seconds
        while self.state.phase not in phases and (left := deadline - self._clock()) > 0:
            self._clock.sleep(min(_POLL_SECONDS, left))
        return self.state.phase in phases

    def stand_by(self) -> bool:
        """Wait, without a deadline, until the worker ends or is abandoned; return whether it was abandoned. For one thread.

        Also true if the thread that abandoned it has left already: spooling late is better than losing messages.
        """
        while self.state.phase in _NOT_YET | {Phase.ACTIVE}:
            self._moved.get()
        return self.state.phase in _GIVEN_UP
