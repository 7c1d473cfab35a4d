"""The broker, the way to it, the disk and the driver fail at random moments: nothing is lost, the job is unharmed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from delivery.chaos import WRITES, run_rounds
from delivery.chaos_plan import STATUSES, plans

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

SEED = 6


@pytest.mark.parametrize(
    ("rounds", "endings"),
    [
        pytest.param(12, ("stop", "exit"), id="twelve"),
        pytest.param(200, tuple(STATUSES), id="many", marks=pytest.mark.nightly),
    ],
)
def test_no_message_is_lost_whatever_fails(
    rounds: int, endings: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = int(os.environ.get("SAC_KAFKA_TEST_SEED", SEED))

    def say(line: str) -> None:
        with capsys.disabled():  # the figures are part of what a run says
            print(line, flush=True)

    say(f"\nchaos: seed {seed}, {rounds} rounds")
    figures = run_rounds(tmp_path, plans(seed, rounds, WRITES, endings), say)

    assert figures.rounds.total() == rounds
    assert figures.messages.total() >= rounds * 5
    assert figures.lost.total() == 0
