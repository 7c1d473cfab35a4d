"""The broker, the way to it, the disk and the driver fail at random moments: nothing is lost, the job is unharmed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.seeds import seed
from tests.live.delivery.chaos import WRITES, run_rounds
from tests.live.delivery.chaos_plan import STATUSES, plans

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

SEED = 6


@pytest.mark.parametrize(
    ("rounds", "endings"),
    [
        pytest.param(2, ("stop", "exit"), id="two", marks=[pytest.mark.exhaustive, pytest.mark.timeout(1800)]),
        pytest.param(200, tuple(STATUSES), id="many", marks=[pytest.mark.nightly, pytest.mark.timeout(0)]),
    ],
)
def test_no_message_is_lost_in_random_faults(
    rounds: int, endings: tuple[str, ...], tmp_path: Path, add_to_summary: Callable[[str], None]
) -> None:
    first = seed(SEED)
    add_to_summary(f"chaos: seed {first}, {rounds} rounds")
    figures = run_rounds(tmp_path, plans(first, rounds, WRITES, endings), add_to_summary)

    assert figures.rounds.total() == rounds
    assert figures.messages.total() >= rounds * 5
    assert figures.lost.total() == 0
