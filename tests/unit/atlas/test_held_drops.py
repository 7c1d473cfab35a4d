"""A drop is delayed: a table that is created again in time is never deleted (R17)."""

from __future__ import annotations

from sac_kafka.model import TableDropped
from sac_kafka.stages.outcome_scheduler import HeldDrops
from tests.unit.atlas.flows import table

DROP = TableDropped(table=table("t"))
OTHER = TableDropped(table=table("u"))


def test_drop_is_due_after_its_time_once():
    drops = HeldDrops(60_000)
    drops.hold(DROP, 1_000)
    drops.hold(OTHER, 2_000)
    assert drops.due(60_999) == ()
    assert drops.due(61_000) == (DROP,)
    assert drops.due(70_000) == (OTHER,)
    assert drops.all() == ()


def test_r17_table_that_is_created_again_is_not_deleted():
    drops = HeldDrops(60_000)
    drops.hold(DROP, 0)
    assert drops.release(DROP.table.key)
    assert not drops.release(DROP.table.key)
    assert drops.all() == ()


def test_rename_onto_the_name_releases_the_drop_at_once():
    drops = HeldDrops(60_000)
    drops.hold(DROP, 0)
    assert drops.release(DROP.table.key) == (DROP,)
    assert not drops.held


def test_all_returns_drops_in_order():
    drops = HeldDrops(60_000)
    drops.hold(OTHER, 0)
    drops.hold(DROP, 0)
    assert drops.all() == (OTHER, DROP)
