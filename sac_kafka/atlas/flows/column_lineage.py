"""Build column lineage entities, separately for the values and for the influences of a column.

Both have the type spark_column_lineage. They are distinguished by the description, which begins with the kind, and by the
name, which contains `influence`. So a column computed only from conditions has lineage too, without presenting a condition as
a value.

The description begins with the kind of the use, because the type has no attribute for it: `aggregation: sum(amount)`,
`identity: crm.orders.id`, `condition (influences the value, does not flow into it): CASE WHEN (amount > 100) THEN …`
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows.processes import DescribedFlow
from sac_kafka.atlas.limits import COMMENT_LIMIT, PART_LIMIT, join_names, shorten, truncate
from sac_kafka.atlas.model import SPARK_TYPES, AtlasEntity, AtlasObjectId
from sac_kafka.model import ColumnLineage, ColumnSource, Dependency
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
    sources: _Sources = {}
    datasets = {dataset.key: flow.datasets[dataset.key] for dataset in described.inputs}
    outputs = {dataset.key: flow.datasets[dataset.key] for dataset in described.outputs}
    stem = qualified_name.stem(process.id.qualified_name, namespace)
    # With several outputs, a column's name alone does not identify its dataset. A streaming query may write another one later.
    several = len(outputs) > 1 or described.stream is not None
    result, known = [], set()
    for lineage in described.columns:
        output = outputs.get(lineage.dataset)
        column = output.column(lineage.column) if output else None
        if output is None or column is None:
            continue
        output_stem = output.stem if several else None
        if lineage.sources or has_no_sources(lineage, described.gaps):
            known.add(qualified_name.column_in_process(stem, lineage.column, output=output_stem))
        label = f"{shorten(output.label, PART_LIMIT)}.{shorten(lineage.column, PART_LIMIT)}"
        for is_influence, used in _parts(lineage, sources, datasets, flow.context.column_lineage):
            inputs = tuple(dict.fromkeys(id_ for _, id_ in used))
            name = qualified_name.column_lineage(
                stem, lineage.column, output=output_stem, inputs=inputs, namespace=namespace, is_influence=is_influence
            )
            result.append(
                AtlasEntity(
                    id=AtlasObjectId(SPARK_TYPES.column_lineage, name),
                    attributes={
                        "name": label + (_INFLUENCE_NAME if is_influence else ""),
                        "description": _description(lineage, used, datasets),
                    },
                    references={"process": process.id, "inputs": inputs, "outputs": (column,)},
                )
            )
    return tuple(result), frozenset(known)


_Sources = dict[tuple[str, str], AtlasObjectId | None]
"""The identities of source columns, by dataset key and column: None if the column of the input is not an entity."""

_Used = Collection[tuple[ColumnSource, AtlasObjectId]]


def _parts(
    lineage: ColumnLineage, known: _Sources, datasets: Mapping[str, DatasetEntities], mode: ColumnLineageMode
) -> Iterator[tuple[bool, _Used]]:
    """Yield the values (False) and the influences (True) of a column, if any and if enabled by the mode.

    Sources are added to those that are `known`, as many columns may have the same one.
    """
    used = []
    for source in lineage.sources:
        place = source.dataset, source.column
        if place not in known:
            known[place] = datasets[source.dataset].column(source.column) if source.dataset in datasets else None
        if id_ := known[place]:
            used.append((source, id_))
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


KINDS: Mapping[Dependency, str] = MappingProxyType(
    {
        Dependency.AGGREGATION: "aggregation",
        Dependency.TRANSFORMATION: "transformation",
        Dependency.IDENTITY: "identity",
        Dependency.CONDITIONAL: "condition",
        Dependency.WINDOW: "window",
        # As dependencies of a column, these are conditions on the rows of a subquery.
        Dependency.JOIN: "condition",
        Dependency.FILTER: "condition",
        Dependency.GROUP_BY: "condition",
        Dependency.SORT: "condition",
    }
)
"""Words for the use of a column, most specific first."""

_INFLUENCE = " (influences the value, does not flow into it)"
_COPY = KINDS[Dependency.IDENTITY]


def description(used_as: Iterable[Dependency], made: str) -> str:
    """Return the description of a column lineage; of its expression, or of the copied columns if it has no expression."""
    used = set(used_as)
    if len(used) == 1:  # of most columns; members of an enumeration are slow to hash
        kinds = KINDS[next(iter(used))]
    else:
        kinds = ", ".join(dict.fromkeys(word for dependency, word in KINDS.items() if dependency in used))
    is_influence = not any(use.is_direct for use in used)
    return truncate(f"{kinds}{_INFLUENCE if is_influence else ''}: {made}", COMMENT_LIMIT)


def read_description(text: str) -> tuple[bool, str]:
    """Return from a description whether the column lineage is an influence, and the expression, "" for a copy.

    >>> read_description("aggregation: sum(amount)"), read_description("identity: crm.orders.id")
    ((False, 'sum(amount)'), (False, ''))
    >>> read_description("window (influences the value, does not flow into it): row_number() OVER (ORDER BY id)")
    (True, 'row_number() OVER (ORDER BY id)')
    """
    kinds, _, made = text.partition(": ")
    return kinds.endswith(_INFLUENCE), "" if kinds == _COPY else made
