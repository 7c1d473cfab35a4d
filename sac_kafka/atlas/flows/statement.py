"""Everything that a process or a definition has to say, whatever the server has already and a message can hold."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from sac_kafka.atlas import datasets
from sac_kafka.atlas.catalog.resetting import as_whole
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows import column_lineage, processes, reads, rows, versions
from sac_kafka.atlas.groups import EntityGroup, grouped
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.atlas.naming import Naming
from sac_kafka.config.choices import ColumnLineageMode
from sac_kafka.lineage.model import Dataset, Process
from sac_kafka.settings.content import Content


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Datasets, and the process between them where there is one.

    `heads` are the datasets, each after the owners it names; `definitions` their columns, a group each. `flow` is the
    application and, last, its process, `lineage` the group of its column lineage. Groups are sent once; one without members
    still says that its owner was sent. `known_columns` are as of
    `column_lineage.known`. `is_remembered` is False where that does not count, because the
    name is given up at once; `is_update` where the server has the definition already, in another form.
    """

    heads: tuple[tuple[AtlasEntity, ...], ...]
    definitions: tuple[EntityGroup, ...]
    flow: tuple[AtlasEntity, ...] = ()
    lineage: tuple[EntityGroup, ...] = ()
    known_columns: frozenset[str] = frozenset()
    is_remembered: bool = True
    is_update: bool = False


def statement(
    described: Process,
    *,
    naming: Naming,
    mode: ColumnLineageMode,
    content: Content,
    whole: Container[str] = (),
) -> Statement:
    """The process as entities; of the datasets with a key in `whole` everything is said that there is."""
    used = datasets.described((*described.outputs, *described.inputs), naming)
    by_key = {key: as_whole(each) if key in whole else each for key, each in used.items()}
    flow = processes.flow(
        described,
        inputs=_of(described.inputs, by_key),
        outputs=_of(described.outputs, by_key),
        decided=rows.columns(described, by_key) if mode is ColumnLineageMode.FULL else None,
        of_inputs={
            "read": reads.read(described, by_key),
            "versions_read": versions.read(described, by_key),
            "through_driver": versions.through_driver(described, by_key),
        },
        decided_by=_names(described.decided_by, naming),
        naming=naming,
        content=content,
    )
    once = _once(by_key.values())
    lineage = column_lineage.entities(described, process=flow[-1], datasets=by_key, mode=mode, naming=naming)
    return Statement(
        heads=tuple(each.head for each in once),
        definitions=tuple(definition(each) for each in once),
        flow=flow,
        lineage=(grouped(flow[-1].id, owners=(), members=lineage, about=(each.id for each in once)),),
        known_columns=column_lineage.known(described, process=flow[-1], datasets=by_key, mode=mode, naming=naming),
    )


def definition(described: DatasetEntities) -> EntityGroup:
    """What is sent once of a dataset: its columns, and what else hangs on it."""
    return grouped(described.id, owners=described.owners, members=described.details)


def _names(named: Iterable[Dataset], naming: Naming) -> tuple[str, ...]:
    """Return the names of datasets of which nothing else is said."""
    return tuple(dict.fromkeys(each.stem for each in datasets.described(tuple(named), naming).values()))


def _of(side: Iterable[Dataset], by_key: Mapping[str, DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """The datasets of one side, each once (a relationship's list is a set)."""
    return _once(by_key[dataset.key] for dataset in side)


def _once(described: Iterable[DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """Each entity once: several keys may be one dataset."""
    return tuple({each.id: each for each in described}.values())
