"""Seeds of tests that draw: fixed, so that what failed once fails again, and others for whoever looks for more."""

from __future__ import annotations

import os

VARIABLE = "SAC_KAFKA_TEST_SEED"


def seed(fixed: int) -> int:
    """The seed of a test: its own, or the one that SAC_KAFKA_TEST_SEED gives to all."""
    return int(os.environ.get(VARIABLE, fixed))
