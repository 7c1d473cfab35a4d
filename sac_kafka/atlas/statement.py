"""Everything that one process has to say, whatever the server has already and a message can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sac_kafka.atlas import column_lineage, datasets, processes
from sac_kafka.atlas.column_lineage import ColumnLineageMode
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.memory import Group, grouped
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.lineage.model import Dataset, Process


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A process with its datasets.

    `heads` are the datasets, each after the owners it names; `definitions` their columns. `lineage` is the column
    lineage, one group or none. Both kinds of groups are sent once.
    """

    heads: tuple[tuple[AtlasEntity, ...], ...]
    definitions: tuple[Group, ...]
    application: AtlasEntity
    process: AtlasEntity
    lineage: tuple[Group, ...]


def statement(described: Process, *, namespace: str, mode: ColumnLineageMode) -> Statement:
    """The process as entities."""
    by_key = _entities((*described.outputs, *described.inputs), namespace)
    process = processes.process(
        described,
        inputs=_of(described.inputs, by_key),
        outputs=_of(described.outputs, by_key),
        row_level=processes.rows(described.row_level, by_key) if mode is ColumnLineageMode.FULL else {},
        namespace=namespace,
    )
    lineage = column_lineage.entities(described, process=process, datasets=by_key, mode=mode, namespace=namespace)
    return Statement(
        heads=tuple(each.head for each in by_key.values()),
        definitions=tuple(
            grouped(each.id, owners=each.owners, members=each.details) for each in by_key.values() if each.details
        ),
        application=processes.application(described.application, namespace),
        process=process,
        lineage=(grouped(process.id, owners=(), members=lineage),) if lineage else (),
    )


def _entities(used: Iterable[Dataset], namespace: str) -> dict[str, DatasetEntities]:
    """Each dataset once, however often it is used: what is written and read is described by both."""
    once: dict[str, Dataset] = {}
    for dataset in used:
        seen = once.get(dataset.key)
        once[dataset.key] = datasets.merged(seen, dataset) if seen else dataset
    return {key: datasets.entities(dataset, namespace) for key, dataset in once.items()}


def _of(side: Iterable[Dataset], by_key: Mapping[str, DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """The datasets of one side, each once (a relationship's list is a set)."""
    return tuple(by_key[key] for key in dict.fromkeys(dataset.key for dataset in side))
