"""Plans of chaos rounds come from a seed, and twelve of them have everything once."""

from __future__ import annotations

import pytest

from tests.live.delivery.chaos_faults import FAULTS
from tests.live.delivery.chaos_plan import KILLED, STATUSES, plans

pytestmark = pytest.mark.full

WRITES = 50


def test_a_seed_repeats_its_rounds() -> None:
    assert plans(6, 40, WRITES) == plans(6, 40, WRITES)
    assert plans(6, 40, WRITES)[:12] == plans(6, 12, WRITES)
    assert plans(6, 40, WRITES) != plans(7, 40, WRITES)


def test_twelve_rounds_have_every_fault() -> None:
    titles = [plan.title.split(",")[0] for plan in plans(6, 12, WRITES)]

    assert titles[0] == KILLED
    assert set(titles) >= {KILLED, *(name.split(",")[0] for name in FAULTS)} - {"nothing", "proxy refuse"}


def test_many_rounds_have_everything() -> None:
    many = plans(6, 400, WRITES)

    assert {plan.fault for plan in many} == set(FAULTS)
    assert {plan.ending for plan in many} == set(STATUSES)
    assert {plan.strikes_at == 0 for plan in many} == {plan.heals_at is None for plan in many} == {True, False}
    for plan in many:
        assert 0 <= plan.strikes_at < (plan.heals_at or WRITES + 1) <= WRITES + 1
        if plan.kills_at is not None:
            # Only what is written before it is sent survives a kill, and only where there is room for it.
            assert dict(plan.settings)["atlas.hook.spark.durability"] == "spool-first"
            assert not FAULTS[plan.fault].needs_disk
            assert 0 < plan.kills_at < WRITES
