"""Seeds of random tests: fixed, so that failures repeat; SAC_KAFKA_TEST_SEED sets another one."""

from __future__ import annotations

import os

VARIABLE = "SAC_KAFKA_TEST_SEED"


def seed(fixed: int) -> int:
    """Return the seed of a test: its own, or the one that SAC_KAFKA_TEST_SEED gives to all."""
    return int(os.environ.get(VARIABLE, fixed))
