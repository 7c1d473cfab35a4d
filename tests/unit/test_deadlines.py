"""A deadline shared by several steps."""

from __future__ import annotations

from sac_kafka.deadlines import Deadline
from tests.helpers.waiting import FakeClock


def test_step_gets_the_remaining_time_within_its_bounds() -> None:
    clock = FakeClock()
    deadline = Deadline(10, clock)
    assert (deadline.left(), deadline.left(max_seconds=3)) == (10, 3)
    clock.sleep(8)
    assert (deadline.left(), deadline.left(max_seconds=3)) == (2, 2)
    clock.sleep(8)
    assert (deadline.left(), deadline.left(min_seconds=1)) == (0.1, 1)
