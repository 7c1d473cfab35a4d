"""Plan of a round, drawn from a seed: which fault, when it comes and goes, how the job is set and how it ends."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.live.delivery.chaos_faults import FAULTS

KILLED = "driver killed"
"""A fault in tables of figures: the driver ends by SIGKILL, perhaps with another fault."""

TERMINATED = "sigterm"
"""An ending that comes from outside, at a random statement."""

STATUSES = {"stop": 0, "no-stop": 0, "exception": 1, "exit": 3, TERMINATED: -15}
"""What a job's exit status is without the hook, by its ending."""


@dataclass(frozen=True)
class Plan:
    """One round. Statements are counted from 1; 0: before the job starts, None: not before it has ended."""

    number: int
    seed: str
    fault: str
    strikes_at: int
    heals_at: int | None
    kills_at: int | None
    terminates_at: int | None
    delay_seconds: float
    """How long after a statement everything happens: its message may be anywhere on its way."""
    ending: str
    settings: tuple[tuple[str, str], ...]
    replays: bool
    """Afterwards the command line replays what is left; else the next driver finds it."""

    @property
    def title(self) -> str:
        """What the figures call it."""
        return self.fault if self.kills_at is None else f"{KILLED}, {self.fault}"

    def __str__(self) -> str:
        """Return all of it on one line, for a report of what failed."""
        return (
            f"round {self.number} (seed {self.seed}): {self.fault} from statement {self.strikes_at} to {self.heals_at}, "
            f"killed at {self.kills_at}, ending {self.ending} ({self.terminates_at}), always {self.delay_seconds:.3f} s "
            f"after the statement, {dict(self.settings)}, replays {self.replays}"
        )


def plans(seed: int, rounds: int, writes: int, endings: Sequence[str] = tuple(STATUSES)) -> list[Plan]:
    """Draw the rounds: a killed driver and all faults in turn; the same for the same arguments."""
    kinds = [KILLED, *(name for name in FAULTS if name != "nothing")]
    drawn = []
    for number in range(rounds):
        of_round = f"{seed}:{number}"
        drawn.append(_plan(number, of_round, kinds[number % len(kinds)], random.Random(of_round), writes, endings))
    return drawn


def _plan(number: int, seed: str, kind: str, dice: random.Random, writes: int, endings: Sequence[str]) -> Plan:
    is_killed = kind == KILLED
    fault = dice.choice([name for name, each in FAULTS.items() if not each.loses]) if is_killed else kind
    strikes_at = dice.choice((0, *(dice.randint(1, writes - 5) for _ in range(4))))
    heals_at = dice.choice((None, *(dice.randint(strikes_at + 1, writes) for _ in range(2))))
    # What is written before it is sent survives a kill; a full disk then keeps nothing.
    is_spool_first = is_killed or dice.random() < 0.4
    ending = dice.choice([each for each in endings if not (is_killed and each == TERMINATED)])
    return Plan(
        number=number,
        seed=seed,
        fault="nothing" if is_killed and FAULTS[fault].needs_disk else fault,
        strikes_at=strikes_at,
        heals_at=heals_at,
        kills_at=dice.randint(3, writes - 1) if is_killed else None,
        terminates_at=dice.randint(3, writes - 5) if ending == TERMINATED else None,
        delay_seconds=dice.uniform(0, 0.3),
        ending=ending,
        settings=(
            ("atlas.hook.spark.durability", "spool-first" if is_spool_first else "on-failure"),
            *dice.choice(_CLIENTS),
        ),
        replays=dice.random() < 0.5,
    )


_CLIENTS: tuple[tuple[tuple[str, str], ...], ...] = (
    (),  # as shipped: a fault that lasts ends with the job before any deadline does
    (
        ("atlas.kafka.delivery.timeout.ms", "3000"),
        ("atlas.kafka.request.timeout.ms", "1500"),
        ("atlas.hook.spool.destination.retry.ms", "1000"),
    ),
    (
        ("atlas.kafka.delivery.timeout.ms", "2000"),
        ("atlas.kafka.request.timeout.ms", "1000"),
        ("atlas.hook.spool.destination.retry.ms", "1000"),
        ("atlas.hook.spool.destination.message.batchsize", "3"),
    ),
)
