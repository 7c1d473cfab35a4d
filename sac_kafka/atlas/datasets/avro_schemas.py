"""Describe the columns of datasets other than tables as avro_schema and avro_field.

These are the only stock types that attach columns to any DataSet. `namespace` of the schema has the actual format.
"""

from __future__ import annotations

from collections.abc import Sequence

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets.description import AVRO_FIELD, UNKNOWN, DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, INDEXED_LIMIT, bounded
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, each_once, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import Column


def with_fields(
    head: tuple[AtlasEntity, ...],
    columns: Sequence[Column],
    naming: Naming,
    *,
    name: str,
    kind: str,
    label: str | None = None,
    namespace: str | None = None,
) -> DatasetEntities:
    """Describe a dataset with its schema and fields; without columns it has no schema.

    Args:
        head: The owners of the dataset, then the dataset itself.
        columns: The columns.
        naming: The naming of datasets.
        name: The name of the dataset for people.
        kind: The format of its data.
        label: The short name for lists; `name` by default.
        namespace: The namespace of the dataset's qualifiedName; `naming.namespace` by default.
    """
    namespace = namespace or naming.namespace
    dataset = head[-1].id
    stem = qualified_name.stem(dataset.qualified_name, namespace)
    details: tuple[AtlasEntity, ...] = ()
    if columns and naming.has_dataset_columns:
        # Named by the dataset, because a schema sent for a second dataset leaves the first one (R23).
        schema = AtlasEntity(
            id=AtlasObjectId("avro_schema", qualified_name.schema(stem, namespace)),
            attributes={
                "name": bounded(name, INDEXED_LIMIT),
                "type": "record",
                "namespace": bounded(kind, COMMENT_LIMIT) or UNKNOWN,
            },
            references={"associatedEntities": (dataset,)},
        )
        fields = (
            AtlasEntity(
                id=AVRO_FIELD.id(stem, column.name, namespace),
                attributes={
                    "name": bounded(column.name, INDEXED_LIMIT),
                    **known(
                        doc=bounded(column.type, COMMENT_LIMIT),
                        description=column.comment and bounded(column.comment, COMMENT_LIMIT),
                    ),
                },
                references={"record": schema.id},
            )
            for column in columns
        )
        details = (schema, *each_once(fields))
    return DatasetEntities(
        name=name,
        label=label or name,
        namespace=namespace,
        head=head,
        owners=(*head, *details[:1]),
        details=details,
        columns=AVRO_FIELD if naming.has_dataset_columns else None,
    )
