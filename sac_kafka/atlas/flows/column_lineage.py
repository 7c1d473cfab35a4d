"""Column lineage as entities: one spark_column_lineage for each output column that something flows into."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, PART_LIMIT, bounded, shortened
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.config.choices import ColumnLineageMode
from sac_kafka.lineage.model import ColumnLineage, Process


def entities(
    described: Process,
    *,
    process: AtlasEntity,
    datasets: Mapping[str, DatasetEntities],
    mode: ColumnLineageMode,
    naming: Naming,
) -> tuple[AtlasEntity, ...]:
    """The spark_column_lineage of a process; `datasets` are its inputs and outputs by key.

    A column without sources that the mode asks for gets none, so neither does a process without inputs or outputs
    (R16). A source of a dataset that is no input of the process is left out: no edge of the process would explain it. So is one
    whose dataset has no columns as entities.
    The name's digest is over the inputs that are sent, so `direct` and `full` never change each other's edges (R15).
    """
    if mode is ColumnLineageMode.OFF:
        return ()
    sources = {dataset.key: datasets[dataset.key] for dataset in described.inputs}
    targets = {dataset.key: datasets[dataset.key] for dataset in described.outputs}
    stem = qualified_name.stem(process.id.qualified_name, naming.namespace)
    several = len(targets) > 1
    result = []
    for lineage in described.columns:
        output = targets.get(lineage.dataset)
        column = output.column(lineage.column) if output else None
        inputs = _inputs(lineage, sources, mode)
        if output and column and inputs:
            name = qualified_name.column_lineage(
                stem,
                lineage.column,
                output=output.stem if several else None,
                inputs=inputs,
                namespace=naming.namespace,
            )
            label = shortened(lineage.column, PART_LIMIT)
            result.append(
                AtlasEntity(
                    id=AtlasObjectId("spark_column_lineage", name),
                    attributes=known(
                        name=f"{shortened(described.application.job, PART_LIMIT)}: {label}",
                        description=lineage.expression and bounded(lineage.expression, COMMENT_LIMIT),
                    ),
                    references={
                        "process": process.id,
                        "inputs": inputs,
                        "outputs": (column,),
                    },
                )
            )
    return tuple(result)


def _inputs(
    lineage: ColumnLineage, sources: Mapping[str, DatasetEntities], mode: ColumnLineageMode
) -> tuple[AtlasObjectId, ...]:
    """The source columns that the mode asks for and that are entities, each once however often it is used."""
    columns = (
        sources[source.dataset].column(source.column)
        for source in lineage.sources
        if (mode is ColumnLineageMode.FULL or source.dependency.is_direct) and source.dataset in sources
    )
    return tuple(dict.fromkeys(column for column in columns if column))
