"""Build column lineage entities, separately for the values and for the influences of a column.

Both have the type spark_column_lineage. They are distinguished by the description, which begins with the kind, and by the
name, which contains `influence`. So a column computed only from conditions has lineage too, without presenting a condition as
a value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows.kinds import description
from sac_kafka.atlas.flows.processes import DescribedFlow
from sac_kafka.atlas.limits import PART_LIMIT, join_names, shorten
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.types.sent import flow_types
from sac_kafka.model import ColumnLineage, ColumnSource, Process
from sac_kafka.model.gaps import has_no_sources
from sac_kafka.settings.declarations.choices import ColumnLineageMode

_INFLUENCE_NAME = " (influence)"
_NAMED_SOURCES = 500


def entities(flow: DescribedFlow, process: AtlasEntity) -> tuple[tuple[AtlasEntity, ...], frozenset[str]]:
    """Return the spark_column_lineage entities of a process, and the columns that have sources or are known to have none.

    The columns are returned as `qualified_name.column_in_process`. Columns without sources have no column lineage, so a process
    without inputs or outputs has none at all (R16). A source is omitted if its dataset is not an input of the process, as no edge
    of the process would correspond to it, or if the columns of its dataset are not entities.

    The digest in the name covers the inputs that are sent, so the modes `direct` and `full` do not overwrite each other's
    entities (R15).
    """
    described, namespace = flow.described, flow.context.naming.namespace
    if flow.context.column_lineage is ColumnLineageMode.OFF:
        return (), frozenset()
    sources = _Sources({dataset.key: flow.datasets[dataset.key] for dataset in described.inputs})
    stem = qualified_name.stem(process.id.qualified_name, namespace)
    several = _has_several_outputs(described)
    result, known = [], set()
    for lineage, output, column in _targets(flow):
        output_stem = output.stem if several else None
        if lineage.sources or has_no_sources(lineage, described.gaps):
            known.add(qualified_name.column_in_process(stem, lineage.column, output=output_stem))
        label = f"{shorten(output.label, PART_LIMIT)}.{shorten(lineage.column, PART_LIMIT)}"
        for is_influence, used in _parts(lineage, sources, flow.context.column_lineage):
            inputs = tuple(dict.fromkeys(id_ for _, id_ in used))
            name = qualified_name.column_lineage(
                stem, lineage.column, output=output_stem, inputs=inputs, namespace=namespace, is_influence=is_influence
            )
            result.append(
                AtlasEntity(
                    id=AtlasObjectId(flow_types(flow.described.application.engine).column_lineage, name),
                    attributes={
                        "name": label + (_INFLUENCE_NAME if is_influence else ""),
                        "description": _description(lineage, used, sources.datasets),
                    },
                    references={"process": process.id, "inputs": inputs, "outputs": (column,)},
                )
            )
    return tuple(result), frozenset(known)


def _has_several_outputs(described: Process) -> bool:
    """Return True if a column's name alone does not identify its dataset."""
    keys = {dataset.key for dataset in described.outputs}
    return len(keys) > 1 or described.stream is not None  # A streaming query may write another output later.


def _targets(flow: DescribedFlow) -> Iterator[tuple[ColumnLineage, DatasetEntities, AtlasObjectId]]:
    """Yield the lineage of each output column that is an entity, with its dataset and its identity."""
    outputs = {dataset.key: flow.datasets[dataset.key] for dataset in flow.described.outputs}
    for lineage in flow.described.columns:
        output = outputs.get(lineage.dataset)
        column = output.column(lineage.column) if output else None
        if output is not None and column is not None:
            yield lineage, output, column


class _Sources(dict[tuple[str, str], AtlasObjectId | None]):
    """Cache of the identities of source columns, by dataset key and column: None if the column of the input is not an entity.

    Many columns may have the same source.
    """

    def __init__(self, datasets: Mapping[str, DatasetEntities]) -> None:
        super().__init__()
        self.datasets = datasets

    def __missing__(self, source: tuple[str, str]) -> AtlasObjectId | None:
        dataset = self.datasets.get(source[0])
        found = self[source] = dataset.column(source[1]) if dataset else None
        return found


_Used = Collection[tuple[ColumnSource, AtlasObjectId]]


def _parts(lineage: ColumnLineage, sources: _Sources, mode: ColumnLineageMode) -> Iterator[tuple[bool, _Used]]:
    """Yield the values (False) and the influences (True) of a column, if any and if enabled by the mode."""
    used = [(source, id_) for source in lineage.sources if (id_ := sources[source.dataset, source.column])]
    if flows := [use for use in used if use[0].dependency.is_direct]:
        yield False, flows
    if mode is ColumnLineageMode.FULL and len(flows) < len(used):
        yield True, [use for use in used if not use[0].dependency.is_direct]


def _description(lineage: ColumnLineage, used: _Used, datasets: Mapping[str, DatasetEntities]) -> str:
    kinds = {each.dependency for each, _ in used}
    if lineage.expression:
        return description(kinds, lineage.expression)
    names = sorted({f"{datasets[each.dataset].label}.{each.column}" for each, _ in used})
    return description(kinds, join_names(names, _NAMED_SOURCES))
