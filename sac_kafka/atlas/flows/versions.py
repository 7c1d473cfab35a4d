"""What of the inputs a run has read (versions, timestamps, branches), and what went through the driver; never part of a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, bounded
from sac_kafka.lineage.model import Process

_TEXT_LIMIT = COMMENT_LIMIT // 10


def read(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """`sales.orders: version 3` for each state of an input that was asked for; `datasets` by key."""
    return _said(described.versions_read, datasets)


def through_driver(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """`sales.orders: values of it` for each input whose rows went through the driver's Python."""
    return _said(described.through_driver, datasets)


def _said(facts: Iterable[tuple[str, str]], datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    return tuple(f"{datasets[key].stem}: {bounded(fact, _TEXT_LIMIT)}" for key, fact in facts if key in datasets)
