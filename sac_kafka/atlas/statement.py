"""Everything that one process has to say, whatever the server has already and a message can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sac_kafka.atlas import column_lineage, datasets, processes
from sac_kafka.atlas.column_lineage import ColumnLineageMode
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.memory import Group, grouped
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.atlas.naming import Naming
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


def statement(described: Process, *, naming: Naming, mode: ColumnLineageMode) -> Statement:
    """The process as entities."""
    by_key = datasets.described((*described.outputs, *described.inputs), naming)
    process = processes.process(
        described,
        inputs=_of(described.inputs, by_key),
        outputs=_of(described.outputs, by_key),
        row_level=processes.rows(described.row_level, by_key) if mode is ColumnLineageMode.FULL else {},
        naming=naming,
    )
    once = _once(by_key.values())
    lineage = column_lineage.entities(described, process=process, datasets=by_key, mode=mode, naming=naming)
    return Statement(
        heads=tuple(each.head for each in once),
        definitions=tuple(grouped(each.id, owners=each.owners, members=each.details) for each in once if each.details),
        application=processes.application(described.application, naming),
        process=process,
        lineage=(grouped(process.id, owners=(), members=lineage),) if lineage else (),
    )


def _of(side: Iterable[Dataset], by_key: Mapping[str, DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """The datasets of one side, each once (a relationship's list is a set)."""
    return _once(by_key[dataset.key] for dataset in side)


def _once(described: Iterable[DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """Each entity once: several keys may be one dataset."""
    return tuple({each.id: each for each in described}.values())
