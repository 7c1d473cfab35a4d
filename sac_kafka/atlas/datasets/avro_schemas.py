"""avro_schema and avro_field: the columns of what is no table.

The stock types that attach columns to any DataSet; the schema's `namespace` says what the data really is.
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
    """The dataset with its schema, the only one it has (R23); without columns there is none.

    `head` is the dataset after its owners, `kind` the format of its data, `label` its short name where that
    is not `name`, `namespace` what its name ends with where that is not `naming.namespace`.
    """
    namespace = namespace or naming.namespace
    dataset = head[-1].id
    stem = qualified_name.stem(dataset.qualified_name, namespace)
    details: tuple[AtlasEntity, ...] = ()
    if columns and naming.has_dataset_columns:
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
