"""Which versions, timestamps or branches of its inputs a run has read: facts of the run, never part of a name."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, bounded
from sac_kafka.lineage.model import Process

_TEXT_LIMIT = COMMENT_LIMIT // 10


def read(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """`sales.orders: version 3` for each state of an input that was asked for; `datasets` by key."""
    return tuple(
        f"{datasets[key].stem}: {bounded(version, _TEXT_LIMIT)}"
        for key, version in described.versions_read
        if key in datasets
    )
