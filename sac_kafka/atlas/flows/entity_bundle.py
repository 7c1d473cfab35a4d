"""Bundle all entities of a process or a definition.

A bundle is complete: what the server already has, and how much fits into one message, is decided later.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from sac_kafka.atlas import datasets
from sac_kafka.atlas.catalog.definitions import as_whole
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows import column_lineage, processes, reads, rows
from sac_kafka.atlas.groups import EntityGroup, grouped
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import Dataset, Process
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import ColumnLineageMode


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityBundle:
    """Entities of datasets, and of the process between them if there is one.

    Attributes:
        heads: The datasets, each preceded by its owners.
        definitions: The columns of each dataset, as one group per dataset. A group is sent once; a group without members still
            records that its owner was sent.
        flow: The application, then its process.
        lineage: The group of the column lineage of the process.
        known_columns: The columns returned by `column_lineage.known`.
        is_remembered: False if the delivery must not be remembered, because the name is abandoned at once.
        is_update: True if the server already has the definition in another form.
    """

    heads: tuple[tuple[AtlasEntity, ...], ...]
    definitions: tuple[EntityGroup, ...]
    flow: tuple[AtlasEntity, ...] = ()
    lineage: tuple[EntityGroup, ...] = ()
    known_columns: frozenset[str] = frozenset()
    is_remembered: bool = True
    is_update: bool = False


def entity_bundle(
    described: Process,
    *,
    naming: Naming,
    mode: ColumnLineageMode,
    content: Content,
    whole: Container[str] = (),
) -> EntityBundle:
    """Return the entities of a process; datasets whose key is in `whole` get their complete definition."""
    used = datasets.described((*described.outputs, *described.inputs), naming)
    by_key = {key: as_whole(each) if key in whole else each for key, each in used.items()}
    flow = processes.DescribedFlow(
        described=described,
        inputs=_of(described.inputs, by_key),
        outputs=_of(described.outputs, by_key),
        decided=rows.columns(described, by_key) if mode is ColumnLineageMode.FULL else None,
        of_inputs={
            "read": reads.read(described, by_key),
            "versions_read": reads.versions(described, by_key),
            "through_driver": reads.through_driver(described, by_key),
        },
        decided_by=_names(described.decided_by, naming),
        naming=naming,
        content=content,
    ).entities
    once = _once(by_key.values())
    lineage = column_lineage.entities(described, process=flow[-1], datasets=by_key, mode=mode, naming=naming)
    return EntityBundle(
        heads=tuple(each.head for each in once),
        definitions=tuple(definition(each) for each in once),
        flow=flow,
        lineage=(grouped(flow[-1].id, owners=(), members=lineage, about=(each.id for each in once)),),
        known_columns=column_lineage.known(described, process=flow[-1], datasets=by_key, mode=mode, naming=naming),
    )


def definition(described: DatasetEntities) -> EntityGroup:
    """Return the group that is sent once per dataset: its columns and other dependent entities."""
    return grouped(described.id, owners=described.owners, members=described.details)


def _names(named: Iterable[Dataset], naming: Naming) -> tuple[str, ...]:
    """Return the names of datasets that are sent by name only."""
    return tuple(dict.fromkeys(each.stem for each in datasets.described(tuple(named), naming).values()))


def _of(side: Iterable[Dataset], by_key: Mapping[str, DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """Return the distinct datasets of one side (Atlas treats the list of a relationship as a set)."""
    return _once(by_key[dataset.key] for dataset in side)


def _once(described: Iterable[DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """Drop duplicates: several keys may denote the same dataset."""
    return tuple({each.id: each for each in described}.values())
