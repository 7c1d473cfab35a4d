"""Describe what a run read: rows, files and bytes of each input, its version, and how its rows passed through the driver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, bounded
from sac_kafka.lineage.model import DatasetRead, Process

_TEXT_LIMIT = COMMENT_LIMIT // 10


def read(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """Return `sales.orders: rows=3 files=1 bytes=812` for each input with counters; `datasets` by key."""
    return tuple(
        f"{datasets[each.dataset].stem}: {figures(each)}" for each in described.run.read if each.dataset in datasets
    )


def job_ids(described: Process) -> str:
    """Return the ids of the run's Spark jobs; `3-5 9` means four jobs."""
    spans: list[list[int]] = []
    for job in described.run.jobs:
        if spans and job == spans[-1][1] + 1:
            spans[-1][1] = job
        else:
            spans.append([job, job])
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def figures(each: DatasetRead) -> str:
    """Return the counters as text, `rows=3 files=1 bytes=812`."""
    return " ".join(_counted(each))


def _counted(each: DatasetRead) -> Iterator[str]:
    for name in ("rows", "files", "bytes"):
        if (counted := getattr(each, name)) is not None:
            yield f"{name}={counted}"


def versions(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """Return `sales.orders: version 3` for each explicitly requested version of an input; `datasets` by key."""
    return _described(described.versions_read, datasets)


def through_driver(described: Process, datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    """Return `sales.orders: values of it` for each input whose rows passed through the driver's Python."""
    return _described(described.through_driver, datasets)


def _described(facts: Iterable[tuple[str, str]], datasets: Mapping[str, DatasetEntities]) -> tuple[str, ...]:
    return tuple(f"{datasets[key].stem}: {bounded(fact, _TEXT_LIMIT)}" for key, fact in facts if key in datasets)
