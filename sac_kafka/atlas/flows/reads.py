"""Describe what a run read: rows, files and bytes of each input, its version, and how its rows passed through the driver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows.facts import Facts
from sac_kafka.atlas.limits import COMMENT_LIMIT, bounded
from sac_kafka.lineage.model import READ_BEFORE, DatasetRead, Process

_TEXT_LIMIT = COMMENT_LIMIT // 10


def of_inputs(described: Process, datasets: Mapping[str, DatasetEntities]) -> Facts:
    """Return the facts of the run that name inputs, such as `sales.orders: version 3`; `datasets` by key."""

    def named(found: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        return tuple(f"{datasets[key].stem}: {bounded(fact, _TEXT_LIMIT)}" for key, fact in found if key in datasets)

    return {
        "read": named((each.dataset, figures(each)) for each in described.run.read),
        "versions_read": named(described.versions_read),
        "through_driver": named((r.dataset.key, r.how) for r in described.through_driver if r.how != READ_BEFORE),
    }


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
    counted = ((name, getattr(each, name)) for name in ("rows", "files", "bytes"))
    return " ".join(f"{name}={number}" for name, number in counted if number is not None)
