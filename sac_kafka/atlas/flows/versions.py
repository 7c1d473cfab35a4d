"""Describe the versions of inputs read by a run, and the inputs that passed through the driver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, bounded
from sac_kafka.lineage.model import Process

_TEXT_LIMIT = COMMENT_LIMIT // 10


def read(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """Return `sales.orders: version 3` for each explicitly requested version of an input; `datasets` by key."""
    return _described(described.versions_read, datasets)


def through_driver(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """Return `sales.orders: values of it` for each input whose rows passed through the driver's Python."""
    return _described(described.through_driver, datasets)


def _described(facts: Iterable[tuple[str, str]], datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    return tuple(f"{datasets[key].stem}: {bounded(fact, _TEXT_LIMIT)}" for key, fact in facts if key in datasets)
