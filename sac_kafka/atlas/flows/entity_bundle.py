"""Bundle all entities of a process or a definition.

A bundle is complete: what the server already has, and how much fits into one message, is decided later.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass, replace

from sac_kafka.atlas import datasets
from sac_kafka.atlas.catalog.definitions import as_whole
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows import column_lineage, processes
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, EntityGroup, make_group
from sac_kafka.model import Column, Dataset, Process
from sac_kafka.model.cache import Cache, Same
from sac_kafka.settings.declarations.choices import MessageForm


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityBundle:
    """Entities of datasets, and of the process between them if there is one.

    Attributes:
        heads: The datasets, each preceded by its owners, and the columns in `former`.
        definitions: The columns of each dataset, as one group per dataset. A group is sent once; a group without members still
            records that its owner was sent.
        flow: The application, then its process.
        lineage: The group of the column lineage of the process.
        known_columns: The columns that have sources, or are known to have none, as `qualified_name.column_in_process`.
        is_remembered: False if the delivery must not be remembered, because the name is abandoned at once.
        is_update: True if the server already has the definition in another form.
        former: Columns that the lineage refers to although the statement has removed them: to be deleted afterwards.
    """

    heads: tuple[tuple[AtlasEntity, ...], ...]
    definitions: tuple[EntityGroup, ...]
    flow: tuple[AtlasEntity, ...] = ()
    lineage: tuple[EntityGroup, ...] = ()
    known_columns: frozenset[str] = frozenset()
    is_remembered: bool = True
    is_update: bool = False
    former: tuple[AtlasObjectId, ...] = ()


def entity_bundle(
    described: Process, context: Context, whole: Container[str] = (), replaced: Collection[str] = ()
) -> EntityBundle:
    """Return the entities of a process.

    Args:
        described: The process.
        context: The job and the names.
        whole: The keys of the datasets that get their complete definition.
        replaced: The keys of the outputs that have no other columns than these from now on, even if they are inputs too.
    """
    naming = context.naming
    if context.form is MessageForm.V1:
        described = _with_used_columns(described)
    inputs = (replace(each, columns=()) if each.key in replaced else each for each in described.inputs)
    used = datasets.describe((*described.outputs, *inputs), naming, context.cache)
    described_flow = processes.DescribedFlow(
        described=described,
        datasets={key: as_whole(each) if key in whole else each for key, each in used.items()},
        decided_by=tuple(dict.fromkeys(each.stem for each in datasets.describe(described.decided_by, naming).values())),
        context=context,
    )
    flow, once = described_flow.entities, processes.once(described_flow.datasets.values())
    group, known_columns = _lineage(described_flow, flow[-1])
    made_again = {used[key].id for key in used if key in whole}  # by each call, so a cache would never find them
    former = tuple(_former(described_flow, group.members, replaced)) if replaced else ()
    return EntityBundle(
        heads=(*(item.head for item in once), *former),
        definitions=tuple(_definition(item, None if item.id in made_again else context.cache) for item in once),
        flow=flow,
        lineage=(group,),
        known_columns=known_columns,
        former=tuple(owned[-1].id for owned in former),
    )


def _with_used_columns(described: Process) -> Process:
    """Return a process whose datasets list all columns that its column lineage uses.

    The V1 form refers to entities of the same message only, and a dataset may not list a column: a query that a database runs
    returns only some. In the V2 form, Atlas creates a column that is only referred to.
    """
    used: dict[str, dict[str, None]] = {}
    for lineage in described.columns:
        for dataset, column in ((lineage.dataset, lineage.column), *((s.dataset, s.column) for s in lineage.sources)):
            used.setdefault(dataset, {})[column] = None

    def complete(datasets: Iterable[Dataset]) -> Iterator[Dataset]:
        for dataset in datasets:
            listed = {column.name for column in dataset.columns}
            more = tuple(Column(name=name) for name in used.get(dataset.key, ()) if name not in listed)
            yield replace(dataset, columns=(*dataset.columns, *more)) if more else dataset

    return replace(described, inputs=tuple(complete(described.inputs)), outputs=tuple(complete(described.outputs)))


def _lineage(described_flow: processes.DescribedFlow, flow: AtlasEntity) -> tuple[EntityGroup, frozenset[str]]:
    """Return the group of the column lineage of a process, and the columns that it knows."""

    def make() -> tuple[EntityGroup, frozenset[str]]:
        members, known = column_lineage.entities(described_flow, flow)
        about = (each.id for each in processes.once(described_flow.datasets.values()))
        return make_group(flow.id, owners=(), members=members, about=about), known

    described, cache = described_flow.described, described_flow.context.cache
    if cache is None:
        return make()
    sides = tuple((output.key, output.columns) for output in (*described.outputs, *described.inputs))
    key = flow.id, described.columns, described.gaps, sides, len(described.outputs), described.stream is None
    held = 1 + sum(len(columns) for _, columns in sides)  # the key is kept, too
    return cache.get(key, make, lambda result: held + len(result[0].members))


def _former(
    flow: processes.DescribedFlow, lineage: Collection[AtlasEntity], replaced: Collection[str]
) -> Iterator[tuple[AtlasEntity, ...]]:
    """Yield the columns, each preceded by its owners, that column lineage uses and a replaced dataset has no more."""
    used = {id_ for each in lineage for id_ in each.references["inputs"]}
    for each in flow.described.inputs:
        if each.key in replaced:
            there = {entity.id for entity in flow.datasets[each.key].details}
            before = datasets.entities(each, flow.context.naming)
            for entity in before.details:
                if entity.id in used - there:
                    yield (*before.owners, entity)


def _definition(described: DatasetEntities, cache: Cache | None) -> EntityGroup:
    if cache is None:
        return definition(described)
    return cache.get(Same(described), lambda: definition(described), lambda group: 1 + len(group.members))


def definition(described: DatasetEntities) -> EntityGroup:
    """Return the group that is sent once per dataset: its columns and other dependent entities."""
    return make_group(described.id, owners=described.owners, members=described.details)
